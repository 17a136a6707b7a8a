package backfill

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/sim"
)

// starts records when jobs start.
type starts struct{ at []float64 }

func (s *starts) Arrived(float64, *sim.Job) { s.at = append(s.at, math.NaN()) }
func (s *starts) Started(now float64, j *sim.Job, _ []sim.Part) {
	s.at[j.Number] = now
}
func (s *starts) Left(float64, *sim.Job, sim.Outcome, string) {}
func (s *starts) Decided(float64)                             {}

// replay is the starts of a trace under a policy.
func replay(t testing.TB, specs []sim.Spec, processors int32, policy sim.Discipline, kill bool) []float64 {
	t.Helper()
	var s starts
	totals, err := sim.Run(context.Background(), &sim.Trace{Jobs: specs}, int(processors), policy, sim.Options{Kill: kill, Observer: &s})
	if err != nil {
		t.Fatal(err)
	}
	if totals.Left != int64(len(specs)) {
		t.Fatalf("%d of %d jobs left", totals.Left, len(specs))
	}
	return s.at
}

// kinds are the policies with their naive versions for traces and for instances.
var kinds = []tested{
	{"fcfs", func(float64) sim.Discipline { return FCFS(Ranking{}) }, naiveFCFS, richFCFS},
	{"easy", func(step float64) sim.Discipline { return EASY(step, 1, Ranking{}) }, naiveEASY, richEASY},
	{"conservative", func(step float64) sim.Discipline { return Conservative(step, Ranking{}) }, naiveConservative, richConservative},
	{"flexible", func(step float64) sim.Discipline { return Flexible(step, DefaultPriorities()) }, naiveFlexible, richFlexible},
}

// tested is a policy with its naive versions.
type tested struct {
	name       string
	discipline func(step float64) sim.Discipline
	plain      func(*naive)
	general    func(*rich, []int)
}

// randomTrace is a workload on which ties, early ends, late ends and jobs of no time are common.
func randomTrace(rng *rand.Rand) (specs []sim.Spec, processors int32) {
	processors = 1 + rng.Int32N(12)
	n := 1 + rng.IntN(40)
	at, length, gap := 0.0, 1+rng.IntN(12), rng.IntN(4)
	fraction := 1.0
	if rng.IntN(4) == 0 {
		fraction = 0.1 // sums that rounding disturbs
	}
	exact, over := rng.IntN(3) == 0, rng.IntN(2) == 0
	for range n {
		at += fraction * float64(rng.IntN(gap+1))
		s := sim.Spec{Arrival: at, Processors: 1 + rng.Int32N(processors), Runtime: fraction * float64(rng.IntN(length+1))}
		switch s.Estimate = s.Runtime + fraction*float64(rng.IntN(length+1)); {
		case exact:
			s.Estimate = s.Runtime
		case over && rng.IntN(3) == 0:
			s.Estimate = fraction * float64(rng.IntN(length+1))
		}
		specs = append(specs, s)
	}
	return specs, processors
}

// TestNaive compares every policy with a version that looks at every job at each instant, start by start.
func TestNaive(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for seed := range race.Fewer(uint64(800), 200) {
				rng := rand.New(rand.NewPCG(seed, 9))
				specs, processors := randomTrace(rng)
				step := []float64{1, 0.25, 3}[rng.IntN(3)]
				kill := rng.IntN(4) == 0
				want := newNaive(specs, processors, step, kill, kind.plain).start
				got := replay(t, specs, processors, kind.discipline(step), kill)
				for k := range want {
					if want[k] != got[k] {
						t.Fatalf("seed %d: job %d of %d starts at %v, the naive version says %v\n%s", seed, k, len(specs), got[k], want[k], shown(specs, processors))
					}
				}
			}
		})
	}
}

// shownNumber is a number as text.
func shownNumber(k int) string { return fmt.Sprint(k) }

// shown is a trace for a message.
func shown(specs []sim.Spec, processors int32) string {
	text := fmt.Sprintf("%d processors", processors)
	for k, s := range specs {
		text += fmt.Sprintf("\n%d: at %v, %d processors, runs %v, estimate %v", k, s.Arrival, s.Processors, s.Runtime, s.Estimate)
	}
	return text
}
