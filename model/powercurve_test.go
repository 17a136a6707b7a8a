package model_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// isNear says whether two numbers differ by at most 1e-9 of a size.
func isNear(a, b, size float64) bool { return math.Abs(a-b) <= 1e-9*size }

// The area below the curve is the energy, the area below the curve times the prices is the cost, and its highest point is the peak, as the evaluator finds them.
func TestPowerCurve(t *testing.T) {
	seen := map[model.PowerPart]bool{}
	priced := false
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures | modeltest.PowerFeatures}.Instance(t)
		sol := drawSolution(t, in)
		found, err := model.Evaluate(in, sol)
		use, known, failed := model.Power(in, sol)
		if (err == nil) != (failed == nil) {
			t.Fatalf("evaluated with %v, power with %v", err, failed)
		}
		energy, measured := found.Metrics.Get("energy")
		if err != nil || !measured {
			return
		}
		if !known {
			t.Fatal("the energy is known and the power is not")
		}
		all := use.All()
		area, peak := 0.0, 0.0
		checkSteps(t, use, all)
		for k, s := range all[:len(all)-1] {
			area, peak = area+s.Total()*(all[k+1].Time-s.Time), max(peak, s.Total())
			for part, x := range s.Parts {
				seen[model.PowerPart(part)] = seen[model.PowerPart(part)] || x > 0
			}
		}
		most, _ := found.Metrics.Get("peak_power")
		if !isNear(area, energy, energy) || !isNear(peak, most, most) {
			t.Fatalf("the curve has an area of %v and a peak of %v, the evaluator %v and %v", area, peak, energy, most)
		}
		var cost, carbon, costSize, carbonSize, ofClusters float64
		for c := range in.Clusters() {
			tariff, steps := in.Clusters()[c].Tariff, use.Of(c)
			checkSteps(t, use, steps)
			for k, s := range steps[:len(steps)-1] {
				end := steps[k+1].Time
				ofClusters += s.Total() * (end - s.Time)
				if tariff == nil || s.Time == end {
					continue
				}
				times, prices, values, _ := tariff.Steps(s.Time, end)
				for n := range times {
					until := end
					if n+1 < len(times) {
						until = times[n+1]
					}
					units := s.Total() * (until - times[n]) / tariff.Per
					cost, costSize = cost+units*prices[n], costSize+units*math.Abs(prices[n])
					carbon, carbonSize = carbon+units*values[n], carbonSize+units*math.Abs(values[n])
				}
			}
		}
		if !isNear(ofClusters, energy, energy) {
			t.Fatalf("the curves of clusters have an area of %v, the evaluator finds %v", ofClusters, energy)
		}
		if want, measured := found.Metrics.Get("energy_cost"); measured {
			if priced = true; !isNear(cost, want, costSize) {
				t.Fatalf("the curve costs %v, the evaluator finds %v", cost, want)
			}
		}
		if want, measured := found.Metrics.Get("carbon"); measured && !isNear(carbon, want, carbonSize) {
			t.Fatalf("the curve emits %v, the evaluator finds %v", carbon, want)
		}
	})
	for part := range model.PowerParts {
		if !seen[part] {
			t.Errorf("no curve has part %d", part)
		}
	}
	if !priced {
		t.Error("no curve has prices")
	}
}

// checkSteps checks the order of a curve's steps.
func checkSteps(t *rapid.T, use *model.PowerUse, list []model.PowerStep) {
	last := list[len(list)-1]
	switch {
	case list[0].Time != use.From || last.Time != use.To || last.Total() != 0:
		t.Fatalf("from %+v to %+v, the time that counts is %v to %v", list[0], last, use.From, use.To)
	case !slices.IsSortedFunc(list, func(a, b model.PowerStep) int {
		if a.Time < b.Time {
			return -1
		}
		return 1
	}):
		t.Fatalf("not in the order of time: %v", list)
	}
}

// Two jobs on a machine that sleeps between them, beside one that is always on, worked by hand.
func TestPowerCurveByHand(t *testing.T) {
	sleeps := &model.PowerSpec{Idle: 2, Busy: 1, Off: []model.OffSpec{{Name: "off", Power: 0.5, Down: model.WaySpec{Time: 1, Power: 1}, Up: model.WaySpec{Time: 2, Power: 9}}}}
	b := model.NewBuilder("x").Minimise("energy", 1).Cluster(
		model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: sleeps}}}, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "n", Power: &model.PowerSpec{Idle: 10, Busy: 4}}}})
	b.Job(model.JobSpec{ID: "a", Work: new(2.0)}, model.JobSpec{ID: "b", Work: new(3.0), Power: new(7.0)}, model.JobSpec{ID: "z", Work: new(2.0)})
	b.Spec().Horizon = &model.HorizonSpec{To: 18}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	use, known, err := model.Power(in, &model.Solution{Jobs: []model.Placement{
		{Job: "a", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 2}, {Job: "b", Cluster: "c", Processors: model.Processors(0), Start: 15, End: 18},
		{Job: "z", Cluster: "d", Processors: model.Processors(0), Start: 2, End: 4}}})
	if err != nil || !known || use.From != 0 || use.To != 18 {
		t.Fatal(use, known, err)
	}
	step := func(time, on, off, ways, running float64) model.PowerStep {
		return model.PowerStep{Time: time, Parts: [model.PowerParts]float64{on, off, ways, running}}
	}
	for _, c := range []struct {
		got, want []model.PowerStep
	}{
		{use.Of(0), []model.PowerStep{step(0, 2, 0, 0, 1), step(2, 0, 0, 1, 0), step(3, 0, 0.5, 0, 0), step(13, 0, 0, 9, 0), step(15, 2, 0, 0, 7), step(18, 0, 0, 0, 0)}},
		{use.Of(1), []model.PowerStep{step(0, 10, 0, 0, 0), step(2, 10, 0, 0, 4), step(4, 10, 0, 0, 0), step(18, 0, 0, 0, 0)}},
		{use.All(), []model.PowerStep{step(0, 12, 0, 0, 1), step(2, 10, 0, 1, 4), step(3, 10, 0.5, 0, 4), step(4, 10, 0.5, 0, 0), step(13, 10, 0, 9, 0), step(15, 12, 0, 0, 7), step(18, 0, 0, 0, 0)}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Error(diff)
		}
	}
}

// Power that cannot be known is not stated, and neither is that of a schedule that cannot be read.
func TestPowerThatIsNotKnown(t *testing.T) {
	b := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m",
		Power: &model.PowerSpec{Idle: 2, SuspendAfter: new(1.0), Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 9, Power: 3}}}}}}})
	b.Job(model.JobSpec{ID: "a", Work: new(2.0)}, model.JobSpec{ID: "b", Work: new(3.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	at := func(job string, start, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.Processors(0), Start: start, End: end}
	}
	if use, known, err := model.Power(in, &model.Solution{Jobs: []model.Placement{at("a", 0, 2), at("b", 4, 7)}}); use != nil || known || err != nil {
		t.Errorf("a machine that cannot be up again: %v, %v, %v", use, known, err)
	}
	if _, _, err := model.Power(in, &model.Solution{Jobs: []model.Placement{at("nobody", 0, 2)}}); err == nil {
		t.Error("a job that is not there: no error")
	}
}
