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
	"github.com/allot-opt/allot/solve"
)

// shapeBatch is a batch that arrives at once on single machines: with ties, works of 0 and decimal fractions, files, messages, memory, hard deadlines, tasks and
// stated run times.
func shapeBatch(t *testing.T, seed uint64) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	number := func(low, high float64) float64 {
		x := low + (high-low)*rng.Float64()
		switch seed % 4 {
		case 0:
			return math.Floor(x) // ties
		case 1:
			return math.Floor(10*x) / 10 // ends that differ by their rounding alone
		}
		return x
	}
	sometimes := func(share float64) func() bool { // on some batches; elsewhere never
		if rng.IntN(2) == 0 {
			share = 0
		}
		return func() bool { return rng.Float64() < share }
	}
	files, message, memory, hard, tasks, stated := sometimes(0.7), sometimes(0.3), sometimes(0.6), sometimes(0.6), sometimes(0.2), sometimes(0.1)
	b := model.NewBuilder("shapes")
	machines, alike := 1+rng.IntN(12), rng.IntN(6) == 0
	for r := range machines {
		m := model.MachineSpec{ID: "m", Processors: 1 + rng.IntN(2), Speed: number(1, 6), Memory: new(number(1, 5)), Bandwidth: number(1, 8)}
		if alike {
			m.Speed = 1
		}
		cluster := model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: []model.MachineSpec{m}}
		if message() {
			cluster.Overheads = &model.Overheads{ContextSwitch: number(0, 2)}
			cluster.Network = &model.Network{Latency: number(0, 2), Bandwidth: number(1, 5)}
		}
		b.Cluster(cluster)
	}
	origin := []float64{0, 0, 7, 1e9}[rng.IntN(4)]
	jobs := 20 + rng.IntN(100)
	for k := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: origin, Work: new(number(0, 9))}
		if files() {
			job.Input, job.Output = number(0, 9), number(0, 2)
		}
		if message() {
			job.Message = 2
		}
		if memory() {
			job.Memory = number(0, 4)
		}
		if tasks() {
			job.Tasks = 3
		}
		if hard() {
			job.Deadline, job.DeadlineHard = new(origin+number(0, 9)*float64(1+rng.IntN(jobs))/float64(machines)), true
		}
		if stated() {
			job.Runtime, job.Work = map[string]float64{"r0": number(1, 5), fmt.Sprint("r", machines-1): number(1, 5)}, nil
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Sufferage's next job is that of a look at all jobs, with the same best resource, until no job can be placed.
func TestSufferageIsALookAtAllJobs(t *testing.T) {
	steps, ofTree, left := 0, 0, 0
	check := func(name string, in *model.Instance) {
		t.Helper()
		c, err := newCompletions(context.Background(), in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := newSuffering(context.Background(), c, 2)
		began := 0
		for _, tree := range s.in {
			if tree >= 0 {
				began++
			}
		}
		for {
			want := option{job: -1, best: -1}
			for j, left := range c.Left {
				if !left {
					continue
				}
				if o := c.best(j); o.best >= 0 && (want.job < 0 || o.sufferage() > want.sufferage()) {
					want = o
				}
			}
			job, resource := s.next()
			if resource != want.best || want.best >= 0 && job != want.job {
				t.Fatalf("%s, step %d: job %d on %d, expected %d on %d", name, steps, job, resource, want.job, want.best)
			}
			if resource < 0 {
				break
			}
			if steps++; s.in[job] >= 0 {
				ofTree++
				began--
			}
			c.put(job, resource)
		}
		left += began
	}
	for seed := range race.Fewer(uint64(600), 60) {
		check(fmt.Sprint("shapes, seed ", seed), shapeBatch(t, seed))
	}
	for seed := range uint64(12) {
		check(fmt.Sprint("roomy, seed ", seed), treeBatch(t, seed))
	}
	t.Logf("%d steps, %d of them by a tree; %d jobs of trees were not placed from there", steps, ofTree, left)
	if ofTree*3 < steps || left*20 < steps {
		t.Error("the batches prove little")
	}
}

// A step looks at a small part of a tree, where jobs have deadlines and where they have none.
func TestShapeTreeLooksAtFewJobs(t *testing.T) {
	for _, deadlines := range []bool{false, true} {
		x := solvecases.MeasuredRoomy(3000)
		if x.Machines, x.Deadlines = 60, deadlines; !deadlines {
			x.Tight = 0
		}
		c, err := newCompletions(context.Background(), x.Generate(t, 1))
		if err != nil {
			t.Fatal(err)
		}
		s := newSuffering(context.Background(), c, leastShapeTree)
		if len(s.trees) != 1 {
			t.Fatalf("%d trees", len(s.trees))
		}
		looks, before, steps := 0, 0, 0
		for job, resource := s.next(); resource >= 0; job, resource = s.next() {
			c.put(job, resource)
			tree := s.trees[0]
			if tree == nil {
				t.Fatalf("given up after %d steps", steps)
			}
			if steps++; steps%16 != 0 {
				looks += tree.looks - before
			}
			before = tree.looks
		}
		t.Logf("deadlines %v: %d looks in %d steps", deadlines, looks, steps)
		if steps < 1500 || looks > 150*steps {
			t.Error("too many looks")
		}
	}
}

// Where all machines are alike for all jobs, jobs suffer alike but for rounding: the tree is given up, and jobs are placed as before.
func TestShapeTreeGivesUp(t *testing.T) {
	race.OneGoroutine(t)
	b := model.NewBuilder("one speed")
	rng := rand.New(rand.NewPCG(1, 2))
	for r := range 20 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Machines: []model.MachineSpec{{ID: "m"}}})
	}
	for j := range 2000 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(rng.Float64())})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCompletions(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	s := newSuffering(context.Background(), c, leastShapeTree)
	for step := range 17 {
		if len(s.trees) != 1 || (s.trees[0] == nil) != (step >= 16) {
			t.Fatalf("step %d: trees %v", step, s.trees)
		}
		c.put(s.next())
	}
	result, err := (&Sufferage{}).Solve(context.Background(), in, solve.Options{})
	if err != nil || len(result.Solution.Jobs) != len(in.Jobs()) {
		t.Errorf("%v: %d jobs placed", err, len(result.Solution.Jobs))
	}
}
