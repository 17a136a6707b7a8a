package shown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Only where deadlines are hard may schedules differ in the jobs that they finish.
func TestMetricsOfDeadlines(t *testing.T) {
	for _, hard := range []bool{false, true} {
		in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
			Jobs: []model.JobSpec{{ID: "j", Work: new(1.0), Deadline: new(5.0), DeadlineHard: hard}}})
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, m := range Metrics(in) {
			names += " " + m.Name
		}
		if !strings.Contains(names, " missed") || strings.Contains(names, " work_done") != hard {
			t.Errorf("hard %v:%s", hard, names)
		}
	}
}

// What the papers on line measure is shown where it says something.
func TestMetricsOfOnlinePapers(t *testing.T) {
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
		for _, m := range Metrics(in) {
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
func TestMetricsByCluster(t *testing.T) {
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
		for _, m := range ClusterMetrics(in) {
			found = append(found, m.Name)
			if !m.PerCluster {
				t.Errorf("%s has one value", m.Name)
			}
		}
		if got := strings.Join(found, " "); got != c.byCluster {
			t.Errorf("%s: shown by cluster are %q, expected %q", name, got, c.byCluster)
		}
		if cp := slices.ContainsFunc(Metrics(in), func(m model.Metric) bool { return m.Name == "mcp" }); cp != c.cp {
			t.Errorf("%s: mcp is shown: %v", name, cp)
		}
	}
}
