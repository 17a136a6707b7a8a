package lab

import (
	"context"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// TestFollowed: a comparison of runs that were followed is that of their schedules, to the last digit. Some jobs are ended at their estimates, and one can run nowhere.
func TestFollowed(t *testing.T) {
	b := model.NewBuilder("followed").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 6}}})
	for k := range 400 {
		work, estimate := float64(1000+k*k*7919%40000), float64(1500+k*6007%45000)
		b.Job(model.JobSpec{ID: named(k), Arrival: float64(k*k*31%2_000_000) + 0.1*float64(k%3), Processors: model.Rigid(1 + k*k%6), Work: &work, Estimate: &estimate, User: named(k % 5), Queue: named(k % 3)})
	}
	work := 10.0
	in, err := b.Job(model.JobSpec{ID: "wide", Processors: model.Rigid(7), Work: &work}).Build()
	if err != nil {
		t.Fatal(err)
	}
	options := Defaults()
	options.WarmUp, options.Shares = 0.05, true
	followed := options
	followed.Followed = map[string]*Followed{}
	var runs, without []Run
	for policy, rules := range map[string]sim.Discipline{"fcfs": backfill.FCFS(backfill.Ranking{}), "easy": backfill.EASY(1, 1, backfill.Ranking{})} {
		kill := sim.Options{Kill: policy == "easy"}
		sol, _, err := sim.Simulate(context.Background(), in, rules, kill)
		if err != nil {
			t.Fatal(err)
		}
		trace, order, err := sim.TraceOf(in)
		if err != nil {
			t.Fatal(err)
		}
		kill.Observer = Follow(in, order, options)
		if _, err := sim.Run(context.Background(), trace, 6, rules, kill); err != nil {
			t.Fatal(err)
		}
		runs, without = append(runs, Run{policy, true, sol}), append(without, Run{policy, true, nil})
		followed.Followed[policy] = kill.Observer.(*Followed)
	}
	want, err := Compare(context.Background(), in, runs, options)
	if err != nil {
		t.Fatal(err)
	}
	if left := max(want.Groups[0].Policies[0].LeftOut, want.Groups[0].Policies[1].LeftOut); left < 20 {
		t.Errorf("%d jobs are left out: the test proves little", left)
	}
	got, err := Compare(context.Background(), in, without, followed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// named is a number as a name.
func named(k int) string { return "n" + strconv.Itoa(k) }

// A run that does what no policy may do is found.
func TestFollowedIsChecked(t *testing.T) {
	b := model.NewBuilder("checked").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
	for k, width := range []int{3, 2, 1} {
		b.Job(model.JobSpec{ID: named(k), Arrival: float64(10 * k), Processors: model.Rigid(width), Work: new(20.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		start, end [3]float64
		processors int32
		twice      string
		wrong      bool
	}{
		"right":                    {[3]float64{0, 20, 20}, [3]float64{20, 40, 40}, 1, "", false},
		"too many at once":         {[3]float64{0, 10, 20}, [3]float64{20, 30, 40}, 1, "", true},
		"before its arrival":       {[3]float64{0, 20, 19}, [3]float64{20, 40, 39}, 1, "", true},
		"too short":                {[3]float64{0, 20, 20}, [3]float64{20, 40, 39}, 1, "", true},
		"with too many processors": {[3]float64{0, 20, 20}, [3]float64{20, 40, 40}, 2, "", true},
		"twice":                    {[3]float64{0, 20, 20}, [3]float64{20, 40, 40}, 1, "job 1", true},
	} {
		f := Follow(in, []int{0, 1, 2}, Defaults())
		for k := range 3 {
			f.schedule.start[k], f.schedule.end[k], f.schedule.processors[k] = c.start[k], c.end[k], []int32{3, 2, c.processors}[k]
		}
		f.twice = c.twice
		if err := f.Check(in); (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}
