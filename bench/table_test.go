package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/model"
)

// A table fits the width; the metrics that do not are named below it, and none is without a limit.
func TestTableFitsTheWidth(t *testing.T) {
	rows := []Row{{Solver: "easy", Objective: new(12345.0)}}
	metrics := model.MetricTable()[:8]
	names := []string{}
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	for _, width := range []int{0, 60, 80, 100, 1000} {
		var out bytes.Buffer
		if err := WriteTable(&out, rows, metrics, width); err != nil {
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
	if err := WriteCSV(&out, []Row{{Instance: "a", Solver: "s"}}, []model.Metric{makespan}); err != nil {
		t.Fatal(err)
	}
	if header, _, _ := strings.Cut(out.String(), "\n"); header != "instance,solver,seed,status,stop,objective,bound,gap_percent,elapsed_s,evaluations,fault,makespan" {
		t.Errorf("header %s", header)
	}
}

// What is optimal is so for the objective; the row and the instance say it alike.
func TestStatusSaysForWhat(t *testing.T) {
	for _, c := range []struct {
		objective map[string]float64
		want      string
	}{
		{map[string]float64{"makespan": 1}, "optimal for makespan"},
		{map[string]float64{"mean_wait": 2.5e7}, "optimal for mean_wait"},
		{map[string]float64{"makespan": 1, "mean_wait": 2}, "optimal for the weighted objective"},
		{map[string]float64{"makespan": 1, "mean_wait": 0}, "optimal for makespan"},
		{map[string]float64{"makespan": 0}, "optimal for the instance's objective"},
		{map[string]float64{"utilisation": 3}, "optimal for utilisation"},
		{map[string]float64{"utilisation": -1}, "optimal for low utilisation"},
		{map[string]float64{"mean_partition": 1}, "optimal for low mean_partition"},
		{map[string]float64{"mean_partition": -1}, "optimal for high mean_partition"},
		{map[string]float64{"makespan": -1}, "optimal for high makespan"},
	} {
		in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Objective: c.objective,
			Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		row := Row{Status: model.Optimal, Minimised: ObjectiveName(in)}
		if got, stated := row.StatusText(), model.OptimalFor(in.StatedObjective()); got != c.want || stated != c.want {
			t.Errorf("%v: %q and %q", c.objective, got, stated)
		}
		if row.Status = model.Feasible; row.StatusText() != "feasible" {
			t.Errorf("%q", row.StatusText())
		}
	}
	if row := (Row{Status: model.Optimal}); row.StatusText() != "optimal for the instance's objective" {
		t.Errorf("%q", row.StatusText())
	}
}

// A table as wide as the terminal loses no metric.
func TestTableOfTheVeryWidth(t *testing.T) {
	rows, metrics := []Row{{Solver: "easy", Objective: new(1.0)}}, model.MetricTable()[:4]
	full := text.LongestLineLen(renderTable(rows, metrics))
	for _, width := range []int{full, full - 1} {
		var out bytes.Buffer
		if err := WriteTable(&out, rows, metrics, width); err != nil {
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
	row := func(solver string, wait, utilisation float64) Row {
		return Row{Solver: solver, Objective: new(wait), Metrics: model.Metrics{"mean_wait": {Total: wait}, "utilisation": {Total: utilisation}, "missed": {Total: 3}}}
	}
	rows := []Row{row("a", 10, 70), row("b", 20, 80)}
	got := renderTable(rows, metrics)
	for _, want := range []string{"10*", "80*"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s:\n%s", want, got)
		}
	}
	if strings.Count(got, "*") != 3 { // of the objective, the wait and the utilisation
		t.Errorf("expected 3 stars:\n%s", got)
	}
}

// Only where deadlines are hard may schedules differ in the jobs that they finish.
func TestShownMetricsOfDeadlines(t *testing.T) {
	for _, hard := range []bool{false, true} {
		in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
			Jobs: []model.JobSpec{{ID: "j", Work: new(1.0), Deadline: new(5.0), DeadlineHard: hard}}})
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, m := range ShownMetrics(in) {
			names += " " + m.Name
		}
		if !strings.Contains(names, " missed") || strings.Contains(names, " work_done") != hard {
			t.Errorf("hard %v:%s", hard, names)
		}
	}
}

// A metric of the clusters has a row a solver with a column a cluster in text, a column a cluster in CSV; those that only describe a schedule have
// no star, and a row of another instance has no value.
func TestColumnsOfClusters(t *testing.T) {
	share, _ := model.MetricNamed("load_share")
	rate, _ := model.MetricNamed("cluster_miss_rate")
	row := func(solver string, shares, rates map[string]float64) Row {
		return Row{Instance: "i", Solver: solver, Metrics: model.Metrics{"load_share": {ByCluster: shares}, "cluster_miss_rate": {ByCluster: rates}}}
	}
	rows := []Row{
		row("x", map[string]float64{"a": 70, "b": 30}, map[string]float64{"a": 10, "b": 0}),
		row("y", map[string]float64{"a": 60, "b": 40}, map[string]float64{"a": 5, "b": 20}),
	}
	metrics := []model.Metric{share, rate}
	got := renderClusterTable(rows, metrics, []string{"a", "b"})
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

// What the papers on line measure is shown where it says something.
func TestShownMetricsOfOnlinePapers(t *testing.T) {
	spec := func(jobs ...model.JobSpec) model.InstanceSpec {
		for k := range jobs {
			jobs[k].ID, jobs[k].Work = string(rune('a'+k)), new(1.0)
		}
		return model.InstanceSpec{Schema: model.InstanceSchema, Licences: map[string]int{"few": 2}, Jobs: jobs,
			Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Licences: []string{"few", "any"}}}}}}
	}
	due := model.JobSpec{Deadline: new(5.0)}
	for _, c := range []struct {
		name string
		jobs []model.JobSpec
		want []string
	}{
		{"nothing", []model.JobSpec{{}}, nil},
		{"deadlines for all", []model.JobSpec{due}, nil},
		{"deadlines for some", []model.JobSpec{due, {}}, []string{"slowdown_without_deadline"}},
		{"few copies", []model.JobSpec{{Licences: map[string]int{"few": 1}}}, []string{"licence_usage"}},
		{"any number of copies", []model.JobSpec{{Licences: map[string]int{"any": 1}}}, nil},
		{"moldable", []model.JobSpec{{Processors: model.ProcessorRange{Min: 1, Max: 2}}}, []string{"mean_partition"}},
	} {
		in, err := model.New(spec(c.jobs...))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, m := range ShownMetrics(in) {
			if slices.Contains([]string{"slowdown_without_deadline", "licence_usage", "mean_partition"}, m.Name) {
				found = append(found, m.Name)
			}
		}
		if !slices.Equal(found, c.want) {
			t.Errorf("%s: shown are %v, expected %v", c.name, found, c.want)
		}
	}
}

