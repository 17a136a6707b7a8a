//go:build unix

package backfill

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	rules "github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
)

var planCases = flag.Int("plan-cases", 250, "random clusters in TestPlanMachineByMachine")

// steadyRun runs conservative backfilling with a plan machine by machine, and with one of all machines at each step; false: the platform does not allow the first.
type steadyRun struct {
	most  int
	order Ranking
	place string
}

// discipline is the policy; apart: with a plan machine by machine. planned counts the policies that have one.
func (r steadyRun) discipline(apart bool, planned *int) sim.Discipline {
	d := ConservativeUpTo(r.most, 1, r.order)
	d.Place = rules.Name(r.place)
	general := d.General
	d.General = func(platform *sim.Platform, seed uint64) sim.Policy {
		p := general(platform, seed).(*generalConservative)
		if p.nodes != nil {
			*planned++
		}
		if !apart {
			p.nodes = nil
		}
		return p
	}
	return d
}

// TestPlanMachineByMachine compares the plan machine by machine with the naive form on small clusters, and with the plan of all machines at each step also in other orders and under other rules.
func TestPlanMachineByMachine(t *testing.T) {
	cases, waited := 0, 0
	for seed := uint64(0); cases < *planCases; seed++ {
		rng := rand.New(rand.NewPCG(seed, 37))
		in, err := drawNodes(rng, seed%2 == 0)
		if err != nil {
			continue // what the jobs ask for contradicts itself
		}
		run := steadyRun{rng.IntN(2) * (1 + rng.IntN(8)), Ranking{}, []string{rules.First, "best", "dot"}[rng.IntN(3)]}
		ordered := rng.IntN(4) == 0
		if ordered {
			run.order = Ranking{Order: byShortest}
		}
		planned := 0
		got, totals, err := sim.Simulate(context.Background(), in, run.discipline(true, &planned), sim.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if planned == 0 {
			continue
		}
		cases++
		waited += totals.MaxQueue
		want, other, err := sim.Simulate(context.Background(), in, run.discipline(false, &planned), sim.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if diff := sameStarts(got, want); diff != "" || totals.Instants != other.Instants {
			t.Fatalf("seed %d, %+v: %d instants; with a plan of all machines %d\n%s\n%s", seed, run, totals.Instants, other.Instants, diff, stated(in))
		}
		if ordered {
			continue
		}
		most := run.most
		if most == 0 {
			most = math.MaxInt
		}
		n := newNaiveNodes(in, run.place, 1)
		if diff := sameStarts(got, n.run(n.wide, func() { n.conservativeUpTo(most) })); diff != "" {
			t.Fatalf("seed %d, %+v: the naive form starts otherwise\n%s\n%s", seed, run, diff, stated(in))
		}
	}
	if waited < 2*cases {
		t.Errorf("%d jobs waited on %d clusters: too few", waited, cases)
	}
}

// On clusters with GPUs and long queues the two plans give the same starts at the same instants.
func TestPlanMachineByMachineDeep(t *testing.T) {
	for k := range 8 {
		in := deepNodes(t, 10+5*k, 60+20*k, k%3 == 0)
		run := steadyRun{k % 2 * 40, Ranking{}, []string{rules.First, "best"}[k%4/2]}
		planned := 0
		got, totals, err := sim.Simulate(context.Background(), in, run.discipline(true, &planned), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, other, err := sim.Simulate(context.Background(), in, run.discipline(false, &planned), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := sameStarts(got, want); diff != "" || totals.Instants != other.Instants || planned != 2 {
			t.Errorf("case %d: %d instants, with a plan of all machines %d\n%s", k, totals.Instants, other.Instants, diff)
		}
	}
}
