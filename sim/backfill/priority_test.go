package backfill

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// TestDeadlineScore: a job that takes 10 and has to end at 100 has the low score until it would end at 80 (twice its time before the
// deadline), then one that grows in proportion, the high score at the deadline, and the low one where it would be late.
func TestDeadlineScore(t *testing.T) {
	p := DefaultPriorities()
	for _, c := range []struct{ now, deadline, fastest, want float64 }{
		{0, 100, 10, 0.1},
		{70, 100, 10, 0.1},
		{75, 100, 10, 0.1 + 9.9*5/20},
		{80, 100, 10, 0.1 + 9.9*10/20},
		{90, 100, 10, 10},
		{90.5, 100, 10, 0.1},
		{50, math.Inf(1), 10, 0.1},
		{100, 100, 0, 0.1}, // no time: the score has nowhere to grow
	} {
		if got := p.deadline(c.now, c.deadline, c.fastest); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %v, deadline %v, execution time %v: got %v, want %v", c.now, c.deadline, c.fastest, got, c.want)
		}
	}
	p.DeadlineK = 4
	if got, want := p.deadline(75, 100, 10), 0.1+9.9*25/40; math.Abs(got-want) > 1e-12 {
		t.Errorf("four times its time before the deadline: got %v, want %v", got, want)
	}
}

// TestDeadlineDecides: of two jobs that are alike but for a soft deadline the one that must start soon goes first in flexible
// backfilling, in whichever world: on one plain cluster too. With a zero for the high and the low score neither is preferred.
func TestDeadlineDecides(t *testing.T) {
	for _, extra := range []model.ClusterSpec{{}, {ID: "d", Machines: []model.MachineSpec{{ID: "n", Speed: 0.001}}}} {
		clusters := []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}}
		if extra.ID != "" {
			clusters = append(clusters, extra)
		}
		in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Clusters: clusters, Jobs: []model.JobSpec{
			{ID: "first", Runtime: map[string]float64{"c": 10}},
			{ID: "second", Runtime: map[string]float64{"c": 10}, Arrival: 1},
			{ID: "pressed", Runtime: map[string]float64{"c": 10}, Arrival: 1, Deadline: new(21.0)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			weights Priorities
			second  string
		}{{DefaultPriorities(), "pressed"}, {Priorities{Aging: 0.001, DeadlineK: 2, Licences: 1, Wait: 1}, "second"}, {Priorities{}, "second"}} {
			sol, _, err := sim.Simulate(context.Background(), in, Flexible(1, c.weights), sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := sol.Jobs[1].Job; got != c.second {
				t.Errorf("%d clusters, weights %+v: %s goes second, expected %s", len(clusters), c.weights, got, c.second)
			}
		}
	}
}

// A step of 0 is a step of 0: the end is the next instant. The step may also be lost in the spacing of the numbers.
func TestAfter(t *testing.T) {
	for _, c := range []struct{ now, step, want float64 }{
		{5, 0, math.Nextafter(5, 6)}, {5, 1, 6}, {1e18, 1, math.Nextafter(1e18, 2e18)},
	} {
		if got := after(c.now, c.step); got != c.want {
			t.Errorf("a step of %v after %v: %v, expected %v", c.step, c.now, got, c.want)
		}
	}
}
