package whatif_test

import (
	"context"
	"slices"
	"testing"

	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// nodes is an instance of nodes with four GPUs and eight cores each; busy jobs hold whole GPUs of each from 0 to 40, as many as are given for it. A job "asked"
// comes at 1.
func nodes(t *testing.T, busy []int, closed []model.ClosedSpec, asked model.JobSpec) *model.Instance {
	t.Helper()
	b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{
		{ID: "n", Count: len(busy), Processors: 8, Resources: map[string]float64{"gpu": 4, "cpu": 8}, Closed: closed}}})
	b.Spec().Devices = []string{"gpu"}
	for k, gpus := range busy {
		if gpus > 0 { // two cores for each of its GPUs would not let another in
			b.Job(model.JobSpec{ID: "busy" + string(rune('A'+k)), Work: new(40.0), Resources: map[string]float64{"gpu": float64(gpus), "cpu": 5}})
		}
	}
	asked.ID, asked.Arrival = "asked", 1
	if asked.Work == nil {
		asked.Work = new(10.0)
	}
	in, err := b.Job(asked).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Why a job waits on a cluster of nodes: what the nodes lack, one by one.
func TestWhyAJobWaitsOnNodes(t *testing.T) {
	gpus := func(n float64) map[string]float64 { return map[string]float64{"gpu": n} }
	for _, c := range []struct {
		name       string
		busy       []int
		closed     []model.ClosedSpec
		asked      model.JobSpec
		start      float64
		kind, text string
	}{
		{"two nodes, two GPUs busy on each", []int{2, 2}, nil, model.JobSpec{Resources: gpus(4)}, 40,
			"machines", "4 of gpu are free, on 2 machines; it needs 4 on one"},
		{"four free GPUs on three nodes", []int{3, 2, 3}, nil, model.JobSpec{Resources: gpus(4)}, 40,
			"machines", "4 of gpu are free, on 3 machines; it needs 4 on one"},
		{"a gang", []int{1, 2, 0}, nil, model.JobSpec{Processors: model.Rigid(2), Resources: gpus(4), PerMachine: 1}, 40,
			"machines", "9 of gpu are free, on 3 machines; it needs 2 times 4, each on one"},
		{"too few at all", []int{3, 3}, nil, model.JobSpec{Processors: model.Rigid(3), Resources: gpus(1)}, 40,
			"resource", "too little of gpu is free: it needs 3, and the machines that it can use have 2 free"},
		{"shares", []int{4, 3}, nil, model.JobSpec{Processors: model.Rigid(2), Resources: gpus(0.5)}, 40,
			"resource", "a share of 0.5 of gpu is free on 1 device of 1 machine; it needs 2"},
		{"cores", []int{1, 1}, nil, model.JobSpec{Resources: map[string]float64{"cpu": 4}}, 40,
			"machines", "6 of cpu are free, on 2 machines; it needs 4 on one"},
		{"a machine to itself", []int{1, 1}, nil, model.JobSpec{Exclusive: true}, 40,
			"machines", "it needs machines to itself: of the 2 that it can use, 0 are idle"},
		{"closed soon", []int{0}, []model.ClosedSpec{{From: 8, To: new(20.0)}}, model.JobSpec{Resources: gpus(1)}, 20,
			"closed", "too few of the machines with room are open to it for as long as it is estimated to take"},
		{"reserved later", []int{0}, []model.ClosedSpec{{From: 8, To: new(20.0), For: "r"}}, model.JobSpec{Reservation: "r"}, 8,
			"closed", "too few of the machines with room are open to reservation r for as long as it is estimated to take"},
		{"processors", []int{0}, nil, model.JobSpec{Processors: model.Rigid(8)}, 1, "", ""},
	} {
		in := nodes(t, c.busy, c.closed, c.asked)
		for name, policy := range map[string]solve.Policy{"easy": solve.Default[solvers.EASY](), "fcfs": solve.Default[solvers.FCFS](), "conservative": solve.Default[solvers.Conservative]()} {
			answer, err := whatif.Submit(context.Background(), name, policy, in, "asked", 1)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Start == nil || *answer.Start != c.start || answer.ExpectedStart == nil || *answer.ExpectedStart != c.start {
				t.Errorf("%s under %s: %+v, expected start %v", c.name, name, answer, c.start)
			}
			switch {
			case c.kind == "" && len(answer.Causes) == 0:
			case len(answer.Causes) == 0 || answer.Causes[0].Kind != c.kind || answer.Causes[0].Text != c.text:
				t.Errorf("%s under %s: %+v, expected %s: %s", c.name, name, answer.Causes, c.kind, c.text)
			}
		}
	}
}

