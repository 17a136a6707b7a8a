package tables

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
)

// A table fits the width; the metrics that do not are named below it, and none is without a limit.
func TestTableFitsTheWidth(t *testing.T) {
	rows := []bench.Row{{Solver: "easy", Objective: new(12345.0)}}
	metrics := model.MetricTable()[:8]
	names := []string{}
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	for _, width := range []int{0, 60, 80, 100, 1000} {
		var out bytes.Buffer
		if err := Write(&out, rows, metrics, width); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if longest := text.LongestLineLen(got); width > 0 && longest > width {
			t.Errorf("width %d: a line of %d columns:\n%s", width, longest, got)
		}
		for _, name := range names {
			if !strings.Contains(got, name) {
				t.Errorf("width %d: nothing of %s:\n%s", width, name, got)
			}
		}
		if cut := strings.Contains(got, "left out for the width"); cut != (width == 60 || width == 80 || width == 100) {
			t.Errorf("width %d: left out is %v:\n%s", width, cut, got)
		}
		if strings.Contains(got, " \n") {
			t.Errorf("width %d: blanks at the end of a line", width)
		}
	}
}

// The columns of the CSV are the metrics given.
func TestCSVHasTheMetrics(t *testing.T) {
	makespan, _ := model.MetricNamed("makespan")
	var out bytes.Buffer
	if err := WriteCSV(&out, []bench.Row{{Instance: "a", Solver: "s"}}, []model.Metric{makespan}); err != nil {
		t.Fatal(err)
	}
	if header, _, _ := strings.Cut(out.String(), "\n"); header != "instance,solver,seed,status,stop,objective,bound,gap_percent,elapsed_s,evaluations,fault,makespan" {
		t.Errorf("header %s", header)
	}
}

// A table as wide as the terminal loses no metric.
func TestTableOfTheVeryWidth(t *testing.T) {
	rows, metrics := []bench.Row{{Solver: "easy", Objective: new(1.0)}}, model.MetricTable()[:4]
	full := text.LongestLineLen(render(rows, metrics, 0))
	for _, width := range []int{full, full - 1} {
		var out bytes.Buffer
		if err := Write(&out, rows, metrics, width); err != nil {
			t.Fatal(err)
		}
		if cut := strings.Contains(out.String(), "left out for the width"); cut != (width < full) {
			t.Errorf("width %d of %d: left out is %v", width, full, cut)
		}
	}
}

// The star is at the least value, or the greatest of a metric that is better when high; where all agree there is none.
func TestStarsMarkTheBest(t *testing.T) {
	var metrics []model.Metric
	for _, name := range []string{"mean_wait", "utilisation", "missed"} {
		m, _ := model.MetricNamed(name)
		metrics = append(metrics, m)
	}
	row := func(solver string, wait, utilisation float64) bench.Row {
		return bench.Row{Solver: solver, Objective: new(wait), Metrics: model.Metrics{"mean_wait": {Total: wait}, "utilisation": {Total: utilisation}, "missed": {Total: 3}}}
	}
	rows := []bench.Row{row("a", 10, 70), row("b", 20, 80)}
	got := render(rows, metrics, 0)
	for _, want := range []string{"10*", "80*"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s:\n%s", want, got)
		}
	}
	if strings.Count(got, "*") != 3 { // of the objective, the wait and the utilisation
		t.Errorf("expected 3 stars:\n%s", got)
	}
}

