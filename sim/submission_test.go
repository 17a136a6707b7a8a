package sim_test

import (
	"maps"
	"testing"
	"time"
	_ "time/tzdata" // zones are known everywhere

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// The resources of a partition are those of its machines; those of one that the instance does not state are of all machines.
func TestPartitionTRES(t *testing.T) {
	b := model.NewBuilder("partitions")
	memory := 100.0
	b.Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{
		{ID: "cn", Count: 3, Processors: 4, Memory: &memory}, {ID: "gn", Count: 2, Processors: 8, Memory: &memory, Resources: map[string]float64{"gpu": 2}, Features: []string{"fast"}},
	}}, model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m", Count: 5, Processors: 2}}})
	b.Job(model.JobSpec{ID: "j", Work: new(50.0), Processors: model.Rigid(1)})
	b.Spec().Partitions = []model.PartitionSpec{{ID: "all"}, {ID: "a", Clusters: []string{"a"}}, {ID: "fast", Clusters: []string{"a"}, Feature: "fast"}}
	whole := map[string]float64{"node": 10, "cpu": 38, "mem": 500, "gres/gpu": 4}
	asks(t, b, func(p *sim.Platform, _ []*sim.Job) {
		for name, want := range map[string]map[string]float64{
			"all": whole, "unknown": whole, "a": {"node": 5, "cpu": 28, "mem": 500, "gres/gpu": 4}, "fast": {"node": 2, "cpu": 16, "mem": 200, "gres/gpu": 4},
		} {
			if got := p.PartitionTRES(name); !maps.Equal(got, want) {
				t.Errorf("%s: got %v, expected %v", name, got, want)
			}
		}
	})
}

// Dates are those of the zone that the instance names, and of UTC where it names none that is known.
func TestClock(t *testing.T) {
	for zone, want := range map[string]string{"": "1970-01-02T00:00:30Z", "Asia/Tokyo": "1970-01-02T09:00:30+09:00", model.UnstatedZone: "1970-01-02T00:00:30Z", "No/Such": "1970-01-02T00:00:30Z"} {
		b := model.NewBuilder("clock").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(model.JobSpec{ID: "j", Work: new(1.0)})
		asks(t, b, func(p *sim.Platform, _ []*sim.Job) {
			if p.Clock() != nil {
				t.Error("the date of time 0 is known")
			}
		})
		b.Spec().TimeZero, b.Spec().TimeZone = new(86_400.0), zone
		asks(t, b, func(p *sim.Platform, _ []*sim.Job) {
			if got := p.Clock()(30.5).Format(time.RFC3339); got != want {
				t.Errorf("%q: %s, expected %s", zone, got, want)
			}
		})
	}
}
