package backfill

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// richJob is a job of an instance with memory and licences.
type richJob struct {
	sim.Spec
	memory, copies int // a processor; of the one licence
}

// rich replays an instance of one cluster, with memory and a pool of licences, in the plainest way: at each instant it looks
// at everything. It shares no code with the engine or the grid.
type rich struct {
	jobs     []richJob
	machines int
	units    int   // processors a machine
	memory   []int // by machine
	copies   int
	step     float64
	now      float64
	start    []float64
	end      []float64
	left     []bool
	seen     []bool
	where    [][]int // processors on each machine, of a running or reserved job
	reserved []float64
	afresh   bool
	early    bool
	wake     float64
}

// room is what is free.
type room struct {
	processors, memory []int
	copies             int
}

// all is the empty system.
func (r *rich) all() room {
	return room{slices.Repeat([]int{r.units}, r.machines), slices.Clone(r.memory), r.copies}
}

// take takes what a job holds out of the room.
func (r *rich) take(free *room, k int, where []int) {
	for m, n := range where {
		free.processors[m] -= n
		free.memory[m] -= n * r.jobs[k].memory
	}
	free.copies -= r.jobs[k].copies
}

// fit chooses processors for a job on the first machines that have room; nil: too few.
func (r *rich) fit(free *room, k int) []int {
	j := &r.jobs[k]
	where, left := make([]int, r.machines), int(j.Processors)
	for m := range where {
		n := min(free.processors[m], left)
		if j.memory > 0 {
			n = min(n, free.memory[m]/j.memory)
		}
		where[m], left = n, left-n
	}
	if left > 0 || j.copies > free.copies {
		return nil
	}
	return where
}

func (r *rich) running(k int) bool { return r.seen[k] && !math.IsNaN(r.start[k]) && !r.left[k] }

// until is when a job that begins so is expected to end.
func (r *rich) until(k int, start float64) float64 {
	if end := start + r.jobs[k].Estimate; end > start {
		return end
	}
	return start + r.step
}

// expected is when a running job is taken to end.
func (r *rich) expected(k int) float64 {
	if end := r.start[k] + r.jobs[k].Estimate; end > r.now {
		return end
	}
	return r.now + r.step
}

// at is what is free at a time beside running jobs and, if asked, reservations.
func (r *rich) at(t float64, reservations []int) room {
	free := r.all()
	for k := range r.jobs {
		if r.running(k) && r.expected(k) > t {
			r.take(&free, k, r.where[k])
		}
	}
	for _, k := range reservations {
		if s := r.reserved[k]; s <= t && t < r.until(k, s) {
			r.take(&free, k, r.where[k])
		}
	}
	return free
}

// launch starts a job.
func (r *rich) launch(k int, where []int) {
	r.start[k], r.where[k] = r.now, where
	r.end[k] = r.now + r.jobs[k].Runtime
}

// run goes from instant to instant.
func (r *rich) run(decide func(*rich, []int)) []float64 {
	n := len(r.jobs)
	r.start, r.end, r.reserved = slices.Repeat([]float64{math.NaN()}, n), slices.Repeat([]float64{math.NaN()}, n), slices.Repeat([]float64{math.Inf(1)}, n)
	r.left, r.seen, r.where, r.wake = make([]bool, n), make([]bool, n), make([][]int, n), math.Inf(1)
	for {
		next := r.wake
		for k := range r.jobs {
			if !r.seen[k] {
				next = min(next, r.jobs[k].Arrival)
			} else if r.running(k) {
				next = min(next, r.end[k])
			}
		}
		if math.IsInf(next, 1) {
			return r.start
		}
		r.now, r.wake = next, math.Inf(1)
		var queue []int
		for k := range r.jobs {
			if r.running(k) && r.end[k] <= r.now {
				r.left[k] = true
				r.afresh = r.afresh || r.until(k, r.start[k]) < r.now
				r.early = r.early || r.until(k, r.start[k]) > r.now
			}
			r.seen[k] = r.seen[k] || r.jobs[k].Arrival <= r.now
			if r.seen[k] && math.IsNaN(r.start[k]) {
				queue = append(queue, k)
			}
		}
		decide(r, queue)
	}
}

func richFCFS(r *rich, queue []int) {
	for _, k := range queue {
		free := r.at(r.now, nil)
		where := r.fit(&free, k)
		if where == nil {
			return
		}
		r.launch(k, where)
	}
}

func richEASY(r *rich, queue []int) {
	for len(queue) > 0 {
		free := r.at(r.now, nil)
		where := r.fit(&free, queue[0])
		if where == nil {
			break
		}
		r.launch(queue[0], where)
		queue = queue[1:]
	}
	if len(queue) == 0 {
		return
	}
	shadow := math.Inf(1)
	for k := range r.jobs {
		if r.running(k) {
			if free := r.at(r.expected(k), nil); r.fit(&free, queue[0]) != nil {
				shadow = min(shadow, r.expected(k))
			}
		}
	}
	then := r.at(shadow, nil)
	for _, k := range queue[1:] {
		free := r.at(r.now, nil)
		where := r.fit(&free, k)
		if where == nil {
			continue
		}
		left := room{slices.Clone(then.processors), slices.Clone(then.memory), then.copies}
		if r.now+r.jobs[k].Estimate > shadow {
			r.take(&left, k, where)
		}
		if r.fit(&left, queue[0]) != nil {
			r.launch(k, where)
			then = left
		}
	}
}

