package draw

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// The parts of an interactive page. They are the same on every page, so that the policy of the page can name them by their hashes: the browser runs nothing
// else, whatever ids a schedule has.
var (
	//go:embed page
	pageFiles embed.FS

	pageBody, pageStyle = "\n" + pageFile("body.html"), "\n" + pageFile("style.css")
	// pageScript is one block, so that its names stay apart from those of the browser.
	pageScript = "\n\"use strict\";\n{\n" + pageParts() + "gantt(document, JSON.parse(document.getElementById(\"data\").textContent));\n}\n"
)

// pageFile is the text of a part.
func pageFile(name string) string {
	text, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(text)
}

// pageParts is the function that draws a chart and answers to keys and pointers, in the order of its parts. The page of web/ has the same.
func pageParts() string {
	text := ""
	for _, name := range strings.Fields(pageFile("parts")) {
		text += pageFile(name)
	}
	return text
}

// pageData is what the script of a page reads. Lists of jobs and of blocks are in columns, which keeps the page small.
type pageData struct {
	Title  string  `json:"title"`
	Unit   string  `json:"unit"`
	Second float64 `json:"second"` // seconds of the unit; 0: not known
	Known  bool    `json:"known"`  // the instance is, so jobs have arrivals
	Zero   float64 `json:"zero"`   // the time that the axis counts from
	Start  float64 `json:"start"`  // the times to show
	End    float64 `json:"end"`
	First  float64 `json:"first"` // the times that there are
	Last   float64 `json:"last"`

	Clusters []pageCluster `json:"clusters"`
	Jobs     pageJobs      `json:"jobs"`
	Users    []string      `json:"users"`
	Blocks   pageBlocks    `json:"blocks"`
	Schemes  []pageScheme  `json:"schemes"`
	View     GanttView     `json:"view"`
	Colour   Colour        `json:"colour"` // asked for; empty: by wait where the page begins with the load, else the first scheme
	Spans    []pageSpan    `json:"spans,omitempty"`
	Tariffs  []pageTariff  `json:"tariffs,omitempty"`
}

// pageTariff is what power costs, or emits, by time.
type pageTariff struct {
	Name  string    `json:"name"`
	Notes []string  `json:"notes"`
	Kind  string    `json:"kind"`
	From  []float64 `json:"from"` // when each value begins to hold
	Value []float64 `json:"value"`
}

// pageCluster is a cluster.
type pageCluster struct {
	ID         string `json:"id"`
	Processors int    `json:"processors"`
	Exact      bool   `json:"exact"`
	// Of rows that are machines with their processors or devices:
	Units    int           `json:"units,omitempty"`   // height of all rows; absent: the processors
	Devices  int           `json:"devices,omitempty"` // where rows are devices
	Machines []pageMachine `json:"machines,omitempty"`
}

// pageMachine is a machine.
type pageMachine struct {
	ID    string    `json:"id"`
	First int       `json:"first"`
	Units int       `json:"units"`
	Rest  bool      `json:"rest,omitempty"` // it stands for all machines whose devices no job holds
	Rows  []pageRow `json:"rows,omitempty"`
}

// pageRow is a row of a machine.
type pageRow struct {
	Resource string `json:"resource,omitempty"` // absent: the jobs without devices
	Number   int    `json:"number"`
	First    int    `json:"first"`
	Units    int    `json:"units"`
}

// pageSpan is a time in which machines are closed, one job has a machine to itself, or a machine is off or on its way.
type pageSpan struct {
	Cluster int      `json:"cluster"`
	First   int      `json:"first"`
	Last    int      `json:"last"`
	Start   float64  `json:"start"`
	End     *float64 `json:"end"` // null: for ever
	Kind    spanKind `json:"kind"`
	Holder  string   `json:"holder,omitempty"` // reservation, job, or state
	Number  int      `json:"number,omitempty"` // of the state
	Text    string   `json:"text"`
}

// pageJobs are the jobs that are placed.
type pageJobs struct {
	ID       []string   `json:"id"`
	Arrival  []float64  `json:"arrival"` // absent: not known
	Start    []float64  `json:"start"`
	End      []float64  `json:"end"`
	Deadline []*float64 `json:"deadline"` // null: none
	User     []int      `json:"user"`     // index into users; -1: not stated
	After    []int      `json:"after"`    // the job that ends on one of the job's processors just as it starts; -1: none
	Why      []string   `json:"why"`      // what the caller says of the job; absent: nothing of any
}

