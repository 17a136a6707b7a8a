package backtest_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/allot-opt/allot/lab/backtest"
	"github.com/allot-opt/allot/lab/forecast"
)

// Ten jobs, one a day: four start at once; six wait 50 each and were forecast to wait 10, 50, 90 (covered), once 60 to 90 (before P10), once 10, 20, 30 (after P90)
// and once never.
func TestFiguresByHand(t *testing.T) {
	var samples []forecast.Sample
	for day := range 40 { // four times the same ten days: enough for an interval
		k, at := day%10, float64(100*day)
		s := forecast.Sample{Submitted: at, Start: at, Forecast: forecast.Quantiles{P10: at, P50: at, P90: at}, UpTo: 1}
		if k >= 4 {
			s.Start, s.Forecast = at+50, forecast.Quantiles{P10: at + 10, P50: at + 50, P90: at + 90}
			s.Before, s.UpTo = 0.5, 0.5
		}
		switch k {
		case 7:
			s.Forecast = forecast.Quantiles{P10: at + 60, P50: at + 70, P90: at + 90}
			s.Before, s.UpTo = 0, 0
		case 8:
			s.Forecast = forecast.Quantiles{P10: at + 10, P50: at + 20, P90: at + 30}
			s.Before, s.UpTo = 0.95, 1
		case 9:
			s.Forecast = forecast.Quantiles{P10: at + 10, P50: math.Inf(1), P90: math.Inf(1)}
			s.Before, s.UpTo = 0.05, 0.25 // three quarters of [0.05, 0.25] lie in the middle 80 %
		}
		samples = append(samples, s)
	}
	groups, err := backtest.New(samples, backtest.Options{Day: 100, Confidence: 0.95, Replicates: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]backtest.Group{}
	for _, g := range groups {
		byName[g.Name] = g
	}
	all, immediate, wait := byName[backtest.All], byName[backtest.AtOnce], byName[backtest.Waiting]
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	switch {
	case all.Jobs != 40 || immediate.Jobs != 16 || wait.Jobs != 24:
		t.Errorf("jobs: %d, %d, %d", all.Jobs, immediate.Jobs, wait.Jobs)
	case !near(all.Coverage, 0.8) || immediate.Coverage != 1 || !near(wait.Coverage, 4.0/6) || !near(wait.Early, 1.0/6) || !near(wait.Late, 1.0/6):
		t.Errorf("coverage: %+v", groups)
	case immediate.Low != nil || all.Low == nil || !(*all.Low < 0.8 && *all.High > 0.8):
		t.Errorf("intervals: %+v", groups)
	case !near(wait.Shared, (3+0+0+0.75)/6) || !near(immediate.Shared, 0.8):
		t.Errorf("shared: %v, %v", wait.Shared, immediate.Shared)
	case immediate.Points != 1 || wait.Points != 0 || !near(all.Points, 0.4):
		t.Errorf("points: %+v", groups)
	case *wait.MedianError != 0 || *wait.MeanError != 10 || *wait.MedianWidth != 80: // errors 0, 0, 0, 20, 30; widths 20, 30, 80, 80, 80
		t.Errorf("errors %v and %v, width %v", *wait.MedianError, *wait.MeanError, *wait.MedianWidth)
	case byName["forecast to wait 6 h or more"].Jobs != 16 || byName["forecast to wait 1 h to 6 h"].Jobs != 4 || byName["forecast never to start"].Jobs != 4:
		t.Errorf("classes: %+v", groups)
	}
	if _, err := json.Marshal(backtest.Report{Groups: groups, Samples: samples}); err != nil {
		t.Errorf("JSON: %v", err)
	}
	var once []forecast.Sample // on enough days for an interval, but all covered: each replicate would be, and it would have no width
	for k := range 40 {
		once = append(once, forecast.Sample{Submitted: float64(100 * k), Start: float64(100 * k), Forecast: forecast.Quantiles{P10: float64(100 * k), P50: float64(100 * k), P90: float64(100 * k)}, UpTo: 1})
	}
	if groups, err := backtest.New(once, backtest.Options{Day: 100, Confidence: 0.95, Replicates: 200, Seed: 1}); err != nil || len(groups) != 2 || groups[0].Coverage != 1 || groups[0].Low != nil {
		t.Errorf("all covered: %+v, %v", groups, err)
	}
	two := []forecast.Sample{{Start: 7, Forecast: forecast.Quantiles{P10: 5, P50: 6, P90: 9}, UpTo: 1}, {Start: 7, Forecast: forecast.Quantiles{P10: 1, P50: 3, P90: 11}, UpTo: 1}}
	if groups, err := backtest.New(two, backtest.Options{Day: 100}); err != nil || *groups[0].MedianError != 2.5 || *groups[0].MedianWidth != 7 {
		t.Errorf("medians of an even number are not the means of the two in the middle: %+v, %v", groups, err)
	}
	if _, err := backtest.New(nil, backtest.Options{Day: 1}); err == nil {
		t.Error("no samples are accepted")
	}
}

// The interval of a share lies from 0 to 1, also where all but few of the jobs are covered, or none but few.
func TestIntervalsAreShares(t *testing.T) {
	for _, most := range []bool{true, false} {
		var samples []forecast.Sample
		for k := range 40 {
			at := float64(100 * k)
			s := forecast.Sample{Submitted: at, Start: at + 50, Forecast: forecast.Quantiles{P10: at + 10, P50: at + 50, P90: at + 90}, UpTo: 1}
			if (k%20 == 7) == most {
				s.Start = at + 95
			}
			samples = append(samples, s)
		}
		groups, err := backtest.New(samples, backtest.Options{Day: 100, Confidence: 0.95, Replicates: 200, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if g := groups[0]; g.Low == nil || !(0 <= *g.Low && *g.Low < g.Coverage && g.Coverage < *g.High && *g.High <= 1) {
			t.Errorf("covered %v, from %v to %v", g.Coverage, *g.Low, *g.High)
		}
	}
}