func richFlexible(r *rich, queue []int) {
	shortest, demand := math.Inf(1), 0.0
	for _, k := range queue {
		shortest, demand = min(shortest, r.jobs[k].Estimate), demand+float64(r.jobs[k].copies)
	}
	priority := func(k int) float64 {
		ratio, licences := 1.0, 0.0
		if r.jobs[k].Estimate > 0 {
			ratio = shortest / r.jobs[k].Estimate
		}
		if r.jobs[k].copies > 0 {
			licences = demand / float64(r.copies) // there is one licence, so d is 1
		}
		return 0.001*(r.now-r.jobs[k].Arrival) + 0.1 + licences + ratio
	}
	slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(priority(b), priority(a)) })
	richEASY(r, queue)
}

// reserve finds the earliest reservation: now, or where something begins or ends.
func (r *rich) reserve(k int, queue []int) {
	r.reserved[k] = math.Inf(1)
	times := []float64{r.now}
	for i := range r.jobs {
		if r.running(i) {
			times = append(times, r.expected(i))
		}
	}
	for _, i := range queue {
		if s := r.reserved[i]; !math.IsInf(s, 1) {
			times = append(times, s, r.until(i, s))
		}
	}
	slices.Sort(times)
	for _, start := range times {
		if start < r.now {
			continue
		}
		free := r.at(start, queue)
		for _, t := range times {
			if t > start && t < r.until(k, start) {
				other := r.at(t, queue)
				for m := range free.processors {
					free.processors[m], free.memory[m] = min(free.processors[m], other.processors[m]), min(free.memory[m], other.memory[m])
				}
				free.copies = min(free.copies, other.copies)
			}
		}
		if where := r.fit(&free, k); where != nil {
			r.reserved[k], r.where[k] = start, where
			return
		}
	}
}

func richConservative(r *rich, queue []int) {
	late := false
	for k := range r.jobs {
		late = late || r.running(k) && r.start[k]+r.jobs[k].Estimate <= r.now
	}
	if late || r.afresh {
		for _, k := range queue {
			r.reserved[k] = math.Inf(1)
		}
	}
	for _, k := range queue {
		if late || r.afresh || math.IsInf(r.reserved[k], 1) {
			r.reserve(k, queue)
			continue
		}
		if r.early {
			start, where := r.reserved[k], r.where[k]
			if r.reserve(k, queue); r.reserved[k] >= start {
				r.reserved[k], r.where[k] = start, where // no earlier: it keeps its processors
			}
		}
	}
	r.afresh, r.early = late, false
	for _, k := range queue {
		if r.reserved[k] == r.now && r.possible(k) {
			r.launch(k, r.where[k])
		}
	}
	for _, k := range queue {
		free := r.at(r.now, nil)
		if math.IsNaN(r.start[k]) && !late && r.fit(&free, k) != nil {
			r.wake = min(r.wake, r.reserved[k])
		}
	}
}

// conservativeUpTo is conservative backfilling in which at most some queued jobs hold reservations.
func (r *rich) conservativeUpTo(most int, queue []int) {
	behind := slices.DeleteFunc(slices.Clone(queue), func(k int) bool { return !math.IsInf(r.reserved[k], 1) })
	held := slices.DeleteFunc(queue, func(k int) bool { return math.IsInf(r.reserved[k], 1) })
	late := false
	for k := range r.jobs {
		late = late || r.running(k) && r.start[k]+r.jobs[k].Estimate <= r.now
	}
	if late || r.afresh {
		for _, k := range held {
			r.reserved[k] = math.Inf(1)
		}
	}
	for _, k := range held {
		if start, where := r.reserved[k], r.where[k]; late || r.afresh || r.early {
			if r.reserve(k, held); r.reserved[k] >= start && !math.IsInf(start, 1) {
				r.reserved[k], r.where[k] = start, where // no earlier: it keeps its processors
			}
		}
	}
	r.afresh, r.early = late, false
	for again := true; again; {
		for len(held) < most && len(behind) > 0 {
			held, behind = append(held, behind[0]), behind[1:]
			r.reserve(held[len(held)-1], held)
		}
		again = false
		for _, k := range slices.Clone(held) {
			if r.reserved[k] == r.now && r.possible(k) {
				r.launch(k, r.where[k])
				held = slices.DeleteFunc(held, func(other int) bool { return other == k })
				again = true
			}
		}
	}
	for _, k := range held {
		free := r.at(r.now, nil)
		if !late && r.fit(&free, k) != nil {
			r.wake = min(r.wake, r.reserved[k])
		}
	}
}