// A blocker is listed with its processors, and with as much of each thing as it holds that is short and that the job needs too.
func TestWhatBlockersHold(t *testing.T) {
	for _, c := range []struct {
		name  string
		asked model.JobSpec
		want  []whatif.Holding
	}{
		{"processors", model.JobSpec{Processors: model.Rigid(8)}, []whatif.Holding{{What: "processors", Amount: 4}}},
		{"a resource", model.JobSpec{Resources: map[string]float64{"gpu": 1}}, []whatif.Holding{{What: "processors", Amount: 4}, {What: "gpu", Amount: 6}}},
		{"a resource of which there is enough", model.JobSpec{Processors: model.Rigid(8), Resources: map[string]float64{"disk": 1}}, []whatif.Holding{{What: "processors", Amount: 4}}},
		{"a licence", model.JobSpec{Licences: map[string]int{"l": 1}}, []whatif.Holding{{What: "processors", Amount: 4}, {What: "licence l", Amount: 5}}},
	} {
		b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "n", Processors: 8, Resources: map[string]float64{"gpu": 6, "disk": 90}}}})
		b.Spec().Licences = map[string]int{"l": 5}
		c.asked.ID, c.asked.Arrival, c.asked.Work = "asked", 1, new(1.0)
		in, err := b.Job(model.JobSpec{ID: "holder", Work: new(40.0), Processors: model.Rigid(4), Block: 2, Resources: map[string]float64{"gpu": 3, "disk": 2}, Licences: map[string]int{"l": 5}}, c.asked).Build()
		if err != nil {
			t.Fatal(err)
		}
		answer, err := whatif.Submit(t.Context(), "easy", solve.Default[solvers.EASY](), in, "asked", 1)
		if err != nil {
			t.Fatal(err)
		}
		if list := answer.Holders(); len(list) != 1 || !slices.Equal(list[0].Holds, c.want) {
			t.Errorf("%s: %+v, expected %+v", c.name, list, c.want)
		}
	}
}

// A job that holds copies of a licence delays another that needs some only if both take them from the same pool, of the same licence.
func TestPoolsOfLicences(t *testing.T) {
	for name, c := range map[string]struct {
		own   bool // each cluster has its copies
		asks  string
		tried int
	}{"a pool for all": {false, "l", 2}, "another licence": {false, "k", 1}, "a pool for each cluster": {true, "l", 1}} {
		b := model.NewBuilder(name)
		for _, id := range []string{"a", "b"} {
			cluster := model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m" + id}}}
			if c.own {
				cluster.Licences = map[string]int{"l": 1}
			}
			b.Cluster(cluster)
		}
		if !c.own {
			b.Spec().Licences = map[string]int{"l": 1, "k": 1}
		}
		in, err := b.Job(model.JobSpec{ID: "holder", Runtime: map[string]float64{"a": 40}, Licences: map[string]int{"l": 1}}, model.JobSpec{ID: "there", Runtime: map[string]float64{"b": 40}},
			model.JobSpec{ID: "asked", Arrival: 1, Runtime: map[string]float64{"b": 1}, Licences: map[string]int{c.asks: 1}}).Build()
		if err != nil {
			t.Fatal(err)
		}
		policy := solve.Default[solvers.EASY]()
		answer, err := whatif.Submit(t.Context(), "easy", policy, in, "asked", 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Delays(t.Context(), policy, in, 1); err != nil || answer.Tried != c.tried {
			t.Errorf("%s: %d tried, %v, expected %d", name, answer.Tried, err, c.tried)
		}
	}
}
