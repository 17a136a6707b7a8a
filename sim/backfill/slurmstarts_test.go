package backfill

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// A job that can start does: none is left waiting for a cycle that never comes, or for machines that the cycle never looks at.
func TestSlurmStartsWhatCanStart(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"a moldable job that meets its deadline only on all the processors that it may hold",
			`"clusters": [{"id": "c", "machines": [{"id": "m", "processors": 6}]}],
			 "jobs": [{"id": "j", "arrival": 210, "estimate": 1.5, "processors": {"min": 2, "max": 5}, "deadline": 212, "deadline_hard": true}]`},
		{"a job that meets its deadline only on the fast machine",
			`"clusters": [{"id": "c", "machines": [{"id": "slow", "processors": 2, "speed": 0.5}, {"id": "fast", "processors": 2, "speed": 2}]}],
			 "jobs": [{"id": "j", "work": 10, "deadline": 12, "deadline_hard": true}]`},
		{"multiples of 0.1 s at clock times, where dividing rounds up",
			`"clusters": [{"id": "a", "machines": [{"id": "a", "processors": 6, "speed": 0.7}]},
			              {"id": "b", "machines": [{"id": "b0", "processors": 3, "memory": 8},
			               {"id": "b1", "processors": 3, "speed": 2, "closed": [{"from": 1700000060, "to": 1700000159}, {"from": 1700000264, "to": 1700000552}]}]}],
			 "jobs": [{"id": "0", "arrival": 1700000287, "estimate": 476, "deadline": 1700001597, "deadline_hard": true}, {"id": "16", "arrival": 1700000000, "estimate": 332, "processors": 4},
			          {"id": "18", "arrival": 1700000000, "work": 372, "processors": 4}, {"id": "21", "arrival": 1700000196, "work": 290, "processors": 6},
			          {"id": "23", "arrival": 1700000000, "estimate": 1.5, "processors": 5, "memory": 5}]`},
		{"a limit of machines that only the two middle ones keep: by processors, as Slurm judges sizes, the second of them is left out before the first of all",
			`"clusters": [{"id": "c", "machines": [{"id": "a", "processors": 5, "memory": 24}, {"id": "b", "processors": 5, "memory": 58},
			               {"id": "c", "processors": 4, "memory": 33}, {"id": "d", "processors": 3, "memory": 36}]}],
			 "jobs": [{"id": "j", "work": 35, "block": 2, "processors": 8, "memory": 7, "machines": 2}]`},
	} {
		in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", `+c.text+`}`), c.name)
		if err != nil {
			t.Fatal(err)
		}
		cycles := DefaultCycles()
		cycles.Interval, cycles.Depth, cycles.Tests = 0.1, 2, 1
		sol, _, err := sim.Simulate(context.Background(), in, Slurm(1, cycles, Ranking{}), sim.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(sol.Jobs) != len(in.Jobs()) {
			t.Errorf("%s: %d of %d jobs start: %v", c.name, len(sol.Jobs), len(in.Jobs()), sol.Unscheduled)
		}
	}
}

// The first multiple of the interval from a multiple on is that multiple, so the cycle that was asked for comes; and it is at most an interval ahead.
func TestSlurmMultiples(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 4))
	for range 100_000 {
		p := &slurm{Cycles: Cycles{Interval: []float64{0.001, 0.1, 0.3, 7.3, 30, 0.01 + 100*r.Float64()}[r.IntN(6)]}}
		at := []float64{0, 1e6, 1.7e9, 1.7e9 + 1.0/3}[r.IntN(4)] + 1000*r.Float64()
		next := p.multiple(at)
		if again := p.multiple(next); again != next {
			t.Fatalf("interval %v: the first multiple from %v on is %v, from there on %v", p.Interval, at, next, again)
		}
		if next < at || next > at+p.Interval*(1+1e-9)+1e-6 {
			t.Fatalf("interval %v: the first multiple from %v on is %v", p.Interval, at, next)
		}
	}
}
