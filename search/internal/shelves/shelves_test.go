package shelves

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// randomJobs are monotonic jobs with times by table: with one more processor a job takes no longer, and no less processor time. Whole numbers give ties.
func randomJobs(rng *rand.Rand, n, most int) []Job {
	jobs, whole := make([]Job, n), rng.IntN(2) == 0
	for k := range jobs {
		times := make([]float64, 1+rng.IntN(most))
		times[0] = 1 + 20*rng.Float64()*math.Pow(float64(len(times)), rng.Float64())
		if whole {
			times[0] = math.Ceil(times[0])
		}
		flat := rng.Float64()
		for p := 1; p < len(times); p++ {
			least := times[p-1] * float64(p) / float64(p+1)
			times[p] = least + (times[p-1]-least)*flat*rng.Float64()
			if whole {
				times[p] = min(times[p-1], math.Ceil(times[p]))
			}
		}
		jobs[k] = Job{Least: 1, Most: len(times), Time: func(p int) float64 { return times[p-1] }}
	}
	return jobs
}

// monotonic reports that all jobs can run on one processor and that, up to the number of processors, time does not increase and processor time does not decrease, but for rounding.
func monotonic(processors int, jobs []Job) bool {
	const rounding = 1e-12
	for k := range jobs {
		j := &jobs[k]
		if j.Least != 1 {
			return false
		}
		for n := 2; n <= min(j.Most, processors); n++ {
			before, now := j.Time(n-1), j.Time(n)
			if now > before || float64(n)*now < float64(n-1)*before*(1-rounding) {
				return false
			}
		}
	}
	return true
}

// shortest is the least makespan over all orders and numbers of processors.
func shortest(processors int, jobs []Job) float64 {
	best := math.Inf(1)
	var place func(done int, free []float64, end float64)
	place = func(done int, free []float64, end float64) {
		if end >= best {
			return
		}
		if done == 1<<len(jobs)-1 {
			best = end
			return
		}
		for k := range jobs {
			if done&(1<<k) != 0 {
				continue
			}
			for p := 1; p <= min(jobs[k].Most, processors); p++ {
				after := slices.Clone(free)
				start := after[p-1]
				idle := p
				for idle < len(after) && after[idle] <= start {
					idle++
				}
				for i := idle - p; i < idle; i++ {
					after[i] = start + jobs[k].Time(p)
				}
				slices.Sort(after)
				place(done|1<<k, after, max(end, start+jobs[k].Time(p)))
			}
		}
	}
	place(0, make([]float64, processors), 0)
	return best
}

// wrong says what is wrong with a schedule that fits: a job that ends after 3/2 of the guess, or too many processors in use at once. Jobs that end where others start may overlap by rounding.
func wrong(s *Schedule, processors int, jobs []Job) string {
	type event struct {
		at    float64
		width int
	}
	var events []event
	for k := range jobs {
		length := jobs[k].Time(s.Width[k])
		if s.Start[k] < 0 || s.Start[k]+length > 1.5*s.Guess*(1+1e-9) {
			return "a job ends late"
		}
		events = append(events, event{s.Start[k] + 1e-7*s.Guess, s.Width[k]}, event{s.Start[k] + length, -s.Width[k]})
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.width, b.width)) })
	used := 0
	for _, e := range events {
		if used += e.width; used > processors {
			return "too many processors at once"
		}
	}
	return ""
}

// Theorem of §4: for monotonic jobs a refused guess is below the optimum, and one that is not refused gives a schedule of 3/2 of it. Tiny instances beside their optimum.
func TestDualOnTinyJobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	refused, built := 0, 0
	for range race.Fewer(10000, 600) {
		processors := 1 + rng.IntN(5)
		jobs := randomJobs(rng, 1+rng.IntN(4), 5)
		if !monotonic(processors, jobs) {
			t.Fatal("the jobs are not monotonic")
		}
		best := shortest(processors, jobs)
		for _, factor := range []float64{0.6, 0.8, 0.95, 1 - 1e-6, 1 + 1e-7, 1.1, 1.4} {
			s, ok := Dual(t.Context(), processors, jobs, factor*best)
			if !ok {
				if refused++; factor > 1 {
					t.Fatalf("%v is refused, the optimum is %v", factor*best, best)
				}
				continue
			}
			built++
			if fault := wrong(&s, processors, jobs); !s.Fits || fault != "" {
				t.Fatalf("%d jobs on %d processors, %v of the optimum %v: fits %v: %s", len(jobs), processors, factor, best, s.Fits, fault)
			}
		}
	}
	if refused < 300 || built < 300 {
		t.Errorf("%d refused, %d built", refused, built)
	}
}

