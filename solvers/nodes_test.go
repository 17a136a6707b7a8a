package solvers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// No solver passes over what a job asks of single machines: it refuses the instance and names the feature.
func TestNodesAreRefusedByName(t *testing.T) {
	for name, change := range map[string]func(*model.InstanceSpec){
		"resources of machines":            func(s *model.InstanceSpec) { s.Jobs[0].Resources = map[string]float64{"cpu": 0.5} },
		"blocks of processors on machines": func(s *model.InstanceSpec) { s.Jobs[0].PerMachine = 1 },
		"features of machines":             func(s *model.InstanceSpec) { s.Jobs[0].Features = [][]string{{"ib"}} },
		"closed times and reservations": func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Closed = []model.ClosedSpec{{From: 1, To: new(2.0)}}
		},
		"exclusive jobs": func(s *model.InstanceSpec) { s.Jobs[0].Exclusive = true },
		"running jobs": func(s *model.InstanceSpec) {
			s.Jobs[0].Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}
		},
	} {
		b := model.NewBuilder("nodes").Minimise("makespan", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Resources: map[string]float64{"cpu": 4}, Features: []string{"ib"}}}})
		b.Job(model.JobSpec{ID: "j", Work: new(1.0)})
		change(b.Spec())
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Features().String(); got != name {
			t.Fatalf("expected %q, found %q", name, got)
		}
		for _, info := range solve.Solvers() {
			if info.Absent != "" {
				continue
			}
			if err := info.New().Supports(in); !errors.Is(err, solve.ErrUnsupported) || !strings.HasSuffix(err.Error(), " "+name) {
				t.Errorf("%s: expected that it refuses %s, found %v", info.Name, name, err)
			}
		}
	}
}
