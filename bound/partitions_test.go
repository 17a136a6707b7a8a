package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// fewJobs is a batch of rigid jobs on 2 or 3 clusters, most with deadlines, some with arrivals.
func fewJobs(t *testing.T, rng *rand.Rand, jobs int) *model.Instance {
	b := model.NewBuilder("few").Minimise("mcp", 1)
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(4.0), Makespan: new(3.0), IdleTime: new(float64(rng.IntN(2)))}
	for c := range 2 + rng.IntN(2) {
		b.Cluster(machine(fmt.Sprint("c", c), 4+rng.IntN(5), 1+rng.Float64()))
	}
	for j := range jobs {
		job := rigid(fmt.Sprint("j", j), 1+rng.IntN(4), 1+20*rng.Float64()*rng.Float64())
		if rng.IntN(4) > 0 {
			job.Deadline = new(15 * rng.Float64())
		}
		if rng.IntN(4) == 0 {
			job.Arrival = 5 * rng.Float64()
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Where all sets of jobs are put into all orders, partitions prove the optimum. With fewer they prove no more.
func TestPartitionsProveTheOptimum(t *testing.T) {
	ctx := context.Background()
	for seed := range race.Fewer(uint64(12), 2) {
		rng := rand.New(rand.NewPCG(seed, 81))
		in := fewJobs(t, rng, 6+rng.IntN(2))
		best, ok := optima(in)
		if !ok {
			t.Fatal("some job runs nowhere")
		}
		before := 0.0
		for ordered := range len(in.Jobs()) + 1 {
			sum, _, ok := provePartitions(ctx, newRelaxation(ctx, in), ordered)
			low, finite := sum.Low()
			if !ok || !finite || low > best["mcp"] || low < before {
				t.Errorf("seed %d, %d jobs in all orders: %v, %v; before %v, the optimum is %v", seed, ordered, low, ok, before, best["mcp"])
			}
			before = low
		}
		if before < best["mcp"]*(1-1e-9) {
			t.Errorf("seed %d: all orders prove %v, the optimum is %v", seed, before, best["mcp"])
		}
	}
}

// No list schedule of a larger batch costs less than partitions prove.
func TestPartitionsAreNotAboveAnySchedule(t *testing.T) {
	ctx := context.Background()
	for seed := range race.Fewer(uint64(20), 3) {
		rng := rand.New(rand.NewPCG(seed, 82))
		in := fewJobs(t, rng, 9+rng.IntN(5))
		sum, _, ok := provePartitions(ctx, newRelaxation(ctx, in), leastOrdered)
		low, finite := sum.Low()
		if !ok || !finite {
			t.Fatalf("seed %d: nothing is proved", seed)
		}
		least := math.Inf(1)
		of, order := make([]int, len(in.Jobs())), rng.Perm(len(in.Jobs()))
		for range race.Fewer(20_000, 2_000) { // a random walk that takes what is no worse
			j, a, b := rng.IntN(len(of)), rng.IntN(len(of)), rng.IntN(len(of))
			old := of[j]
			of[j] = rng.IntN(len(in.Clusters()))
			order[a], order[b] = order[b], order[a]
			if v := listMCP(in, of, order); v <= least {
				least = v
			} else {
				of[j] = old
				order[a], order[b] = order[b], order[a]
			}
		}
		if low > least || low < 0.5*least {
			t.Errorf("seed %d: %v is proved, a schedule costs %v", seed, low, least)
		}
	}
}

// listMCP is the mcp of list schedules in the order, with the jobs on the given clusters.
func listMCP(in *model.Instance, of, order []int) float64 {
	sum := 0.0
	for c := range in.Clusters() {
		var own []int
		for _, j := range order {
			if of[j] == c {
				own = append(own, j)
			}
		}
		found, ok := listCosts(in, c, own)
		if !ok {
			return math.Inf(1)
		}
		sum += found[slices.Index(enumerated, "mcp")]
	}
	return sum
}

// The work of partitions is asked for before it is done, and the bound rises with it.
func TestPartitionsWaitForTheirWork(t *testing.T) {
	ctx := context.Background()
	in := fewJobs(t, rand.New(rand.NewPCG(1, 83)), 12)
	r, proved := newRelaxation(ctx, in), &Gate{}
	p := &partitionProver{r: r, proved: proved, ordered: leastOrdered}
	need := r.partitionWork(leastOrdered)
	if need <= LittleWork {
		t.Fatalf("%d is little work", need)
	}
	if !p.Improve(ctx, need-1) || proved.Bound().Known() {
		t.Errorf("something is proved before there is work for it: %v", proved.Bound())
	}
	if !p.Improve(ctx, 1) || !proved.Bound().Known() {
		t.Errorf("nothing is proved with enough work")
	}
	for jobs, want := range map[int]bool{mostPartitioned: true, mostPartitioned + 1: false} {
		r := newRelaxation(ctx, fewJobs(t, rand.New(rand.NewPCG(1, 84)), jobs))
		if got := r.partitionWork(leastOrdered) > 0; got != want {
			t.Errorf("%d jobs: %v", jobs, got)
		}
	}
}
