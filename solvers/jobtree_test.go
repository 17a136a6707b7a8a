package solvers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
)

// The tree finds the job that a look at all jobs finds, while jobs are placed on any resource and late ones leave it, until no job is left. It never takes a
// job for late that can still be placed.
func TestJobTreeIsALookAtAllJobs(t *testing.T) {
	race.OneGoroutine(t)
	searches, left, looks, all := 0, 0, 0, 0
	for seed := range uint64(12) {
		in := treeBatch(t, seed)
		c, err := newCompletions(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		inTree := make([]bool, len(in.Jobs()))
		for j := range inTree {
			inTree[j] = true
		}
		tree := newJobTree(context.Background(), c)
		rng := rand.New(rand.NewPCG(seed, 12))
		for {
			tree.search()
			searches++
			for _, j := range tree.late {
				if end := c.best(int(j)).first; !math.IsInf(end, 1) {
					t.Fatalf("seed %d: job %d is not late, it can end at %v", seed, j, end)
				}
				tree.remove(int(j))
				inTree[j] = false
				left++
			}
			want := option{job: -1, best: -1, first: math.Inf(-1)}
			for j, in := range inTree {
				if o := c.best(j); in && o.best >= 0 && o.first > want.first {
					want = o
				}
			}
			if tree.best.job != want.job || tree.best.best != want.best || want.job >= 0 && tree.best.first != want.first {
				t.Fatalf("seed %d: got %+v, want %+v", seed, tree.best, want)
			}
			if want.job < 0 {
				break
			}
			all += int(tree.nodes[1].jobs)
			looks += tree.looks
			tree.looks = 0
			resource := want.best
			if rng.IntN(4) == 0 { // somebody else's job, wherever it can run
				if other := rng.IntN(len(c.Resources)); !math.IsInf(c.at(want.job, other), 1) {
					resource = other
				}
			}
			inTree[want.job] = false
			tree.remove(want.job)
			c.put(want.job, resource)
		}
	}
	t.Logf("%d searches, %d jobs were late, %d looks where there were %d jobs", searches, left, looks, all)
	if left < 1000 || searches < 4000 || looks*10 > all {
		t.Error("the batches prove little")
	}
}

// treeBatch is a batch of the measured shape, sometimes with equal jobs.
func treeBatch(t *testing.T, seed uint64) *model.Instance {
	x := solvecases.MeasuredRoomy(600 + 100*int(seed%4))
	x.Machines = 2 + int(seed%11)
	if seed%3 == 1 {
		x.Memory, x.Near = 5, 0.5
	}
	if seed%4 == 3 {
		x.Tight, x.Deadlines = 0, seed%8 == 3
	}
	if seed%5 != 4 {
		return x.Generate(t, seed)
	}
	rng := rand.New(rand.NewPCG(seed, 11))
	b := model.NewBuilder("equal jobs")
	for r := range x.Machines {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Speed: float64(1 + rng.IntN(3))}}})
	}
	for j := range x.Jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(rng.IntN(4)))}
		if rng.IntN(2) == 0 {
			job.Deadline, job.DeadlineHard = new(float64(rng.IntN(x.Jobs))), true
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Where run times are unrelated the bounds tell nothing: the tree is given up.
func TestJobTreeGivesUp(t *testing.T) {
	b := model.NewBuilder("unrelated")
	rng := rand.New(rand.NewPCG(1, 2))
	const machines = 40
	for r := range machines {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Machines: []model.MachineSpec{{ID: "m"}}})
	}
	for j := range 3000 {
		runtime := map[string]float64{}
		for r := range machines {
			runtime[fmt.Sprint("r", r)] = rng.Float64()
		}
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Runtime: runtime})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCompletions(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	m := &maxMin{tree: newJobTree(context.Background(), c), buckets: newMaxMinBuckets(context.Background(), c)}
	for step := range 17 {
		if gone := m.tree == nil; gone != (step >= 16) {
			t.Errorf("step %d: given up: %v", step, gone)
		}
		c.put(m.next())
	}
}
