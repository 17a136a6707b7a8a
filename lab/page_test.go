package lab

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

var pagesTo = flag.String("pages", "", "folder to save the sample pages in, to look at them")

// element is an element of a page with its text, that of the elements within it included.
type element struct {
	name, class, value, text string
	parent                   *element
	children                 []*element
}

// all are the elements of a name below one, in their order.
func (e *element) all(name string) (list []*element) {
	for _, c := range e.children {
		if c.name == name {
			list = append(list, c)
		}
		list = append(list, c.all(name)...)
	}
	return list
}

// parsed reads a page. All elements must be closed, and attributes quoted, as in XML, but where HTML has no such ends.
func parsed(t *testing.T, page []byte) *element {
	t.Helper()
	body := regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>|<meta [^>]*>|<!DOCTYPE html>`).ReplaceAll(bytes.Replace(page, []byte(" hidden>"), []byte(`>`), 1), nil)
	body = regexp.MustCompile(`(?m)^<tr>(.*)$`).ReplaceAllFunc(body, func(row []byte) []byte { // HTML lets cells and rows of a body end by themselves
		row = regexp.MustCompile(`<(td)([^>]*)>((?:</?(?:b|em)>|[^<])*)`).ReplaceAll(row, []byte("<$1$2>$3</$1>"))
		tail := regexp.MustCompile(`(</tbody>.*)?$`).FindIndex(row)[0]
		return slices.Concat(row[:tail], []byte("</tr>"), row[tail:])
	})
	decoder := xml.NewDecoder(bytes.NewReader(body))
	decoder.Entity = xml.HTMLEntity
	root := &element{}
	at := root
	ids := map[string]bool{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, parent: at}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "id":
					if ids[a.Value] {
						t.Errorf("id %q is there twice", a.Value)
					}
					ids[a.Value] = true
				case "class":
					e.class = a.Value
				case "data-v":
					e.value = a.Value
				}
			}
			at.children, at = append(at.children, e), e
		case xml.EndElement:
			at = at.parent
		case xml.CharData:
			for e := at; e != nil; e = e.parent {
				e.text += string(token)
			}
		}
	}
	return root
}

// written is the page of a report.
func written(t *testing.T, r *Report, name string) []byte {
	t.Helper()
	var page, again bytes.Buffer
	from := Origin{Command: "allot policies '<script>alert(1)</script>.swf'", Data: []string{"t.swf: swf: read 9 jobs, kept 8", "  dropped 1: run time 0 (first: line 2485)"}, Version: "v1"}
	if err := errors.Join(r.WritePage(&page, from), r.WritePage(&again, from)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page.Bytes(), again.Bytes()) {
		t.Error("the same report gives two pages")
	}
	if *pagesTo != "" {
		if err := os.WriteFile(filepath.Join(*pagesTo, name+".html"), page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return page.Bytes()
}

// outline is the headings, tables and pictures of a page.
func outline(page *element) string {
	var b strings.Builder
	var walk func(e *element)
	walk = func(e *element) {
		switch e.name {
		case "h1", "h2", "h3", "caption", "li", "figcaption", "pre":
			if e.parent.class != "legend" && strings.TrimSpace(e.text) != "" {
				fmt.Fprintf(&b, "%s: %s\n", e.name, flat(e.text))
			}
		case "p":
			fmt.Fprintf(&b, "p %s: %s\n", e.class, flat(e.text))
		case "thead", "tr":
			if e.name == "tr" {
				var cells []string
				for _, c := range e.children {
					cells = append(cells, flat(c.text))
				}
				fmt.Fprintf(&b, "  %s\n", strings.Join(cells, " | "))
				return
			}
		case "svg":
			if e.parent.name == "figure" {
				fmt.Fprintf(&b, "svg: %s\n", flat(e.all("desc")[0].text))
			}
		}
		for _, c := range e.children {
			walk(c)
		}
	}
	walk(page)
	return b.String()
}

// The page of a site with everything: its texts, tables and pictures in their order.
func TestPageOfASite(t *testing.T) {
	in, runs := site(t, []string{"ada", "bob", "cyd", "<script>alert(1)</script>"}, []string{"210 of 900 jobs (23.3 %) are touched by what the instance leaves out: 210 quality of service"}, "easy", "easy:order=sjf", "easy:order=sjf:bound_wait=172800", "fcfs-list")
	r, err := Compare(t.Context(), in, runs, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	page := written(t, r, "site")
	if strings.Count(string(page), "<script") != 1 || regexp.MustCompile(`(src|href)=["']?[^#"']`).Match(page) {
		t.Error("a name became part of the page, or the page refers to something outside")
	}
	golden(t, "page.txt", outline(parsed(t, page)))
}

