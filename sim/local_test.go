package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// localJob is a local job of the slow reference.
type localJob struct{ arrival, left float64 }

// drawn lists the local jobs that arrive by a time.
func drawn(seed uint64, load *model.Background, until float64) []localJob {
	q := newLocalQueue(seed, 7, load)
	var jobs []localJob
	for q.arrival() <= until {
		arrival := q.next
		jobs = append(jobs, localJob{arrival, q.arrive()})
	}
	return jobs
}

// slowStretch goes from event to event with each local job by itself: those that have arrived are served in order, at the full speed while
// no part is there and at half of it beside one. It changes what is left of the local jobs, and returns when the part ends.
func slowStretch(jobs []localJob, from, start, takes, at float64) (end float64) {
	now, left := from, takes
	for {
		present := now >= start
		if present && left <= 0 {
			return now
		}
		if now >= at {
			return math.Inf(1)
		}
		then, running := at, -1
		if !present {
			then = min(then, start)
		}
		for k := range jobs {
			switch {
			case jobs[k].arrival > now:
				then = min(then, jobs[k].arrival)
			case jobs[k].left > 1e-12 && running < 0:
				running = k
			}
		}
		local, own := 0.0, 0.0
		switch {
		case present && running >= 0:
			local, own = 0.5, 0.5
		case present:
			own = 1
		case running >= 0:
			local = 1
		}
		if running >= 0 {
			then = min(then, now+jobs[running].left/local)
		}
		if present {
			then = min(then, now+left/own)
		}
		if running >= 0 {
			jobs[running].left -= local * (then - now)
			if jobs[running].left < 1e-12 {
				jobs[running].left = 0
			}
		}
		if left -= own * (then - now); left < 1e-12 {
			left = 0
		}
		now = then
	}
}

// TestLocalJobsAgainstEvents: the ends of parts are those of a simulation that follows each local job.
func TestLocalJobsAgainstEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		load := &model.Background{Load: 0.05 + 1.2*rng.Float64(), Mean: 0.5 + 3*rng.Float64()}
		q := newLocalQueue(seed, 7, load)
		jobs := drawn(seed, load, 400*load.Mean)
		at := 0.0
		for range 6 {
			start, takes, until := at+10*rng.Float64()*load.Mean, 8*rng.Float64()*load.Mean, math.Inf(1)
			if rng.IntN(3) == 0 {
				until = start + 6*rng.Float64()*load.Mean
			}
			got, want := q.stretch(start, takes, until), slowStretch(jobs, at, start, takes, until)
			if math.IsInf(got, 1) != math.IsInf(want, 1) || !math.IsInf(want, 1) && math.Abs(got-want) > 1e-8*want {
				t.Fatalf("a part of %v from %v to at most %v ends at %v, expected %v", takes, start, until, got, want)
			}
			if !math.IsInf(got, 1) && (got < start+takes-1e-9*start || got > start+2*takes+1e-9*start) {
				t.Fatalf("a part of %v from %v ends at %v", takes, start, got)
			}
			if at = until; !math.IsInf(got, 1) {
				at = got
			}
		}
	})
}

// TestLocalJobsAreMM1: rate, work and unfinished work at random times are those of the queue M/M/1, also across a long time that is not gone
// through (mean unfinished work ρ·mean/(1 − ρ), Kleinrock 1975, §5.12).
func TestLocalJobsAreMM1(t *testing.T) {
	race.OneGoroutine(t)
	load := &model.Background{Load: 0.5, Mean: 2}
	jobs, work := drawn(3, load, 400_000), 0.0
	for _, j := range jobs {
		work += j.left
	}
	if rate := float64(len(jobs)) / 400_000; math.Abs(rate-0.25) > 0.005 {
		t.Errorf("rate %v, expected 0.25", rate)
	}
	if mean := work / float64(len(jobs)); math.Abs(mean-2) > 0.04 {
		t.Errorf("mean %v, expected 2", mean)
	}
	for _, gap := range []float64{50, 40_000} { // the second leaps
		q, sum := newLocalQueue(5, 7, load), 0.0
		const n = 6000
		for k := range n {
			q.idle(float64(k+1) * gap)
			sum += q.backlog
		}
		if mean := sum / n; math.Abs(mean-2) > 0.2 {
			t.Errorf("every %v: mean unfinished work %v, expected 2", gap, mean)
		}
	}
}

// TestLongPartsAmongLocalJobs: beside local jobs of load ρ a long part runs at 1 − ρ, and at half the speed from ρ = 1/2 on; it does not
// matter whether it is longer or shorter than what is gone through job by job.
func TestLongPartsAmongLocalJobs(t *testing.T) {
	for load, rate := range map[float64]float64{0.1: 0.9, 0.4: 0.6, 0.8: 0.5, 5: 0.5} {
		for _, units := range []float64{longPart / 2, longPart * 16} {
			q := newLocalQueue(11, 3, &model.Background{Load: load, Mean: 0.01})
			takes := units * q.unit
			if end := q.stretch(0, takes, math.Inf(1)); math.Abs(end*rate/takes-1) > 0.02 {
				t.Errorf("load %v: %v takes %v, expected %v", load, takes, end, takes/rate)
			}
		}
	}
}

// TestLocalJobsAtOddTimes: no time, mean or load makes the queue run for ever or a part more than twice as long.
func TestLocalJobsAtOddTimes(t *testing.T) {
	race.OneGoroutine(t)
	odd := []float64{0, 1e-300, 1e-9, 1, 1e9, 1e15, 1e300}
	for _, mean := range odd[1:] {
		for _, load := range []float64{1e-12, 0.5, 1, 1e9} {
			for _, start := range odd {
				for _, takes := range odd {
					q := newLocalQueue(1, 1, &model.Background{Load: load, Mean: mean})
					end := q.stretch(start, takes, math.Inf(1))
					if !(end >= start+takes*(1-1e-9) && end <= (start+2*takes)*(1+1e-9)) {
						t.Errorf("mean %v, load %v: a part of %v from %v ends at %v", mean, load, takes, start, end)
					}
				}
			}
		}
	}
}

// Processors have local jobs of their own, whichever cluster they are on, and the same ones in every run with the same seed.
func TestLocalJobsOfEachProcessorAreItsOwn(t *testing.T) {
	load := &model.Background{Load: 0.5, Mean: 2}
	run := func(seed uint64) (first map[[2]int]float64) {
		all := &localJobs{seed: seed, processors: map[[2]int]*localQueue{}}
		first = map[[2]int]float64{}
		for cluster := range 4 {
			for processor := range 20 {
				first[[2]int{cluster, processor}] = all.of(cluster, processor, load).arrival()
			}
		}
		return first
	}
	a, again, other := run(1), run(1), run(2)
	seen := map[float64]bool{}
	for at, first := range a {
		if seen[first] {
			t.Errorf("processor %v has the local jobs of another one", at)
		}
		if seen[first] = true; again[at] != first || other[at] == first {
			t.Errorf("processor %v: the first local job at %v, with the same seed at %v, with another one at %v", at, first, again[at], other[at])
		}
	}
}
