package solvetest

import (
	"fmt"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
)

// oddCases lists instances at the limits of the model.
func oddCases() []recipe {
	one := func(job model.JobSpec) *model.Builder {
		return model.NewBuilder("odd").Cluster(solvecases.Machines("c0", 2, 1), solvecases.Machines("c1", 4, 2)).Job(job)
	}
	equal := model.NewBuilder("equal").Cluster(solvecases.Machines("c0", 2, 1), solvecases.Machines("c1", 2, 1))
	extremes := model.NewBuilder("extremes").Cluster(solvecases.Machines("c0", 4, 1e9), solvecases.Machines("c1", 4, 1e-9))
	for j := range 20 {
		equal.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0)})
		work := 1e-9
		if j%2 == 0 {
			work = 1e12
		}
		extremes.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: &work, Processors: model.Rigid(1 + j%3), Deadline: new(1e6)})
	}
	licensed := model.NewBuilder("licensed").Cluster(solvecases.Machines("c0", 4, 1)).Job(
		model.JobSpec{ID: "a", Work: new(3.0), Licences: map[string]int{"l": 1}}, model.JobSpec{ID: "b", Work: new(3.0), Licences: map[string]int{"l": 1}},
		model.JobSpec{ID: "never", Work: new(3.0), Licences: map[string]int{"l": 2}})
	licensed.Spec().Licences = map[string]int{"l": 1}
	whole := model.NewBuilder("whole machines").Cluster(model.ClusterSpec{ID: "c", Allocation: "machine", Machines: []model.MachineSpec{{ID: "a", Count: 2, Processors: 8}, {ID: "b", Processors: 2, Speed: 3}}}).
		Job(model.JobSpec{ID: "a", Work: new(8.0)}, model.JobSpec{ID: "b", Work: new(6.0)}, model.JobSpec{ID: "c", Work: new(1.0)})
	return []recipe{
		{"odd/no jobs", model.NewBuilder("none").Cluster(solvecases.Machines("c0", 2, 1)), nil},
		{"odd/one job", one(model.JobSpec{ID: "a", Work: new(5.0)}), solvecases.BestList},
		{"odd/wider than everything", one(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Rigid(9)}).Job(model.JobSpec{ID: "b", Work: new(1.0)}), nil},
		{"odd/zero work", one(model.JobSpec{ID: "a", Work: new(0.0)}).Job(model.JobSpec{ID: "b", Work: new(0.0), Processors: model.Rigid(2)}), solvecases.BestList},
		{"odd/deadline before arrival", one(model.JobSpec{ID: "a", Work: new(5.0), Arrival: 10, Deadline: new(3.0)}), solvecases.BestList},
		{"odd/hard deadline before arrival", one(model.JobSpec{ID: "a", Work: new(5.0), Arrival: 10, Deadline: new(3.0), DeadlineHard: true}), nil},
		{"odd/one cluster eligible", one(model.JobSpec{ID: "a", Runtime: map[string]float64{"c1": 4}}), solvecases.BestList},
		{"odd/a chain", one(model.JobSpec{ID: "a", Work: new(5.0), After: []string{"b"}}).Job(model.JobSpec{ID: "b", Work: new(1.0)}), solvecases.BestList},
		{"odd/waits for one that fits nowhere", one(model.JobSpec{ID: "a", Work: new(5.0), After: []string{"b"}}).Job(model.JobSpec{ID: "b", Work: new(1.0), Processors: model.Rigid(9)}), nil},
		{"odd/moldable", one(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Moldable(1, 4)}), nil},
		{"odd/over the grid", one(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Rigid(6), Span: "grid"}), nil},
		{"odd/equal everything", equal, nil},
		{"odd/1e-9 and 1e12", extremes, nil},
		{"odd/licences", licensed, nil},
		{"odd/whole machines", whole, solvecases.BestList},
		{"odd/unix time", one(model.JobSpec{ID: "a", Work: new(5.0), Arrival: 1535348017}).Job(model.JobSpec{ID: "b", Work: new(0.1), Arrival: 1535348018}), solvecases.BestList},
	}
}
