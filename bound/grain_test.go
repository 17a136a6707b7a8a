package bound

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

func TestRoundUpToTheNextValueThatAScheduleCanHave(t *testing.T) {
	type job struct{ arrival, work, deadline float64 }
	for _, c := range []struct {
		name, metric string
		speed, unit  float64
		jobs         []job
		bound, want  float64 // in units
	}{
		{"whole numbers", "makespan", 1, 1, []job{{0, 68, 0}, {0, 3, 0}}, 67.99999, 68},
		{"a value itself", "makespan", 1, 1, []job{{0, 68, 0}, {0, 3, 0}}, 68, 68},
		{"just above a value", "makespan", 1, 1, []job{{0, 68, 0}, {0, 3, 0}}, 68 + 1e-9, 68 + 1e-9},
		{"a half in the arrivals", "makespan", 1, 1, []job{{0, 1, 0}, {0.5, 1, 0}}, 1.2, 1.5},
		{"a quarter in the arrivals", "makespan", 1, 1, []job{{0, 1, 0}, {1.25, 1, 0}}, 2.1, 2.25},
		{"a tenth in the arrivals", "makespan", 1, 1, []job{{0, 1, 0}, {0.3, 1, 0}}, 1.21, 1.3},
		{"tenths", "makespan", 1, 1, []job{{0, 0.1, 0}, {0.3, 0.7, 0}}, 0.81, 0.9},
		{"thirds", "makespan", 3, 1, []job{{0, 7, 0}, {0, 8, 0}}, 2.4, 8.0 / 3},
		{"multiples of 60", "makespan", 1, 1, []job{{0, 120, 0}, {60, 300, 0}}, 301, 360},
		{"small units", "makespan", 1, 1e-9, []job{{0, 2, 0}, {1, 3, 0}}, 3.5, 4},
		{"large units", "makespan", 1, 1e9, []job{{0, 2, 0}, {1, 3, 0}}, 3.5, 4},
		{"no common step", "makespan", 1, 1, []job{{0, 1, 0}, {0, math.Pi, 0}}, 3.2, 3.2},
		{"deadlines count", "over_deadline", 1, 1, []job{{0, 3, 0.5}, {0, 2, 0}}, 2.6, 3},
		{"deadlines do not count", "makespan", 1, 1, []job{{0, 3, 0.5}, {0, 2, 0}}, 2.6, 3},
		{"a half in the deadlines", "over_deadline", 1, 1, []job{{0, 3, 0.5}, {0, 2, 0}}, 2.1, 2.5},
		{"a mean", "mean_response", 1, 1, []job{{0, 3, 0}, {0, 2, 0}, {1, 2, 0}}, 2.1, 7.0 / 3},
		{"a mean wait", "mean_wait", 1, 1, []job{{0, 3, 0}, {0, 2, 0}}, 0.6, 1},
		{"whole jobs", "missed", 1, 1, []job{{0, math.Pi, 0}}, 0.5, 1},
		{"weights may be anything", "mcp", 1, 1, []job{{0, 3, 0}, {0, 2, 0}}, 2.1, 2.1},
		{"zero", "makespan", 1, 1, []job{{0, 3, 0}}, 0, 0},
	} {
		b := model.NewBuilder(c.name).Cluster(machine("c", 2, c.speed))
		for k, j := range c.jobs {
			spec := rigid(fmt.Sprint(k), 1, c.unit*j.work)
			spec.Arrival = c.unit * j.arrival
			if j.deadline > 0 {
				spec.Deadline = new(c.unit * j.deadline)
			}
			b.Job(spec)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := newRelaxation(context.Background(), in)
		if c.metric == "missed" {
			c.unit = 1
		}
		got := r.roundUp(c.metric, c.unit*c.bound)
		if math.Abs(got-c.unit*c.want) > 1e-12*c.unit*c.want || c.name != "tenths" && got > c.unit*c.want*(1+1e-15) {
			t.Errorf("%s: %v becomes %v, expected %v", c.name, c.unit*c.bound, got, c.unit*c.want)
		}
	}
}

// A mean over jobs of which some may be left out has another divisor. A job with a hard deadline may be left out where the objective says what that costs.
func TestMeansRoundOnlyWhereAllJobsArePlaced(t *testing.T) {
	hard := rigid("hard", 1, 3)
	hard.Deadline, hard.DeadlineHard = new(9.0), true
	for metric, mean := range map[string]float64{"mean_response": 2.5, "makespan": 2.5, "missed": 2.1, "unfinished": 2.1} {
		in, err := model.NewBuilder("hard").Cluster(machine("c", 1, 1)).Job(rigid("a", 1, 2), hard).Minimise("mean_wait", 1).Minimise(metric, 1).Build()
		if err != nil {
			t.Fatal(err)
		}
		r := newRelaxation(context.Background(), in)
		if got := r.roundUp("mean_response", 2.1); math.Abs(got-mean) > 1e-12 || got > mean {
			t.Errorf("beside %s: 2.1 becomes %v, expected %v", metric, got, mean)
		}
		if got := r.roundUp("makespan", 2.1); got != 3 {
			t.Errorf("beside %s: a makespan of 2.1 becomes %v, expected 3", metric, got)
		}
	}
}
