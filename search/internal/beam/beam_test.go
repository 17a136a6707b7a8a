package beam

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/plan"
)

// draw draws some jobs and a number of processors on which they fit.
func draw(t *rapid.T, most int) (int, []Job) {
	processors := rapid.IntRange(1, 7).Draw(t, "processors")
	unit := rapid.SampledFrom([]float64{1, 0.1, 1.0 / 3}).Draw(t, "unit")
	jobs := make([]Job, rapid.IntRange(1, most).Draw(t, "jobs"))
	for k := range jobs {
		jobs[k].Size = int32(rapid.IntRange(1, processors).Draw(t, "size"))
		jobs[k].Duration = unit * float64(rapid.IntRange(1, 5).Draw(t, "duration"))
	}
	return processors, jobs
}

// decoded is the makespan of the list schedule of the jobs in the given order, and whether it has all of them once.
func decoded(processors int, jobs []Job, order []int32) (makespan float64, complete bool) {
	r := plan.NewReleases(len(jobs))
	r.Reset(0, processors)
	seen := make([]bool, len(jobs))
	for _, k := range order {
		makespan = max(makespan, r.Place(jobs[k].Size, 0, jobs[k].Duration)+jobs[k].Duration)
		seen[k] = true
	}
	return makespan, len(order) == len(jobs) && !slices.Contains(seen, false)
}

// shortest is the least makespan of all list schedules, which is the least of all schedules.
func shortest(processors int, jobs []Job) float64 {
	least := math.Inf(1)
	order := make([]int32, len(jobs))
	for k := range order {
		order[k] = int32(k)
	}
	var permute func(k int)
	permute = func(k int) {
		if k == len(order) {
			makespan, _ := decoded(processors, jobs, order)
			least = min(least, makespan)
			return
		}
		for i := k; i < len(order); i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
	return least
}

// run runs a search to its end.
func run(s *Search, aim float64, width int) []int32 {
	s.Begin(aim, width)
	for !s.Step() {
	}
	return s.Order()
}

// A beam that is wide enough to keep all states finds the least makespan and nothing below it.
func TestWideBeamsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		processors, jobs := draw(t, 6)
		s := New(processors, jobs, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		least := shortest(processors, jobs)
		order := run(s, least*(1+1e-9), 10_000)
		if makespan, complete := decoded(processors, jobs, order); !complete || makespan > least*(1+1e-9) {
			t.Fatalf("jobs %v in a schedule of %v; the shortest takes %v", order, makespan, least)
		}
		if order := run(s, least*(1-1e-9), 10_000); order != nil {
			t.Fatalf("a schedule shorter than the shortest: %v", order)
		}
	})
}

// Whatever a beam finds keeps to its aim, however narrow it is, and one seed finds the same again.
func TestBeamsKeepToTheirAim(t *testing.T) {
	found, nothing := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		processors, jobs := draw(t, 40)
		area, longest, seed := 0.0, 0.0, rapid.Uint64().Draw(t, "seed")
		for _, j := range jobs {
			area += j.Duration * float64(j.Size)
			longest = max(longest, j.Duration)
		}
		s, same := New(processors, jobs, rand.New(rand.NewPCG(seed, 1))), New(processors, jobs, rand.New(rand.NewPCG(seed, 1)))
		for range 5 {
			aim := max(longest, area/float64(processors)) * rapid.Float64Range(0.95, 1.5).Draw(t, "aim")
			width := rapid.IntRange(1, 20).Draw(t, "width")
			order := run(s, aim, width)
			if !slices.Equal(order, run(same, aim, width)) {
				t.Fatal("another schedule with the same seed")
			}
			if order == nil {
				nothing++
				continue
			}
			found++
			if makespan, complete := decoded(processors, jobs, order); !complete || makespan > aim*(1+1e-9) {
				t.Fatalf("jobs %v in a schedule of %v, aimed at %v", order, makespan, aim)
			}
		}
	})
	if found == 0 || nothing == 0 {
		t.Errorf("%d schedules, %d times none: the test proves nothing", found, nothing)
	}
}