// denseJobs are monotonic jobs that together take about the processors for a time of 1: many with almost no loss by more processors, so that the second shelf is too full, some
// of one processor, and small ones.
func denseJobs(rng *rand.Rand, processors int) []Job {
	var jobs []Job
	narrow, small, loss := 0.5*rng.Float64(), rng.Float64(), 0.2*rng.Float64()
	lossless := rng.Float64()
	for left := float64(processors) * (0.7 + 0.3*rng.Float64()); left > 0; {
		times := make([]float64, 1+rng.IntN(6))
		switch times[0] = 0.5 + 2.5*rng.Float64(); {
		case rng.Float64() < narrow:
			times = []float64{0.5 + 0.5*rng.Float64()}
		case rng.Float64() < small:
			times[0] = 0.5 * rng.Float64()
		}
		left -= times[0]
		loss := loss
		if rng.Float64() < lossless {
			loss = 0
		}
		for p := 1; p < len(times); p++ {
			least := times[p-1] * float64(p) / float64(p+1)
			times[p] = least + (times[p-1]-least)*loss*rng.Float64()
		}
		jobs = append(jobs, Job{Least: 1, Most: len(times), Time: func(p int) float64 { return times[p-1] }})
	}
	return jobs
}

// Lemmas of §4: however full the second shelf is, the moves make room for it, and the small jobs find gaps.
func TestDualOnDenseJobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	full, gapped := 0, 0
	for range race.Fewer(12000, 4000) {
		processors := 1 + rng.IntN(30)
		jobs := denseJobs(rng, processors)
		if !monotonic(processors, jobs) {
			t.Fatal("the jobs are not monotonic")
		}
		area := 0.0
		for k := range jobs {
			area += jobs[k].Time(1)
		}
		least := area / float64(processors) * (1 + 1e-9)
		for _, d := range []float64{least, 1.01 * least, 1, 1.02, 1.1} {
			s, ok := Dual(t.Context(), processors, jobs, d)
			if !ok {
				continue
			}
			if fault := wrong(&s, processors, jobs); !s.Fits || fault != "" {
				t.Fatalf("%d jobs on %d processors within %v: fits %v: %s", len(jobs), processors, d, s.Fits, fault)
			}
			begun := newTable(processors, jobs, d)
			if begun.fill(t.Context()); !begun.fits() {
				full++
			}
			if begun.used[second] > 0 && begun.used[small] > 0 {
				gapped++
			}
		}
	}
	t.Logf("the second shelf was too full %d times, and had small jobs below it %d times", full, gapped)
	if least := race.Fewer(200, 60); full < least || gapped < least {
		t.Errorf("the second shelf was too full %d times, and had small jobs below it %d times", full, gapped)
	}
}

// A job leaves the second shelf only for processors that neither of the others uses: on 3 processors, 2 of them taken, a job that needs 2 stays, and one that needs 1 goes, to the
// first shelf if it ends there within the guess.
func TestMoveToFirst(t *testing.T) {
	linear := func(work float64) Job {
		return Job{Least: 1, Most: 4, Time: func(p int) float64 { return work / float64(p) }}
	}
	for _, c := range []struct {
		work float64
		from shelf // that holds the other job
		to   shelf
	}{{2, tall, second}, {2, first, second}, {1.4, tall, tall}, {1.4, first, tall}, {1, tall, first}, {0.9, first, first}} {
		table := newTable(3, []Job{linear(3), linear(c.work)}, 1)
		table.put(0, c.from, 2)
		table.put(1, second, 4)
		if moved := table.moveToFirst(); table.shelf[1] != c.to || moved != (c.to != second) {
			t.Errorf("work %v, beside shelf %d: moved %v, to shelf %d, want %d", c.work, c.from, moved, table.shelf[1], c.to)
		}
		if c.to != second && (table.Width[1] != 1 || table.used[second] != 0) {
			t.Errorf("work %v: %d processors, %d left on the second shelf", c.work, table.Width[1], table.used[second])
		}
	}
}

