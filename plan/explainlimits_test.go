package plan

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// drawLimited draws a batch within a horizon, with power caps and machines that can be off. Times are quarters. In one of three batches no two jobs
// of a cluster run at once: there are processors for them, but too little power.
func drawLimited(t *rapid.T) *model.Instance {
	number := func(least, most int, name string) float64 { return float64(rapid.IntRange(least, most).Draw(t, name)) }
	quarters := func(most int, name string) float64 { return number(0, 4*most, name) / 4 }
	b := model.NewBuilder("limits").Minimise("energy", 1)
	from := quarters(2, "from")
	b.Spec().Horizon = &model.HorizonSpec{From: from, To: from + 3 + quarters(4, "to")}
	apart := chance(t, 3, "apart")
	for c := range 1 + rapid.IntRange(0, 1).Draw(t, "clusters") {
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		idle := 0.0
		for m := range 1 + rapid.IntRange(0, 1).Draw(t, "machines") {
			machine := model.MachineSpec{ID: fmt.Sprint("m", m), Processors: rapid.IntRange(1, 2).Draw(t, "processors"), Power: &model.PowerSpec{Idle: number(0, 2, "idle"), Busy: number(0, 3, "busy")}}
			if apart {
				machine.Processors = 2
			} else if chance(t, 3, "off") {
				machine.Power.Off = []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: quarters(1, "down")}, Up: model.WaySpec{Time: quarters(1, "up")}}}
				if chance(t, 2, "begins off") {
					machine.Power.Begin = "off"
				}
				if chance(t, 2, "ends off") {
					machine.Power.End = "off"
				}
			}
			idle += machine.Power.Idle
			cluster.Machines = append(cluster.Machines, machine)
		}
		if apart {
			cluster.PowerCap = [][]float64{{0, idle + 3}}
		} else if !chance(t, 3, "no cap") {
			for k, at := range []float64{quarters(1, "first"), 2 + quarters(1, "second"), 4} {
				if k == 0 || !chance(t, 3, "fewer steps") {
					cluster.PowerCap = append(cluster.PowerCap, []float64{at, idle + number(0, 6, "cap")})
				}
			}
		}
		b.Cluster(cluster)
	}
	for j := range rapid.IntRange(2, 4).Draw(t, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: quarters(2, "arrival"), Work: new(quarters(3, "work")), Processors: model.Rigid(rapid.IntRange(1, 2).Draw(t, "size"))}
		if apart {
			job.Processors, job.Power = model.Rigid(1), new(2.0)
		} else if chance(t, 4, "own power") {
			job.Power = new(number(0, 4, "power"))
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// drawWithinLimits draws a schedule of such a batch; nil: it breaks a rule, as of machines that cannot be in their last states.
func drawWithinLimits(t *rapid.T, in *model.Instance) *model.Solution {
	s, err := NewCheapSchedule(in, Placing{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range in.Jobs() {
		best := Slot{End: math.Inf(1)}
		for c := range in.Clusters() {
			if slot, ok := s.Earliest(j, c); ok && slot.End < best.End {
				best = slot
			}
		}
		if math.IsInf(best.End, 1) || chance(t, 4, "left out") {
			s.Leave(j, "drawn")
		} else {
			s.Place(j, best)
		}
	}
	sol := s.Solution()
	if report := model.Check(in, sol); !report.OK() {
		return nil
	}
	return sol
}

// What Explain says that a job waits for, the horizon, power caps, machines that are off or other jobs, keeps it from starting a quarter earlier where it runs. Where it says that the
// solver starts the job later than it has to, the job could start at the time that it states.
func TestExplainWaitsForTheLimits(t *testing.T) {
	said := map[string]int{}
	often.Check(t, 100, func(t *rapid.T) {
		in := drawLimited(t)
		sol := drawWithinLimits(t, in)
		if sol == nil || len(sol.Jobs) == 0 {
			return
		}
		p := sol.Jobs[rapid.IntRange(0, len(sol.Jobs)-1).Draw(t, "job")]
		job, _ := in.JobIndex(p.Job)
		c, _ := in.ClusterIndex(p.Cluster)
		at := func(start float64) *model.Solution { return with(in, sol, job, c, p.Processors, start) }
		if later := p.Start + float64(rapid.IntRange(0, 8).Draw(t, "later"))/4; right(in, at(later), job) {
			sol = at(later)
			p.Start = later
		}
		e := Explain(in, sol, job)
		early := p.Start-0.25 >= in.Jobs()[job].Arrival && right(in, at(p.Start-0.25), job)
		switch {
		case len(e.Waits) > 0:
			for _, w := range e.Waits {
				said[w.For]++
			}
			if early {
				t.Fatalf("job %d could start before %v, Explain: it waits for %+v\n%+v", job, p.Start, e.Waits, sol.Jobs)
			}
		case p.Start == e.Arrival:
		case *e.Free < p.Start:
			said["later"]++
			if !right(in, at(*e.Free), job) {
				t.Fatalf("job %d could not start at %v, Explain: it is free to from then on\n%+v", job, *e.Free, sol.Jobs)
			}
		default:
			said[e.Limited]++
			if early || e.Limited == "" {
				t.Fatalf("job %d could start before %v: %v, Explain: %q\n%+v", job, p.Start, early, e.Limited, sol.Jobs)
			}
		}
	})
	for _, what := range []string{"power", "processors", "later", LimitedByHorizon, LimitedBySleep, LimitedByCap} {
		if said[what] < 5 {
			t.Errorf("said %v: too little of %s", said, what)
		}
	}
}

// Where the horizon, power caps and machines that are off limit when jobs run, what Explain offers keeps these limits, and no set of processors has an earlier end at any quarter.
func TestExplainOffersWithinTheLimits(t *testing.T) {
	offered, later, none := 0, 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		in := drawLimited(t)
		sol := drawWithinLimits(t, in)
		if sol == nil {
			return
		}
		job := rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "job")
		_, to, _ := in.Horizon()
		for c, a := range Explain(in, sol, job).Alternatives {
			if !in.CanRun(job, c) {
				continue
			}
			size, _ := in.Width(job, c)
			first := math.Inf(1)
			for set := range 1 << in.Clusters()[c].Processors {
				var held []int
				for p := range in.Clusters()[c].Processors {
					if set&(1<<p) != 0 {
						held = append(held, p)
					}
				}
				if len(held) != size {
					continue
				}
				for at := in.Jobs()[job].Arrival; at <= to && at < first; at += 0.25 {
					if right(in, with(in, sol, job, c, model.Processors(held...), at), job) {
						first = at
					}
				}
			}
			switch {
			case a.Start == nil && math.IsInf(first, 1):
				none++
			case a.Start == nil:
				t.Fatalf("job %d on cluster %d could start at %v, Explain: %s\n%+v", job, c, first, a.Why, sol.Jobs)
			case *a.Start != first:
				t.Fatalf("job %d on cluster %d could first start at %v, Explain says at %v on %v\n%+v", job, c, first, *a.Start, a.Processors, sol.Jobs)
			default:
				if offered++; first > in.Jobs()[job].Arrival {
					later++
				}
			}
		}
	})
	if offered < 20 || later < 5 || none < 2 {
		t.Errorf("%d offered, %d of them later than the arrival, %d not at all", offered, later, none)
	}
}