// pageBlocks are runs of processors that jobs hold, by start.
type pageBlocks struct {
	Job     []int     `json:"job"`
	Cluster []int     `json:"cluster"`
	First   []int     `json:"first"`
	Last    []int     `json:"last"`
	Start   []float64 `json:"start"`
	End     []float64 `json:"end"`
	// Where rows are devices:
	Share  []float64 `json:"share,omitempty"`  // of each device; 0: it holds none
	Weight []float64 `json:"weight,omitempty"` // devices held
}

// pageScheme is a meaning of the colours.
type pageScheme struct {
	By    Colour   `json:"by"`
	Fills []string `json:"fills"`
	Names []string `json:"names"` // absent: the colours have no meaning
	Of    []int    `json:"of"`    // fill by job
}

// newPageData collects what a page shows.
func newPageData(l *layout, s summary, opt GanttOptions) *pageData {
	whole := *l // a page can leave the window that it begins with
	whole.origin, whole.last = min(l.origin, l.whole[0]), max(l.last, l.whole[1])
	whole.blocks = l.all
	l = &whole
	second, _ := timetext.Seconds(l.unit)
	d := &pageData{
		Title: picture.Printable(s.title), Unit: picture.Printable(l.unit), Second: second, Known: l.known, Zero: l.zero(), Start: l.start, End: l.end,
		First: l.origin, Last: l.last, View: opt.View, Colour: opt.Colour,
		Clusters: []pageCluster{}, Users: []string{},
	}
	for k := range l.bands {
		d.Clusters = append(d.Clusters, pageClusterOf(&l.bands[k]))
	}
	for k := range l.spans {
		d.Spans = append(d.Spans, l.pageSpanOf(&l.spans[k]))
	}
	for k := range l.tariffs {
		d.Tariffs = append(d.Tariffs, l.tariffs[k].onPage())
	}
	d.addJobs(l, opt.Reasons)
	order := make([]int, len(l.blocks))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.blocks[a].start, l.blocks[b].start) })
	for _, k := range order {
		b := &l.blocks[k]
		d.Blocks.Job, d.Blocks.Cluster = append(d.Blocks.Job, b.job), append(d.Blocks.Cluster, b.band)
		d.Blocks.First, d.Blocks.Last = append(d.Blocks.First, b.first), append(d.Blocks.Last, b.last)
		d.Blocks.Start, d.Blocks.End = append(d.Blocks.Start, b.start), append(d.Blocks.End, b.end)
		if l.rows == RowsDevices {
			d.Blocks.Share, d.Blocks.Weight = append(d.Blocks.Share, b.share), append(d.Blocks.Weight, b.weight)
		}
	}
	for _, by := range Colours() {
		look, err := newScheme(l, by, mostClasses)
		if err != nil { // this schedule does not state it
			continue
		}
		scheme := pageScheme{By: by, Names: look.names, Of: look.of}
		scheme.Fills = kit.Each(look.fills, picture.Hex)
		if by == opt.Colour { // the first is shown first
			d.Schemes = slices.Insert(d.Schemes, 0, scheme)
		} else {
			d.Schemes = append(d.Schemes, scheme)
		}
	}
	return d
}

// pageClusterOf is the cluster of a band.
func pageClusterOf(b *band) pageCluster {
	c := pageCluster{ID: picture.Printable(b.id), Processors: b.processors, Exact: b.exact, Devices: b.devices}
	for n := range b.machines {
		m := &b.machines[n]
		made := pageMachine{ID: picture.Printable(m.name), First: m.first, Units: m.units, Rest: m.isRest}
		for r := range m.rows {
			row := &m.rows[r]
			made.Rows = append(made.Rows, pageRow{picture.Printable(row.resource), row.number, row.first, row.units})
		}
		c.Machines, c.Units = append(c.Machines, made), b.units
	}
	return c
}

// pageSpanOf is the span on a page.
func (l *layout) pageSpanOf(s *span) pageSpan {
	made := pageSpan{Cluster: s.band, First: s.first, Last: s.last, Start: s.start, Kind: s.kind, Holder: picture.Printable(s.holder), Number: s.number, Text: l.describeSpan(s)}
	if !math.IsInf(s.end, 1) {
		made.End = &s.end
	}
	return made
}