// cut cuts a cluster of the given processors and time into jobs that fill it.
func cut(processors int, time float64, jobs int, rng *rand.Rand) []Job {
	all := []Job{{time, int32(processors)}}
	for len(all) < jobs {
		k := rng.IntN(len(all))
		j := &all[k]
		switch {
		case j.Size > 1 && (j.Duration < 2 || rng.IntN(2) == 0):
			size := 1 + rng.Int32N(j.Size-1)
			all = append(all, Job{j.Duration, j.Size - size})
			all[k].Size = size
		case j.Duration >= 2:
			duration := 1 + math.Floor(rng.Float64()*(j.Duration-1))
			all = append(all, Job{j.Duration - duration, j.Size})
			all[k].Duration = duration
		}
	}
	rng.Shuffle(jobs, func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all
}

// Narrow beams come near the optimum where jobs can fill all processors all the time.
func TestBeamsFillTheProcessors(t *testing.T) {
	for _, jobs := range []int{20, 60, 200} {
		rng := rand.New(rand.NewPCG(1, uint64(jobs)))
		s := New(100, cut(100, 200, jobs, rng), rng)
		aim, found := 200.0, false
		for ; !found && aim < 210; aim++ {
			for n := 0; n < 10 && !found; n++ {
				found = run(s, aim, 64) != nil
			}
		}
		t.Logf("%d jobs: %v", jobs, aim-1)
		if aim-1 > 203 || !found {
			t.Errorf("%d jobs: a makespan of %v, the optimum is 200", jobs, aim-1)
		}
	}
}

// A wide beam that aims at the area over the processors finds a schedule without idle time.
func TestWideBeamsLeaveNothingIdle(t *testing.T) {
	for _, unit := range []float64{1, 0.3125, 1 << 30} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 2))
			jobs, area := cut(4, 12, 8, rng), 0.0
			for k := range jobs {
				jobs[k].Duration *= unit
				area += float64(jobs[k].Size) * jobs[k].Duration
			}
			if order := run(New(4, jobs, rng), area/4, 10_000); len(order) != len(jobs) {
				t.Errorf("unit %v, seed %d: found %v", unit, seed, order)
			}
		}
	}
}

// A set of sums holds what it has been shifted by.
func TestSumsAreThoseOfSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := int32(rapid.IntRange(0, 300).Draw(t, "n"))
		s := &Search{}
		s.empty(300) // memory that holds something
		shift(s.sums, 1)
		sums, want := s.empty(n), map[int32]bool{0: true}
		for range rapid.IntRange(0, 8).Draw(t, "jobs") {
			size := int32(rapid.IntRange(1, 200).Draw(t, "size"))
			if size > n {
				continue
			}
			shift(sums, size)
			var more []int32
			for sum := range want {
				more = append(more, sum+size)
			}
			for _, sum := range more {
				want[sum] = true
			}
		}
		for limit := range n + 1 {
			least := int32(0)
			for sum := range want {
				if sum <= limit {
					least = max(least, sum)
				}
			}
			if got := most(sums, limit); got != least {
				t.Fatalf("the largest sum up to %d is %d, expected %d", limit, got, least)
			}
		}
	})
}

// Many processors are not summed up, and the search finds its schedules even so.
func TestBeamsOfManyProcessors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	jobs := cut(3*maxSum, 200, 30, rng)
	s := New(3*maxSum, jobs, rng)
	for range 100 {
		if order := run(s, 240, 64); order != nil {
			if makespan, complete := decoded(3*maxSum, jobs, order); !complete || makespan > 240 {
				t.Errorf("a schedule of %v, aimed at 240", makespan)
			}
			return
		}
	}
	t.Error("no schedule within 1.2 times the optimum")
}

// The best children are kept, whatever the order in which they come.
func TestBestChildrenAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		guides := rapid.SliceOfN(rapid.Float64Range(0, 5), 1, 200).Draw(t, "guides")
		s := &Search{width: rapid.IntRange(1, 10).Draw(t, "width")}
		s.enter()
		for _, g := range guides {
			s.add(&child{guide: math.Floor(g)})
		}
		n := min(2*s.width, len(guides))
		got := []float64{}
		for _, c := range best(s.children, n) {
			got = append(got, c.guide)
		}
		for k := range guides {
			guides[k] = math.Floor(guides[k])
		}
		slices.Sort(got)
		slices.Sort(guides)
		if !slices.Equal(got, guides[len(guides)-n:]) {
			t.Fatalf("kept %v of %v", got, guides)
		}
	})
}