// Decimals may fill the horizon: a job that would end later by rounding alone ends with it, also where single machines are asked for something.
func TestExplainFillsTheHorizon(t *testing.T) {
	rounded := 0
	for _, unit := range []float64{0.1, 0.3, 1.1, 0.001, 60.1} {
		for arrival := range 40 {
			for length := 1; length <= 4; length++ {
				for _, nodes := range []bool{false, true} {
					b := model.NewBuilder("full").Minimise("makespan", 1)
					to := unit * float64(arrival+length)
					b.Spec().Horizon = &model.HorizonSpec{To: to}
					machine, job := model.MachineSpec{ID: "m"}, model.JobSpec{ID: "j", Arrival: unit * float64(arrival), Work: new(unit * float64(length))}
					if nodes {
						machine.Resources, job.Resources = map[string]float64{"ram": 1}, map[string]float64{"ram": 1}
					}
					b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine}})
					b.Job(job)
					in, err := b.Build()
					if err != nil {
						t.Fatal(err)
					}
					if job.Arrival+*job.Work > to {
						rounded++
					}
					sol := &model.Solution{Jobs: []model.Placement{}, Unscheduled: []model.Unscheduled{{Job: "j", Reason: "no"}}}
					a := Explain(in, sol, 0).Alternatives[0]
					if a.End == nil || !right(in, with(in, sol, 0, 0, model.Processors(0), *a.Start), 0) && *a.End != to || *a.End > to {
						t.Errorf("%v·[%d, +%d), nodes %v: offers %v, %s", unit, arrival, length, nodes, endOrInf(a), a.Why)
					}
				}
			}
		}
	}
	if rounded < 50 {
		t.Errorf("only %d ends are later by rounding", rounded)
	}
}