// A schedule that leaves out jobs that others place has no star, however good its figures, and a line says who leaves out how many.
func TestStarsAmongThoseThatOweLeast(t *testing.T) {
	m, _ := model.MetricNamed("makespan")
	row := func(solver string, value float64, left, may int) bench.Row {
		return bench.Row{Solver: solver, Objective: new(value), Left: left, MayLeave: may, Metrics: model.Metrics{"makespan": {Total: value}}}
	}
	for name, c := range map[string]struct {
		rows  []bench.Row
		stars []string
		note  string
	}{
		"one owes":           {[]bench.Row{row("a", 5, 0, 0), row("b", 7, 0, 0), row("c", 2, 1, 0)}, []string{"5*"}, "c 1"},
		"the same value":     {[]bench.Row{row("a", 5, 0, 0), row("b", 7, 0, 0), row("c", 5, 2, 0)}, []string{"5*"}, "c 2"},
		"need not be placed": {[]bench.Row{row("a", 5, 0, 0), row("b", 7, 0, 0), row("c", 2, 1, 1)}, []string{"2*"}, ""},
		"all owe":            {[]bench.Row{row("a", 5, 1, 0), row("b", 7, 1, 0)}, []string{"5*"}, "a 1, b 1"},
		"one is left":        {[]bench.Row{row("a", 5, 0, 0), row("b", 2, 1, 0)}, nil, "b 1"},
	} {
		var text strings.Builder
		if err := Write(&text, c.rows, []model.Metric{m}, 0); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(text.String(), "*"); got != 2*len(c.stars) { // of the objective and of the metric
			t.Errorf("%s: %d stars:\n%s", name, got, &text)
		}
		for _, star := range c.stars {
			if !strings.Contains(text.String(), star) {
				t.Errorf("%s: no %s:\n%s", name, star, &text)
			}
		}
		if strings.Contains(text.String(), "left out though owed") != (c.note != "") || !strings.Contains(text.String(), c.note+"\n") {
			t.Errorf("%s: expected %q:\n%s", name, c.note, &text)
		}
	}
}

// A metric of the clusters has a row a solver with a column a cluster in text, a column a cluster in CSV; those that only describe a schedule have
// no star, and a row of another instance has no value.
func TestColumnsOfClusters(t *testing.T) {
	share, _ := model.MetricNamed("load_share")
	rate, _ := model.MetricNamed("cluster_miss_rate")
	row := func(solver string, shares, rates map[string]float64) bench.Row {
		return bench.Row{Instance: "i", Solver: solver, Metrics: model.Metrics{"load_share": {ByCluster: shares}, "cluster_miss_rate": {ByCluster: rates}}}
	}
	rows := []bench.Row{
		row("x", map[string]float64{"a": 70, "b": 30}, map[string]float64{"a": 10, "b": 0}),
		row("y", map[string]float64{"a": 60, "b": 40}, map[string]float64{"a": 5, "b": 20}),
	}
	metrics := []model.Metric{share, rate}
	got := renderClusters(rows, metrics, []string{"a", "b"}, 0)
	for _, want := range []string{"by cluster        │ solver │   a │   b │", "load_share        │ x      │ 70  │ 30  │", "5*", "0*"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q:\n%s", want, got)
		}
	}
	if strings.Count(got, "*") != 2 { // of the two miss rates
		t.Errorf("expected 2 stars:\n%s", got)
	}
	var out bytes.Buffer
	if err := WriteCSV(&out, append(rows, row("z", map[string]float64{"c": 100}, nil)), []model.Metric{share}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for k, want := range []string{",load_share[a],load_share[b],load_share[c]", ",70,30,", ",60,40,", ",,,100"} {
		if !strings.HasSuffix(lines[k], want) {
			t.Errorf("line %d is %q, expected it to end in %q", k, lines[k], want)
		}
	}
}

// A table by cluster leaves out the last clusters that do not fit the width, and no row that has a schedule.
func TestClusterTableFitsTheWidth(t *testing.T) {
	share, _ := model.MetricNamed("load_share")
	row := bench.Row{Solver: "easy", Metrics: model.Metrics{"load_share": {ByCluster: map[string]float64{"a": 1, "b": 2, "c": 97}}}}
	clusters := []string{"a", "b", "c", "d"}
	full := text.LongestLineLen(renderClusters([]bench.Row{row}, []model.Metric{share}, clusters, 0))
	for _, width := range []int{0, full, full - 1, 40} {
		var out bytes.Buffer
		if err := WriteClusters(&out, []bench.Row{row, {Solver: "failed"}}, []model.Metric{share}, clusters, width); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if cut := strings.Contains(got, "clusters left out for the width: "); cut != (width > 0 && width < full) {
			t.Errorf("width %d of %d: left out is %v:\n%s", width, full, cut, got)
		}
		if !strings.Contains(got, "│ load_share │ easy ") || strings.Contains(got, "failed") || width != 40 && strings.Contains(got, "│ –") != (width != full-1) {
			t.Errorf("width %d:\n%s", width, got)
		}
		if longest := text.LongestLineLen(strings.Split(got, "clusters left")[0]); width > 0 && longest > width {
			t.Errorf("width %d: a line of %d columns", width, longest)
		}
	}
}

