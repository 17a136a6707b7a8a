package forecast

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// The numbers of the options lie within their limits, these included.
func TestLimitsOfOptions(t *testing.T) {
	for name, set := range map[string]func(o *Options, x float64){
		"day": func(o *Options, x float64) { o.Day = x }, "elapsed": func(o *Options, x float64) { o.Elapsed = map[string]float64{"a": x} },
	} {
		for x, right := range map[float64]bool{0: true, -1: false, math.SmallestNonzeroFloat64: true, 1: true, 1e18: true, math.Nextafter(1e18, 2e18): false, 1.5e18: false, math.Inf(1): false, math.NaN(): false} {
			o := Defaults()
			if set(&o, x); (o.Check() == nil) != right {
				t.Errorf("%s %v: %v", name, x, o.Check())
			}
		}
	}
	for name, c := range map[string]struct {
		least int
		set   func(o *Options, n int)
	}{
		"runs": {1, func(o *Options, n int) { o.Runs = n }}, "least": {1, func(o *Options, n int) { o.Least = n }}, "recent": {0, func(o *Options, n int) { o.Recent = n }},
		"days": {1, func(o *Options, n int) { o.Days = n }}, "trials": {0, func(o *Options, n int) { o.Trials = n }}, "workers": {0, func(o *Options, n int) { o.Workers = n }},
	} {
		for n, right := range map[int]bool{c.least - 1: false, c.least: true, most: true, most + 1: false} {
			o := Defaults()
			if c.set(&o, n); (o.Check() == nil) != right {
				t.Errorf("%s %d: %v", name, n, o.Check())
			}
		}
	}
}

// Without another setting a day has 24 hours, whatever unit the instance counts in.
func TestDayOfOtherUnits(t *testing.T) {
	queue := func(unit string, seconds float64) (*Forecast, error) {
		b := model.NewBuilder("days").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
		b.Spec().Units = &model.Units{Time: unit}
		for k := range 200 {
			length := 1800 * float64(2+k*7%9) / seconds
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: 3600 * float64(k) / seconds, Processors: model.Rigid(1 + k*3%4), Work: &length, Estimate: new(2 * length), User: string(rune('a' + k%2))})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		opt := Defaults()
		opt.Runs, opt.Trials = 9, 0
		return Queue(t.Context(), "fcfs", under{discipline: disciplines()["fcfs"]}, in, 3600*150/seconds, "", nil, opt)
	}
	want, err := queue("s", 1)
	if err != nil || len(want.Jobs) == 0 {
		t.Fatalf("%+v, %v", want, err)
	}
	for unit, seconds := range map[string]float64{"": 1, "min": 60, "h": 3600, "d": 86400} {
		got, err := queue(unit, seconds)
		if err != nil || len(got.Jobs) != len(want.Jobs) || got.Arrivals != want.Arrivals {
			t.Fatalf("%s: %+v, %v", unit, got, err)
		}
		for k := range want.Jobs {
			if x, y := *got.Jobs[k].P90*seconds, *want.Jobs[k].P90; math.Abs(x-y) > 1e-6*y {
				t.Errorf("%s: %s starts by %v s, want %v", unit, want.Jobs[k].Job, x, y)
			}
		}
	}
	if _, err := queue("slot", 1); err == nil || !strings.Contains(err.Error(), `units.time "slot"`) {
		t.Errorf("%v", err)
	}
}

// A forecast does not depend on the unit of time: where all times are a power of two as long, all starts are.
func TestForecastsInOtherUnits(t *testing.T) {
	for _, name := range []string{"fcfs", "easy", "conservative", "easy sjf", "easy wfp3", "easy depth", "conservative sjf"} { // the others have parameters that are times
		discipline := disciplines()[name]
		for _, at := range []float64{9, 17, 24, 31} {
			forecast := func(unit float64) *Forecast {
				var jobs []model.JobSpec
				for k := range 24 {
					length := unit * float64(2+k*7%9)
					jobs = append(jobs, model.JobSpec{ID: fmt.Sprint("j", k), Arrival: unit * float64(k*5/4), Processors: model.Rigid(1 + k*3%4), Work: &length, Estimate: new(2 * length), User: string(rune('a' + k%2))})
				}
				opt := Defaults()
				opt.Runs, opt.Day, opt.Days, opt.Trials, opt.Least = 9, 12*unit, 3, 0, 2
				f, err := Queue(t.Context(), name, under{discipline: discipline}, built(t, 4, jobs...), at*unit, "", nil, opt)
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			want := forecast(1)
			for _, unit := range []float64{1.0 / 1024, 1.0 / 32, 64} {
				got := forecast(unit)
				if len(got.Jobs) != len(want.Jobs) || len(want.Jobs) == 0 {
					t.Fatalf("%s at %v: %d jobs, in units of %v %d", name, at, len(want.Jobs), unit, len(got.Jobs))
				}
				for k := range want.Jobs {
					for q, x := range []*float64{got.Jobs[k].P10, got.Jobs[k].P50, got.Jobs[k].P90} {
						y := []*float64{want.Jobs[k].P10, want.Jobs[k].P50, want.Jobs[k].P90}[q]
						if (x == nil) != (y == nil) || x != nil && math.Abs(*x/unit-*y) > 1e-9*max(1, *y) {
							t.Fatalf("%s at %v, in units of %v: %+v, want %+v", name, at, unit, got.Jobs[k], want.Jobs[k])
						}
					}
				}
			}
		}
	}
}