// Figures by cluster are shown of clusters of machines that jobs must each stay on one of, and of few clusters; there cp says nothing, nor does it of
// jobs that spread over clusters.
func TestShownMetricsByCluster(t *testing.T) {
	spec := func(clusters int, jobs ...model.JobSpec) model.InstanceSpec {
		s := model.InstanceSpec{Schema: model.InstanceSchema, Jobs: jobs}
		for k := range jobs {
			jobs[k].ID, jobs[k].Work = fmt.Sprint(k), new(1.0)
		}
		for k := range clusters {
			s.Clusters = append(s.Clusters, model.ClusterSpec{ID: fmt.Sprint(k), Licences: map[string]int{"l": 1}, Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2}}})
		}
		return s
	}
	bound := model.JobSpec{Processors: model.Rigid(2), Span: "machine"}
	due, needs, spread := bound, bound, model.JobSpec{Processors: model.Moldable(1, 5), Span: "grid"}
	due.Deadline, needs.Licences = new(5.0), map[string]int{"l": 1}
	const grid = "cluster_processor_usage load_share"
	for name, c := range map[string]struct {
		spec      model.InstanceSpec
		byCluster string
		cp        bool
	}{
		"jobs of one cluster":        {spec(3, model.JobSpec{Processors: model.Rigid(2)}), "", true},
		"jobs of one machine":        {spec(3, bound), grid, false},
		"the only cluster":           {spec(1, bound), "", false},
		"some with deadlines":        {spec(2, due, bound), "cluster_slowdown_without_deadline cluster_miss_rate " + grid, false},
		"all with deadlines":         {spec(2, due), "cluster_miss_rate " + grid, false},
		"licences":                   {spec(2, needs), "cluster_processor_usage cluster_licence_usage load_share", false},
		"twelve clusters":            {spec(12, bound), grid, false},
		"more clusters":              {spec(13, bound), "", false},
		"jobs that spread over them": {spec(3, spread), "", false},
	} {
		in, err := model.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, m := range ShownClusterMetrics(in) {
			found = append(found, m.Name)
			if !m.PerCluster {
				t.Errorf("%s has one value", m.Name)
			}
		}
		if got := strings.Join(found, " "); got != c.byCluster {
			t.Errorf("%s: shown by cluster are %q, expected %q", name, got, c.byCluster)
		}
		if cp := slices.ContainsFunc(ShownMetrics(in), func(m model.Metric) bool { return m.Name == "mcp" }); cp != c.cp {
			t.Errorf("%s: mcp is shown: %v", name, cp)
		}
	}
}

