package bench

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	_ "github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/workload"
)

// The figures of a round behind nothing are the metrics of its plan as a batch.
func TestRoundBehindNothingIsABatch(t *testing.T) {
	for seed := range uint64(5) {
		w := workload.Default[workload.Muscle]()
		w.Jobs = 30
		in, err := w.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		row := Measure(context.Background(), Chosen(t, "muscle:rolling_period=10"), in, Settings{})
		if row.Fault != "" || row.Rounds == nil {
			t.Fatalf("got fault %q, rounds %v", row.Fault, row.Rounds)
		}
		mcp, _ := row.Metrics.Get("mcp")
		balance, _ := row.Metrics.Get("balance")
		if r := row.Rounds; r.Count != 1 || r.Jobs != 30 || !near(r.MCP, mcp) || !near(r.Balance, balance) {
			t.Errorf("seed %d: got %+v, want one round of 30 jobs with MCP %v and balance %v", seed, *r, mcp, balance)
		}
	}
}

// Two rounds by hand. Cluster a has two processors, b has one; each weight is 1, so that CP is a third of the sum of idle time, makespan and
// over-deadline.
//
// Round 1 at 0: x runs on a0 from 0 to 6. CP of a: idle 12 − 6, makespan 6, over 0: 4; b: 0. MCP 4, balance √((4−4)² + (0−4)²) = 4.
//
// Round 2 at 2: y runs on a1 from 2 to 5 (deadline 4), z on b from 2 to 4. What is left of x on a is 4 long. CP of a: idle 8 − 4 − 3, makespan 4,
// over 1: 2; b: idle 0, makespan 2: 2/3. MCP (2 + 2/3)/2 = 4/3, balance √(2·(2/3)²) = (2/3)·√2.
func TestRoundBehindHolds(t *testing.T) {
	b := model.NewBuilder("hold").Minimise("mcp", 1)
	one := 1.0
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: &one, Makespan: &one, IdleTime: &one}
	b.Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "a", Count: 2, Speed: 1}}})
	b.Cluster(model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "b", Count: 1, Speed: 1}}})
	b.Job(model.JobSpec{ID: "x", Work: new(6.0)})
	b.Job(model.JobSpec{ID: "y", Arrival: 2, Work: new(3.0), Deadline: new(4.0)})
	b.Job(model.JobSpec{ID: "z", Arrival: 2, Work: new(2.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	on := func(job, cluster string, processor int, start, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: cluster, Processors: model.ProcessorSet{{First: processor, Last: processor}}, Start: start, End: end}
	}
	x := on("x", "a", 0, 0, 6)
	var sums roundSums
	sums.add(in.Batch([]int{0}, []float64{0}, nil), &model.Solution{Jobs: []model.Placement{x}})
	hold := model.Hold{Job: &in.Jobs()[0], Start: 0, End: 6, Pieces: []model.HoldPiece{{Cluster: 0, Processors: x.Processors, End: 6}}}
	sums.add(in.Batch([]int{1, 2}, []float64{2, 2}, []model.Hold{hold}), &model.Solution{Jobs: []model.Placement{on("y", "a", 1, 2, 5), on("z", "b", 0, 2, 4)}})
	got := sums.means()
	if got.Count != 2 || got.Jobs != 1.5 || !near(got.MCP, (4+4.0/3)/2) || !near(got.Balance, (4+2*math.Sqrt2/3)/2) {
		t.Errorf("got %+v", *got)
	}
}

// A row has rounds in rolling use alone, and mean_response with mean_arrival makes the mean end of the finished jobs.
func TestMeanArrivalOfTheFinished(t *testing.T) {
	w := workload.Default[workload.MTS]()
	w.Jobs, w.Rate = 400, 100
	in, err := w.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	row := Measure(context.Background(), Chosen(t, "mts:rolling_period=1"), in, Settings{})
	if row.Fault != "" || row.Rounds == nil {
		t.Fatalf("got fault %q, rounds %v", row.Fault, row.Rounds)
	}
	sum, finished := 0.0, 0.0
	for _, p := range row.Solution.Jobs {
		job, _ := in.JobIndex(p.Job)
		if p.End <= in.Jobs()[job].Deadline*(1+1e-12) {
			sum += p.End - in.FirstArrival()
			finished++
		}
	}
	if stated, _ := row.Metrics.Get("finished"); stated != finished || finished == 0 || finished == 400 {
		t.Fatalf("%v jobs finished, the metric says %v", finished, stated)
	}
	if response, _ := row.Metrics.Get("mean_response"); !near(response+row.MeanArrival, sum/finished) {
		t.Errorf("mean end: got %v + %v, want %v", response, row.MeanArrival, sum/finished)
	}
	if row := Measure(context.Background(), Chosen(t, "mts"), in, Settings{}); row.Rounds != nil {
		t.Errorf("without rolling use: got rounds %+v", *row.Rounds)
	}
}

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(y)) }