// addJobs adds the jobs.
func (d *pageData) addJobs(l *layout, reasons map[string]string) {
	users := map[string]int{}
	d.Jobs.After = l.predecessors()
	for k := range l.jobs {
		j := &l.jobs[k]
		d.Jobs.ID = append(d.Jobs.ID, picture.Printable(j.id))
		d.Jobs.Start, d.Jobs.End = append(d.Jobs.Start, j.start), append(d.Jobs.End, j.end)
		var deadline *float64
		if !math.IsInf(j.deadline, 1) {
			deadline = &j.deadline
		}
		d.Jobs.Deadline = append(d.Jobs.Deadline, deadline)
		user := -1
		if j.user != "" {
			at, known := users[j.user]
			if !known {
				at = len(d.Users)
				users[j.user] = at
				d.Users = append(d.Users, picture.Printable(j.user))
			}
			user = at
		}
		d.Jobs.User = append(d.Jobs.User, user)
		if l.known {
			d.Jobs.Arrival = append(d.Jobs.Arrival, j.arrival)
		}
		if reasons != nil {
			const most = 2_000 // characters
			d.Jobs.Why = append(d.Jobs.Why, picture.Cleaned(picture.Clip(reasons[j.id], most)))
		}
	}
}

// writePageData writes what the script of a page reads, as JSON whose angle brackets are escaped.
func writePageData(w io.Writer, l *layout, s summary, opt GanttOptions) error {
	data, err := json.Marshal(newPageData(l, s, opt))
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// writePage writes the interactive page. The data stand in it as JSON whose angle brackets are escaped, so that no id can end their element.
func writePage(w io.Writer, l *layout, s summary, unscheduled []model.Unscheduled, opt GanttOptions) error {
	var data bytes.Buffer
	if err := writePageData(&data, l, s, opt); err != nil {
		return err
	}
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	out := bufio.NewWriter(w)
	title := html.EscapeString(picture.Printable(s.title))
	fmt.Fprintf(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	fmt.Fprintf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'\">\n", hash(pageStyle), hash(pageScript))
	fmt.Fprintf(out, "<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n<p>", title, pageStyle, title)
	for k, fact := range s.facts {
		if k > 0 {
			out.WriteString(" · ")
		}
		out.WriteString(html.EscapeString(picture.Printable(fact)))
	}
	out.WriteString("</p>\n</header>\n")
	out.WriteString(pageBody)
	writeUnscheduled(out, unscheduled)
	out.WriteString("<script type=\"application/json\" id=\"data\">")
	out.Write(data.Bytes())
	fmt.Fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", pageScript)
	return out.Flush()
}

// writeUnscheduled lists the jobs that are left out, with the reasons that the solution states.
func writeUnscheduled(out *bufio.Writer, jobs []model.Unscheduled) {
	const most = 1_000
	if len(jobs) == 0 {
		return
	}
	fmt.Fprintf(out, "<details><summary>%s not placed</summary>\n<dl>\n", numtext.CountedGrouped(len(jobs), "job"))
	for _, u := range jobs[:min(len(jobs), most)] {
		fmt.Fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", html.EscapeString(picture.Printable(u.Job)), html.EscapeString(picture.Printable(u.Reason)))
	}
	if len(jobs) > most {
		fmt.Fprintf(out, "<dt>…</dt><dd>and %s more</dd>\n", numtext.Grouped(fmt.Sprint(len(jobs)-most)))
	}
	out.WriteString("</dl></details>\n")
}

// predecessors finds for each job a job that ends on one of its processors at the moment at which it starts, the first by index; -1: there is none.
func (l *layout) predecessors() []int {
	after := make([]int, len(l.jobs))
	for k := range after {
		after[k] = -1
	}
	blocks := l.blocks
	if l.allOnProcessors != nil {
		blocks = l.allOnProcessors
	}
	starts := map[float64][]int{} // blocks by start
	for k := range blocks {
		b := &blocks[k]
		j := &l.jobs[b.job]
		if b.start == j.start && (math.IsNaN(j.arrival) || j.wait() > 0) { // else it starts then because it arrives then
			starts[b.start] = append(starts[b.start], k)
		}
	}
	for k := range blocks {
		b := &blocks[k]
		for _, n := range starts[b.end] {
			next := &blocks[n]
			if next.job == b.job || next.band != b.band || next.first > b.last || next.last < b.first {
				continue
			}
			if best := &after[next.job]; *best < 0 || b.job < *best {
				*best = b.job
			}
		}
	}
	return after
}