// possible says whether what is reserved for a job is free now.
func (r *rich) possible(k int) bool {
	free := r.at(r.now, nil)
	r.take(&free, k, r.where[k])
	return free.copies >= 0 && slices.Min(free.processors) >= 0 && slices.Min(free.memory) >= 0
}

// randomRich is a workload with memory and licences; plain ones have neither.
func randomRich(rng *rand.Rand, plain bool) (*rich, *model.Instance) {
	r := &rich{machines: 1 + rng.IntN(4), units: 2 + rng.IntN(2), copies: 2 + rng.IntN(3), step: []float64{1, 0.5, 2}[rng.IntN(3)]}
	if plain {
		r.machines, r.units = 1, r.machines*r.units // nothing tells the machines apart
	}
	specs, _ := randomTrace(rng)
	b := model.NewBuilder("rich")
	cluster, memory := model.ClusterSpec{ID: "c"}, 4+rng.IntN(5)
	large := r.machines - rng.IntN(r.machines) // the others have little memory
	for m, count := range []int{large, r.machines - large} {
		machine := model.MachineSpec{ID: fmt.Sprint("m", m), Count: count, Processors: r.units}
		if m > 0 {
			memory = 1 + rng.IntN(memory)
		}
		if !plain {
			machine.Memory = new(float64(memory))
		}
		if count > 0 {
			cluster.Machines = append(cluster.Machines, machine)
			r.memory = append(r.memory, slices.Repeat([]int{memory}, count)...)
		}
	}
	if !plain {
		b.Spec().Licences = map[string]int{"l": r.copies}
	}
	b.Cluster(cluster)
	for k, s := range specs {
		j := richJob{Spec: s}
		j.Processors = 1 + rng.Int32N(int32(r.machines*r.units))
		if !plain {
			j.memory, j.copies = rng.IntN(1+r.memory[0]/r.units), max(0, rng.IntN(r.copies+2)-1)
		}
		r.jobs = append(r.jobs, j)
		for empty := r.all(); r.fit(&empty, k) == nil; { // every job fits into the empty system
			r.jobs[k].Processors--
			j.Processors--
		}
		spec := model.JobSpec{ID: fmt.Sprint(k), Arrival: j.Arrival, Processors: model.Rigid(int(j.Processors)), Work: &j.Runtime, Estimate: &j.Estimate, Memory: float64(j.memory)}
		if j.copies > 0 {
			spec.Licences = map[string]int{"l": j.copies}
		}
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		panic(err)
	}
	return r, in
}

// TestGeneralNaive compares the policies for instances, start by start, with versions that look at everything at each instant, and
// on plain instances with the policies for traces. Every schedule passes the checker.
func TestGeneralNaive(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for seed := range race.Fewer(uint64(400), 100) {
				rng := rand.New(rand.NewPCG(seed, 11))
				r, in := randomRich(rng, seed%2 == 0)
				want := r.run(kind.general)
				sol, _, err := sim.Simulate(context.Background(), in, kind.discipline(r.step), sim.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if report := model.Check(in, sol); !report.OK() {
					t.Fatalf("seed %d: %v", seed, report.Violations[0])
				}
				same(t, seed, "naive", in, sol, want)
				chosen, _, err := sim.Simulate(context.Background(), in, kind.discipline(r.step), sim.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if diff := gocmp.Diff(sol, chosen); diff != "" {
					t.Fatalf("seed %d: the world that is chosen and the general one differ: %s", seed, diff)
				}
				same(t, seed, "naive against the chosen world", in, chosen, want)
			}
		})
	}
}

// TestUpToNaive does so for conservative backfilling with a limit, which has no version for traces in that table.
func TestUpToNaive(t *testing.T) {
	for seed := range race.Fewer(uint64(600), 150) {
		rng := rand.New(rand.NewPCG(seed, 31))
		r, in := randomRich(rng, seed%3 == 0)
		most := 1 + rng.IntN(6)
		want := r.run(func(r *rich, queue []int) { r.conservativeUpTo(most, queue) })
		d := ConservativeUpTo(most, r.step, Ranking{})
		sol, _, err := sim.Simulate(context.Background(), in, d, sim.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if report := model.Check(in, sol); !report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations[0])
		}
		same(t, seed, "naive", in, sol, want)
	}
}

// same compares the starts.
func same(t *testing.T, seed uint64, what string, in *model.Instance, sol *model.Solution, want []float64) {
	t.Helper()
	if len(sol.Jobs) != len(want) {
		t.Fatalf("seed %d: %d of %d jobs placed: %v", seed, len(sol.Jobs), len(want), sol.Unscheduled)
	}
	for _, p := range sol.Jobs {
		if k, _ := in.JobIndex(p.Job); p.Start != want[k] {
			t.Fatalf("seed %d: job %s of %d starts at %v, the %s version says %v", seed, p.Job, len(want), p.Start, what, want[k])
		}
	}
}