// A solver that left a cluster unused is not the best there: its 0 is of no job.
func TestClusterTableStarsNoUnusedCluster(t *testing.T) {
	row := func(slowdown, missed, jobs float64) bench.Row {
		on := func(x float64) model.MetricValue {
			return model.MetricValue{ByCluster: map[string]float64{"a": x}}
		}
		return bench.Row{Metrics: model.Metrics{"cluster_slowdown_without_deadline": on(slowdown), "cluster_miss_rate": on(missed), "job_share": on(jobs), "workload_share": on(jobs)}}
	}
	rows := []bench.Row{row(0, 0, 0), row(2, 50, 40), row(3, 25, 60), row(0, 30, 10)} // the last ran only jobs with deadlines there
	for name, want := range map[string]string{"cluster_slowdown_without_deadline": "2*", "cluster_miss_rate": "25*"} {
		m, _ := model.MetricNamed(name)
		got := renderClusters(rows, []model.Metric{m}, []string{"a"}, 0)
		if strings.Count(got, "*") != 1 || !strings.Contains(got, want) {
			t.Errorf("%s: expected one star, at %s:\n%s", name, want, got)
		}
	}
}

// A run that had to decide on line says so; what that means stands below where other runs stand beside it.
func TestTableLabelsOnlineRuns(t *testing.T) {
	row := func(solver string, online bool) bench.Row {
		return bench.Row{Solver: solver, Online: &online, Objective: new(1.0), Solution: new(model.Solution)}
	}
	for _, c := range []struct {
		rows []bench.Row
		note bool
	}{{[]bench.Row{row("a", true), row("b", true)}, false}, {[]bench.Row{row("a", true), row("b", false)}, true}, {[]bench.Row{row("b", false)}, false}} {
		var out bytes.Buffer
		if err := Write(&out, c.rows, nil, 0); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if strings.Contains(got, "on line: learns of a job at its arrival") != c.note || strings.Contains(got, "│ a (on line) │") != *c.rows[0].Online || strings.Contains(got, "b (on line)") != (len(c.rows) == 2 && *c.rows[1].Online) {
			t.Errorf("%s", got)
		}
	}
	failed := row("c", false)
	failed.Solution, failed.Fault = nil, "unsupported"
	if note := onlineNote([]bench.Row{row("a", true), failed}); note != "" {
		t.Errorf("note %q, though the other has no schedule", note)
	}
}

// On-line policies and solvers that know the future have stars of their own, and stand apart.
func TestTableRanksKindsApart(t *testing.T) {
	metric, _ := model.MetricNamed("makespan")
	byCluster, _ := model.MetricNamed("cluster_miss_rate") // less is better, as of the makespan
	row := func(solver string, online bool, x float64) bench.Row {
		return bench.Row{Solver: solver, Online: &online, Objective: &x, Solution: new(model.Solution),
			Metrics: model.Metrics{"makespan": {Total: x}, "cluster_miss_rate": {ByCluster: map[string]float64{"a": x}}}}
	}
	rows := []bench.Row{row("p", true, 9), row("s", false, 3), row("q", true, 7), row("t", false, 5)}
	got := render(rows, []model.Metric{metric}, 0)
	if strings.Count(got, "7*") != 2 || strings.Count(got, "3*") != 2 || strings.Count(got, "*") != 4 {
		t.Errorf("expected the stars at 7 and 3:\n%s", got)
	}
	if first := strings.Index(got, "q (on line)"); first < 0 || first > strings.Index(got, "│ s ") || strings.Count(got, "├") != 2 {
		t.Errorf("expected p and q before s and t, and a line between them:\n%s", got)
	}
	if got := renderClusters(rows, []model.Metric{byCluster}, []string{"a"}, 0); strings.Count(got, "7*") != 1 || strings.Count(got, "3*") != 1 || strings.Count(got, "*") != 2 {
		t.Errorf("by cluster:\n%s", got)
	}
}
