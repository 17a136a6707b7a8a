package report_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

type buffer = bytes.Buffer

// TestSameBytes: the page depends on the rows, not on their order.
func TestSameBytes(t *testing.T) {
	runs := ordinary()
	first := write(t, runs, report.Options{})
	random := rand.New(rand.NewPCG(3, 4))
	random.Shuffle(len(runs[0].Rows), func(i, j int) {
		rows := runs[0].Rows
		rows[i], rows[j] = rows[j], rows[i]
	})
	if !bytes.Equal(first, write(t, runs, report.Options{})) {
		t.Error("another order of rows gives another page")
	}
}

// TestNamesAreText: whatever a name holds, it is text wherever it stands.
func TestNamesAreText(t *testing.T) {
	rows := sample{groups: 2, instances: 3, solvers: 4, seeds: 2, trace: true, names: []string{hostile, "b" + hostile}}.rows()
	best := known(5)
	for k := range rows {
		row := &rows[k]
		row.Instance += hostile
		row.Group += hostile
		row.Version, row.Minimised = hostile, hostile
		row.Parameters = map[string]string{hostile: fmt.Sprint(hostile, k%2)}
		if k%5 == 0 {
			row.Fault, row.Objective = hostile, nil
		}
		if k%7 == 0 {
			row.InstanceSHA256, row.Minimised = best.Instance.SHA256(), "makespan"
		}
	}
	best.Solution.Solver = hostile
	page := string(write(t, []report.Run{{Name: hostile, Rows: rows, Best: []report.Known{best}, File: &bench.RunFile{
		Suite: bench.Suite{Name: hostile, Doc: hostile}, Skipped: []bench.Skipped{{Solver: hostile, Reason: hostile}},
	}}}, report.Options{}))
	for _, c := range []struct {
		text  string
		count int
	}{{"<img", 0}, {"<script", 1}, {"</script", 1}, {"<svg", strings.Count(page, "</svg>")}} {
		if got := strings.Count(page, c.text); got != c.count {
			t.Errorf("%q is there %d times, expected %d", c.text, got, c.count)
		}
	}
	if !strings.Contains(page, "<details class=\"chart\">") {
		t.Error("the chart with hostile names is missing")
	}
	if match := regexp.MustCompile(`(src|href|action)\s*=\s*["']?[^#"'\s]`).FindString(strings.ReplaceAll(page, "src=x onerror", "")); match != "" {
		t.Errorf("the page refers to something outside: %s", match)
	}
}

// TestChartsMayHoldImages: a chart of many jobs holds an image, which the page's policy allows; any other source is not.
func TestChartsMayHoldImages(t *testing.T) {
	race.OneGoroutine(t)
	page := string(write(t, ordinary(), report.Options{}))
	if !strings.Contains(page, `xlink:href="data:image/png;base64,iVBOR`) {
		t.Fatal("no chart holds an image: the test proves nothing")
	}
	if policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page); policy == nil || !strings.Contains(policy[1], "; img-src data:;") || !strings.HasPrefix(policy[1], "default-src &#39;none&#39;;") {
		t.Errorf("the policy is %q", policy)
	}
	// A chart that would be a file of its own by its size is an image as a whole.
	wide := spread(3000, 100, 4)
	row := runOf("a", 1, *wide.Solution.Objective)[0]
	row.InstanceSHA256, row.Minimised = wide.Instance.SHA256(), "makespan"
	page = string(write(t, []report.Run{{Name: "x", Rows: []bench.Row{row}, Best: []report.Known{wide}}}, report.Options{}))
	if !strings.Contains(page, ` href="data:image/png;base64,iVBOR`) || !strings.Contains(page, "as an image, which does not say which block is which job") || len(page) > 1<<20 {
		t.Errorf("the large chart is not an image, or the page of %d bytes is too large", len(page))
	}
}

// TestLargeStaysUsable: 10,000 rows of 30 solvers are a file that a browser shows, with curves that can be told apart.
func TestLargeStaysUsable(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("a page of 9,990 rows")
	}
	rows := sample{groups: 3, instances: 37, solvers: 30, seeds: 3, trace: true}.rows()
	page := string(write(t, []report.Run{run("large", rows)}, report.Options{}))
	const most = 6 << 20
	t.Logf("%d rows, %d bytes", len(rows), len(page))
	if len(rows) < 9900 || len(page) > most {
		t.Errorf("%d rows are %d bytes, expected at most %d", len(rows), len(page), most)
	}
	for _, legend := range regexp.MustCompile(`(?s)<ul class="legend"><li><button.*?</ul>`).FindAllString(page, -1) {
		if n := strings.Count(legend, "<li>"); n != 8 {
			t.Fatalf("%d curves with names, expected 8", n)
		}
	}
	if !strings.Contains(page, "22 solvers of worse mean rank") {
		t.Error("nothing says what the faint curves are")
	}
}