// The canonical number of processors is the first that is enough, also where a time is met exactly.
func TestCanonical(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	for range 2000 {
		j := randomJobs(rng, 1, 9)[0]
		j.Least = 1 + rng.IntN(j.Most)
		processors, time := 1+rng.IntN(10), j.Time(j.Least+rng.IntN(j.Most-j.Least+1))
		if rng.IntN(3) == 0 {
			time *= 0.9
		}
		want := 0
		for p := min(j.Most, processors); p >= j.Least; p-- {
			if j.Time(p) <= time {
				want = p
			}
		}
		if got := j.Canonical(time, processors); got != want {
			t.Fatalf("%d of [%d, %d], want %d", got, j.Least, j.Most, want)
		}
	}
}

// Best ends within 1 % of what it refuses, so that its schedule is at most 1.515 times the optimum, also where there are many jobs or many processors.
func TestBestIsWithinItsRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for k := range race.Fewer(400, 40) {
		processors := 1 + rng.IntN(1<<rng.IntN(8))
		jobs := randomJobs(rng, 1+rng.IntN(120), []int{1, 4, 40, 300}[k%4])
		s, refused, ok := Best(t.Context(), processors, jobs)
		if !ok || !s.Fits || s.Guess > refused*1.01*(1+1e-12) {
			t.Fatalf("%d jobs on %d processors: found %v, fits %v, guess %v, refused %v", len(jobs), processors, ok, s.Fits, s.Guess, refused)
		}
		if fault := wrong(&s, processors, jobs); fault != "" {
			t.Fatalf("%d jobs on %d processors: %s", len(jobs), processors, fault)
		}
		area, longest := 0.0, 0.0
		for i := range jobs {
			area += jobs[i].Time(1)
			longest = max(longest, jobs[i].Time(min(jobs[i].Most, processors)))
		}
		least := max(longest, area/float64(processors))
		if refused < least*(1-1e-12) {
			t.Errorf("refused up to %v, the area and the longest job need %v", refused, least)
		}
		if _, accepted := Dual(t.Context(), processors, jobs, refused); accepted && refused > least*(1+1e-12) {
			t.Errorf("%v counts as refused and is not", refused)
		}
	}
}

// The knapsack finds the best choice, by enumeration; a greedy one fits.
func TestKnapsack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		items := make([]item, rng.IntN(9))
		for k := range items {
			items[k] = item{k, 1 + rng.IntN(9), float64(1 + rng.IntN(9))}
		}
		capacity := rng.IntN(30)
		value := func(chosen []item) (sum float64, fits bool) {
			weight := 0
			for _, i := range chosen {
				sum += i.value
				weight += i.weight
			}
			return sum, weight <= capacity
		}
		best := 0.0
		for set := range 1 << len(items) {
			var chosen []item
			for k := range items {
				if set&(1<<k) != 0 {
					chosen = append(chosen, items[k])
				}
			}
			if sum, fits := value(chosen); fits {
				best = max(best, sum)
			}
		}
		if sum, fits := value(knapsack(t.Context(), items, capacity)); !fits || sum != best {
			t.Fatalf("%v, capacity %d: %v (fits: %v), the best is %v", items, capacity, sum, fits, best)
		}
	}
	many := make([]item, 3000)
	for k := range many {
		many[k] = item{k, 1 + k%7, 1}
	}
	weight := 0
	for _, i := range knapsack(t.Context(), many, 5000) {
		weight += i.weight
	}
	if weight > 5000 || weight < 4990 {
		t.Errorf("greedy: a weight of %d of 5000", weight)
	}
}

// A context that has ended ends the search for a guess.
func TestBestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, ok := Best(ctx, 64, randomJobs(rand.New(rand.NewPCG(6, 5)), 100, 40)); ok {
		t.Error("a schedule after the end of the context")
	}
}