// A table by cluster leaves out the last clusters that do not fit the width, and no row that has a schedule.
func TestClusterTableFitsTheWidth(t *testing.T) {
	share, _ := model.MetricNamed("load_share")
	row := Row{Solver: "easy", Metrics: model.Metrics{"load_share": {ByCluster: map[string]float64{"a": 1, "b": 2, "c": 97}}}}
	clusters := []string{"a", "b", "c", "d"}
	full := text.LongestLineLen(renderClusterTable([]Row{row}, []model.Metric{share}, clusters))
	for _, width := range []int{0, full, full - 1, 40} {
		var out bytes.Buffer
		if err := WriteClusterTable(&out, []Row{row, {Solver: "failed"}}, []model.Metric{share}, clusters, width); err != nil {
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
	row := func(slowdown, missed, jobs float64) Row {
		on := func(x float64) model.MetricValue {
			return model.MetricValue{ByCluster: map[string]float64{"a": x}}
		}
		return Row{Metrics: model.Metrics{"cluster_slowdown_without_deadline": on(slowdown), "cluster_miss_rate": on(missed), "job_share": on(jobs), "workload_share": on(jobs)}}
	}
	rows := []Row{row(0, 0, 0), row(2, 50, 40), row(3, 25, 60), row(0, 30, 10)} // the last ran only jobs with deadlines there
	for name, want := range map[string]string{"cluster_slowdown_without_deadline": "2*", "cluster_miss_rate": "25*"} {
		m, _ := model.MetricNamed(name)
		got := renderClusterTable(rows, []model.Metric{m}, []string{"a"})
		if strings.Count(got, "*") != 1 || !strings.Contains(got, want) {
			t.Errorf("%s: expected one star, at %s:\n%s", name, want, got)
		}
	}
}

// A run that had to decide on line says so; what that means stands below where other runs stand beside it.
func TestTableLabelsOnlineRuns(t *testing.T) {
	row := func(solver string, online bool) Row {
		return Row{Solver: solver, Online: &online, Objective: new(1.0), Solution: new(model.Solution)}
	}
	for _, c := range []struct {
		rows []Row
		note bool
	}{{[]Row{row("a", true), row("b", true)}, false}, {[]Row{row("a", true), row("b", false)}, true}, {[]Row{row("b", false)}, false}} {
		var out bytes.Buffer
		if err := WriteTable(&out, c.rows, nil, 0); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if strings.Contains(got, "on line: learns of a job at its arrival") != c.note || strings.Contains(got, "│ a (on line) │") != *c.rows[0].Online || strings.Contains(got, "b (on line)") != (len(c.rows) == 2 && *c.rows[1].Online) {
			t.Errorf("%s", got)
		}
	}
	failed := row("c", false)
	failed.Solution, failed.Fault = nil, "unsupported"
	if note := onlineNote([]Row{row("a", true), failed}); note != "" {
		t.Errorf("note %q, though the other has no schedule", note)
	}
}

// On-line policies and solvers that know the future have stars of their own, and stand apart.
func TestTableRanksKindsApart(t *testing.T) {
	metric, _ := model.MetricNamed("makespan")
	byCluster, _ := model.MetricNamed("cluster_miss_rate") // less is better, as of the makespan
	row := func(solver string, online bool, x float64) Row {
		return Row{Solver: solver, Online: &online, Objective: &x, Solution: new(model.Solution),
			Metrics: model.Metrics{"makespan": {Total: x}, "cluster_miss_rate": {ByCluster: map[string]float64{"a": x}}}}
	}
	rows := []Row{row("p", true, 9), row("s", false, 3), row("q", true, 7), row("t", false, 5)}
	got := renderTable(rows, []model.Metric{metric})
	if strings.Count(got, "7*") != 2 || strings.Count(got, "3*") != 2 || strings.Count(got, "*") != 4 {
		t.Errorf("expected the stars at 7 and 3:\n%s", got)
	}
	if first := strings.Index(got, "q (on line)"); first < 0 || first > strings.Index(got, "│ s ") || strings.Count(got, "├") != 2 {
		t.Errorf("expected p and q before s and t, and a line between them:\n%s", got)
	}
	if got := renderClusterTable(rows, []model.Metric{byCluster}, []string{"a"}); strings.Count(got, "7*") != 1 || strings.Count(got, "3*") != 1 || strings.Count(got, "*") != 2 {
		t.Errorf("by cluster:\n%s", got)
	}
}