// TestManyGroups: what a hundred groups have no room for is left out, and the page says so.
func TestManyGroups(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("a page of 4,000 rows")
	}
	rows := sample{groups: 100, instances: 2, solvers: 20, seeds: 1, trace: true}.rows()
	page := string(write(t, []report.Run{run("many", rows)}, report.Options{}))
	const most = 16 << 20
	t.Logf("%d rows, %d bytes", len(rows), len(page))
	if len(page) > most {
		t.Errorf("%d bytes, expected at most %d", len(page), most)
	}
	if !strings.Contains(page, "no room for the pairs") || !strings.Contains(page, `id="g100-solvers"`) {
		t.Error("nothing says what is left out, or the last group is missing")
	}
}

// TestAnyRows: whatever the rows hold, there is a page and its pictures have numbers.
func TestAnyRows(t *testing.T) {
	figure := rapid.OneOf(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 1, 1e-320, math.MaxFloat64}))
	rapid.Check(t, func(t *rapid.T) {
		var rows []bench.Row
		for range rapid.IntRange(1, 30).Draw(t, "rows") {
			row := bench.Row{
				Group: rapid.SampledFrom([]string{"", "g"}).Draw(t, "group"), Instance: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "instance"),
				Solver: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "solver"), Elapsed: figure.Draw(t, "s"), Left: rapid.IntRange(-1, 2).Draw(t, "left"),
				Seed: rapid.Uint64().Draw(t, "seed"), Evaluations: rapid.Int64().Draw(t, "evaluations"), TimeLimit: figure.Draw(t, "limit"),
			}
			row.InstanceSHA256 = row.Instance
			row.Online = rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "online")
			if rapid.IntRange(0, 4).Draw(t, "has") > 0 {
				row.Objective = new(figure.Draw(t, "objective"))
			}
			if rapid.Bool().Draw(t, "bounded") {
				row.Bound = model.ProvedBound(figure.Draw(t, "bound"))
			}
			for range rapid.IntRange(0, 3).Draw(t, "trace") {
				row.Incumbents = append(row.Incumbents, model.Incumbent{Elapsed: figure.Draw(t, "at"), Objective: figure.Draw(t, "found")})
			}
			rows = append(rows, row)
		}
		var b bytes.Buffer
		if err := report.Write(&b, []report.Run{run("any", rows)}, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(`.*? (d|x|y|viewBox)="[^"]*(NaN|Inf)[^"]*".*`).Find(b.Bytes()); bad != nil {
			t.Fatalf("%s", bad)
		}
		pictures, err := report.Pictures([]report.Run{run("any", rows)}, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pictures {
			b.Reset()
			if err := p.Write(&b, picture.SVG); err != nil || bytes.Contains(b.Bytes(), []byte("NaN")) || bytes.Contains(b.Bytes(), []byte("Inf")) {
				t.Fatalf("%s: %v", p.Name, err)
			}
		}
		for _, format := range report.TableFormats() {
			if err := report.WriteTable(io.Discard, []report.Run{run("any", rows)}, format); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// tags is what stands between < and >.
var tags = regexp.MustCompile(`<[^>]*>`)

// verdict is the first sentences of the page.
func verdict(page []byte) string {
	_, rest, _ := strings.Cut(string(page), `<p class="verdict">`)
	text, _, _ := strings.Cut(rest, "</p>")
	return strings.ReplaceAll(tags.ReplaceAllString(text, ""), "\u00a0", " ")
}

// TestVerdict: what the page says first.
func TestVerdict(t *testing.T) {
	low, high := []float64{10, 20, 30, 40, 50, 60, 70, 80}, []float64{11, 21, 33, 47, 52, 66, 73, 89}
	both := slices.Concat(runOf("a", 1, low...), runOf("b", 1, high...))
	three := slices.Concat(both, runOf("c", 1, 9, 22, 29, 42, 49, 61, 69, 81))
	var seeds []bench.Row
	for solver, x := range map[string]float64{"a": 1, "b": 2} {
		for seed := range 5 {
			row := runOf(solver, 1, x)[0]
			row.Seed, row.Key = uint64(seed), fmt.Sprint(solver, seed)
			*row.Objective += float64(seed) / 10
			seeds = append(seeds, row)
		}
	}
	failed := slices.Concat(runOf("a", 1, low...), runOf("b", 1, low...))
	for k := range failed {
		failed[k].Objective, failed[k].Fault = nil, "out of memory"
	}
	for name, c := range map[string]struct {
		rows []bench.Row
		want string
	}{
		"two": {both, "a has the best mean rank, 1 among 2 solvers over 8 instances. It is significantly better than b (Wilcoxon’s signed ranks with Holm’s correction, α = 5 %)."},
		// Rank sums 12, 23 and 13: χ² = 12/96·842 − 96 = 9.25, W = 9.25/16, F = 7·9.25/(16 − 9.25) with 2 and 14 degrees of freedom.
		"three": {three, "a has the best mean rank, 1.5 among 3 solvers over 8 instances. The solvers differ (Friedman’s p = 0.002, concordance 0.58). " +
			"a is significantly better than b; of the others none is shown to be worse (Wilcoxon’s signed ranks with Holm’s correction, α = 5 %)."},
		"few": {slices.Concat(runOf("a", 1, 1, 2), runOf("b", 1, 2, 3)), "a has the best mean rank, 1 among 2 solvers over 2 instances. " +
			"There are too few instances to tell solvers apart: with 2 instances no test could show a difference, however large."},
		// Friedman's F is infinite where two instances agree, yet one of six tables of ranks does.
		"few of three": {slices.Concat(runOf("a", 1, 1, 2), runOf("b", 1, 2, 3), runOf("c", 1, 3, 4)), "a has the best mean rank, 1 among 3 solvers over 2 instances. " +
			"There are too few instances to tell solvers apart: with 2 instances and 3 comparisons no test could show a difference, however large."},
		// Signed ranks of four pairs cannot be significant; Nemenyi's difference is 2.344·√(3·4/(6·4)) = 1.66.
		"ranks": {slices.Concat(runOf("a", 1, 1, 2, 3, 4), runOf("b", 1, 2, 3, 4, 5), runOf("c", 1, 3, 4, 5, 6)), "a has the best mean rank, 1 among 3 solvers over 4 instances. " +
			"The solvers differ (Friedman’s p = 0.005, concordance 1). a is significantly better than c; of the others none is shown to be worse " +
			"(Nemenyi’s critical difference of mean ranks, α = 5 %)."},
		"alike":    {slices.Concat(runOf("a", 1, low...), runOf("b", 1, low...)), "All solvers have the same mean rank over 8 instances. Their results are equal on all instances."},
		"failed":   {failed, "All solvers have the same mean rank over 8 instances. None of them has a schedule of any instance."},
		"seeds":    {seeds, "a has the best mean rank, 1 among 2 solvers on the only instance. It is significantly better than b (Mann and Whitney’s rank sums over the runs, with Holm’s correction, α = 5 %)."},
		"one":      {runOf("a", 1, low...), "There are no two solvers that ran on the same instances, so there is nothing to compare."},
		"no cells": {slices.Concat(runOf("a", 1, 1), func() []bench.Row { r := runOf("b", 1, 1, 2)[1:]; return r }()), "There are no two solvers that ran on the same instances, so there is nothing to compare."},
	} {
		if got := verdict(write(t, []report.Run{run("x", c.rows)}, report.Options{})); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestRunsSideBySide: rows of the same cells in two runs are told apart, those of other cells joined.
func TestRunsSideBySide(t *testing.T) {
	a := runOf("s", 1, 1, 2, 3)
	page := string(write(t, []report.Run{run("old", a), run("new", a)}, report.Options{}))
	for _, name := range []string{"s @ old", "s @ new"} {
		if !strings.Contains(page, name) {
			t.Errorf("no %s", name)
		}
	}
	if page := string(write(t, []report.Run{run("old", a), run("new", runOf("t", 1, 1, 2, 3))}, report.Options{})); strings.Contains(page, "s @") {
		t.Error("runs of different cells are told apart")
	}
}

func TestWriteSaysWhatIsWrong(t *testing.T) {
	if err := report.Write(io.Discard, nil, report.Options{}); err == nil || err.Error() != "report: expected at least one row, found none" {
		t.Error(err)
	}
}