// Every figure of a table of the page is one of the JSON of the same report, and stands where it belongs; the pictures say the same.
func TestPageStatesTheFigures(t *testing.T) {
	in, runs := site(t, []string{"ada", "bob", "cyd"}, nil, "easy", "easy:order=sjf", "conservative")
	r, err := Compare(t.Context(), in, runs, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Report
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	page := parsed(t, written(t, r, "figures"))
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }
	// rows are the rows of the table whose caption begins so, by their first cells: the values of the others, or where they have none the texts.
	rows := func(caption string, keys int) map[string][]string {
		found := map[string][]string{}
		for _, table := range page.all("table") {
			if !strings.HasPrefix(table.all("caption")[0].text, caption) {
				continue
			}
			for _, tr := range table.all("tbody")[0].all("tr") {
				var cells []string
				for _, c := range tr.children {
					cells = append(cells, map[bool]string{true: c.text, false: c.value}[c.value == ""])
				}
				found[strings.Join(cells[:keys], "/")] = cells[keys:]
			}
		}
		return found
	}
	check := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, expected %q", what, got, want)
		}
	}
	group := &again.Groups[0]
	policies, others, classes, pays := rows("Waits of all jobs", 1), rows("What else is compared", 1), rows("Mean wait by", 1), rows("Jobs that are shown", 2)
	checked := 0
	for k := range group.Policies {
		p := &group.Policies[k]
		all := &p.Classes[0]
		against := "–"
		if k > 0 {
			against = digits(*all.WaitDifference.Ratio)
		}
		check(p.Name, policies[p.Name], []string{digits(all.Wait.Mean), against, digits(all.Wait.Median), digits(all.Wait.P95), digits(all.Wait.Max)})
		check(p.Name, others[p.Name], []string{digits(all.Slowdown), digits(*p.Utilisation), strconv.Itoa(p.LeftOut), digits(*p.Jain)})
		for c := range p.Classes {
			class := &p.Classes[c]
			if class.Kind == kindAll {
				continue
			}
			row := classes[class.Name]
			column := []int{2, 3, 5}[k] // behind the jobs and the record
			if class.Kind == kindPeriod {
				column = 2 + k
			}
			if row[column] != digits(class.Wait.Mean) || row[0] != strconv.Itoa(class.Jobs) || k > 0 && class.Kind != kindPeriod && row[column+1] != digits(*class.WaitDifference.Ratio) {
				t.Errorf("%s, %s: %q, expected %v", p.Name, class.Name, row, class.Wait.Mean)
			}
			if d := class.WaitDifference; d.Shown(0.95) {
				check(p.Name+", "+class.Name, pays[p.Name+"/"+class.title()][1:], []string{strconv.Itoa(d.Jobs), digits(d.First), digits(d.First + d.Mean), digits(d.Mean), digits(*d.Ratio), digits(*d.Holm)})
				checked++
			}
		}
	}
	if checked < 5 || checked != len(pays) {
		t.Errorf("%d rows of who pays, %d differences are shown", len(pays), checked)
	}
	figure := func(x float64) string { return strings.ReplaceAll(numtext.Significant(x, 3), "-", "−") }
	drawn := 0
	for k, plot := range slices.DeleteFunc(page.all("figure"), func(e *element) bool { return e.class != "forest" }) {
		want := map[string]bool{}
		for c := range group.Policies[k+1].Classes {
			class := &group.Policies[k+1].Classes[c]
			if d := class.WaitDifference; d != nil && d.RatioLow != nil {
				want[fmt.Sprintf("%s: %s [%s, %s]", class.Name, figure(*d.Ratio), figure(*d.RatioLow), figure(*d.RatioHigh))] = true
			} else if d != nil {
				want[class.Name+": "+figure(*d.Ratio)+", without an interval"] = true
			}
		}
		for _, row := range plot.all("g") {
			if row.class == "row" {
				if title := row.all("title")[0].text; !want[title] {
					t.Errorf("%q is not among %v", title, want)
				}
				drawn++
			}
		}
	}
	if drawn != 2*(1+4+2+2+3) {
		t.Errorf("%d rows in the forest plots", drawn)
	}
	fits := rows("How near each policy", 1)
	for k := range again.Record.Fits {
		f := &again.Record.Fits[k]
		check(f.Policy, fits[f.Policy], []string{strconv.Itoa(f.Jobs), digits(f.MeanWait), digits(f.Recorded), digits(f.Off), map[bool]string{true: "yes", false: "no"}[f.Explains]})
	}
	check("recorded", policies["recorded"][:1], []string{digits(again.Record.Classes[0].Wait.Mean)})
}

// Odd reports have pages too: waits of 0, one policy, one job, no users, no days, jobs without a place, names of every kind.
func TestOddPages(t *testing.T) {
	in, runs := small(t)
	one := instance(t, model.JobSpec{ID: "a", Work: new(8.0)})
	alone := &model.Solution{Jobs: []model.Placement{placed("a", 1, 0, 8)}}
	long := strings.Repeat("long-name=", 40)
	hostile, hostileRuns := site(t, []string{`"><img src=x onerror=alert(1)>`, "a\x01b\u202e", long, ""}, []string{"<b>"}, `<img src=x>`, "'\"&", long, "\xff")
	for name, c := range map[string]struct {
		in   *model.Instance
		runs []Run
	}{
		"one job":      {one, []Run{{"p", true, alone}}},
		"zero waits":   {one, []Run{{"p", true, alone}, {"q", true, alone}}},
		"one policy":   {in, runs[:1]},
		"few days":     {in, runs},
		"without jobs": {in, []Run{runs[0], {"none", true, &model.Solution{}}}},
		"none at all":  {in, []Run{{"none", true, &model.Solution{}}, {"nor", true, &model.Solution{}}}},
		"two groups":   {in, []Run{{"ahead", false, runs[0].Solution}, runs[0], runs[1]}},
		"hostile":      {hostile, hostileRuns},
	} {
		r, err := Compare(t.Context(), c.in, c.runs, Defaults())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		page := written(t, r, strings.ReplaceAll(name, " ", "-"))
		root := parsed(t, page)
		text := outline(root)
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || regexp.MustCompile(`(NaN|Inf)[" ,]`).Match(regexp.MustCompile(`(?s)<script>.*</script>`).ReplaceAll(page, nil)) {
			t.Errorf("%s: a figure is no number:\n%s", name, text)
		}
		if got := flat(root.all("h2")[0].text); got != "In short" || !strings.Contains(text, "p verdict: "+flat(r.Answer()[0])) && name != "hostile" {
			t.Errorf("%s: begins with %q:\n%s", name, got, text)
		}
		if strings.Contains(string(page), "<img") || strings.Count(string(page), "<script") != 1 {
			t.Errorf("%s: a name became part of the page", name)
		}
	}
}
