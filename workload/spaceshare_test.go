package workload_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

// §3: parallelism U[1, 64]; demands hyper-exponential with balanced means, mean 14.06 and CV 3.5; Poisson arrivals with
// λ · 14.06/64 the load.
func TestSpaceShareSection3Draws(t *testing.T) {
	race.OneGoroutine(t)
	const jobs = 200_000
	in, err := with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) { w.Jobs, w.Load = jobs, 0.8 }).Generate(5)
	if err != nil {
		t.Fatal(err)
	}
	var parallelism, gap, demand sample
	for k, j := range in.Jobs() {
		parallelism.add(float64(j.Max))
		demand.add(j.TotalWork())
		if k > 0 {
			gap.add(j.Arrival - in.Jobs()[k-1].Arrival)
		}
		if j.Min != 1 || j.Tasks != j.Max || j.Span != model.SpanGrid {
			t.Fatalf("job %s: %d to %d processors, %d tasks, span %s", j.ID, j.Min, j.Max, j.Tasks, j.Span)
		}
	}
	parallelism.whole(t, "maximum parallelism", 1, 64)
	gap.follows(t, "gap", exponential(14.06/(0.8*64)))
	// The standard deviation of a mean of n draws is 3.5 · 14.06/√n = 0.11; that of the CV is about 0.04 by the fourth moment of the distribution.
	mean, cv := demand.mean()
	if math.Abs(mean-14.06) > 0.4 || math.Abs(cv-3.5) > 0.15 {
		t.Errorf("demand: mean %v and CV %v, expected 14.06 and 3.5", mean, cv)
	}
	demand.follows(t, "demand", hyperExponential(14.06, 3.5))
}

// hyperExponential is the distribution function of two stages with balanced means: p1/μ1 = p2/μ2, so that μ = 2p/mean, and
// the squared CV is 1/(2·p1·p2) − 1, from E[x²] = 2·p1/μ1² + 2·p2/μ2².
func hyperExponential(mean, cv float64) func(float64) float64 {
	product := 1 / (2 * (cv*cv + 1)) // p1·p2, and p1 + p2 = 1
	p1 := 0.5 + math.Sqrt(0.25-product)
	p2 := 1 - p1
	return func(x float64) float64 { return 1 - p1*math.Exp(-2*p1*x/mean) - p2*math.Exp(-2*p2*x/mean) }
}

// A CV of 1 makes the demands exponential; other means and CVs hold as well.
func TestSpaceShareDemands(t *testing.T) {
	for _, c := range []struct{ mean, cv float64 }{{14.06, 1}, {2, 1.5}, {100, 10}} {
		in, err := with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) { w.MeanDemand, w.DemandCv = c.mean, c.cv }).Generate(8)
		if err != nil {
			t.Fatal(err)
		}
		var demand sample
		for k := range in.Jobs() {
			demand.add(in.Jobs()[k].TotalWork())
		}
		distribution := hyperExponential(c.mean, c.cv)
		if c.cv == 1 {
			distribution = exponential(c.mean)
		}
		demand.follows(t, "demand", distribution)
	}
}

// Eight clusters of eight processors; homogeneous speeds are 1, the generations keep their ratios at a mean of 1; a list shorter than the clusters is repeated.
func TestSpaceShareSpeeds(t *testing.T) {
	for _, c := range []struct {
		speeds   string
		clusters int
		want     []float64
	}{
		{"homogeneous", 8, []float64{1, 1, 1, 1, 1, 1, 1, 1}},
		{"generations", 8, []float64{1, 1.3, 1.7, 2.2, 2.8, 3.5, 4.4, 5.5}},
		{"generations", 3, []float64{1, 1.3, 1.7}},
		{"1, 3", 5, []float64{1, 3, 1, 3, 1}},
	} {
		in, err := with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) { w.Jobs, w.Clusters, w.Speeds = 0, c.clusters, c.speeds }).Generate(1)
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Clusters()) != c.clusters || in.Processors() != 8*c.clusters {
			t.Fatalf("%d clusters with %d processors", len(in.Clusters()), in.Processors())
		}
		sum := 0.0
		for _, speed := range c.want {
			sum += speed
		}
		for k, speed := range c.want {
			if got, want := in.Clusters()[k].Machines[0].Speed, speed*float64(c.clusters)/sum; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: cluster %d has speed %v, expected %v", c.speeds, k, got, want)
			}
		}
	}
}

// A processor with b tasks is busy b·work/speed + 200 µs + 50 µs + 0.5/12.5 s; each overhead can be left out.
func TestSpaceShareOverheads(t *testing.T) {
	for _, c := range []struct {
		set  func(*workload.SpaceShare)
		want float64
	}{
		{func(*workload.SpaceShare) {}, 0.0002 + 0.00005 + 0.04},
		{func(w *workload.SpaceShare) { w.ContextSwitch = 0 }, 0.00005 + 0.04},
		{func(w *workload.SpaceShare) { w.Latency = 0 }, 0.0002 + 0.04},
		{func(w *workload.SpaceShare) { w.Message, w.Bandwidth = 3, 6 }, 0.0002 + 0.00005 + 0.5},
		{func(w *workload.SpaceShare) { w.Message = 0 }, 0.0002},
	} {
		w := workload.Default[workload.SpaceShare]()
		w.Jobs = 50
		c.set(w)
		in, err := w.Generate(1)
		if err != nil {
			t.Fatal(err)
		}
		for k, j := range in.Jobs() {
			if got := in.Busy(k, 0, 2, 3) - 3*j.Work/2; math.Abs(got-c.want) > 1e-12*(1+j.Work) {
				t.Fatalf("job %s: overhead %v, expected %v", j.ID, got, c.want)
			}
		}
	}
}

// Local jobs are on every processor, or there are none.
func TestSpaceShareBackground(t *testing.T) {
	in, err := with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) { w.Jobs, w.BackgroundLoad = 1, 0.3 }).Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range in.Clusters() {
		if b := c.Machines[0].Background; b == nil || b.Load != 0.3 || b.Mean != 2 {
			t.Errorf("cluster %s: background %v", c.ID, b)
		}
	}
	if in, err = with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) { w.Jobs = 1 }).Generate(1); err != nil || in.Features().Has(model.BackgroundLoad) {
		t.Errorf("background load without being asked for; error %v", err)
	}
}

// Common random numbers: at another load only the arrivals change, by the ratio of the loads; other speeds and overheads leave the jobs alone; a
// smaller parallelism keeps demands and arrivals.
func TestSpaceShareCommonRandomNumbers(t *testing.T) {
	make := func(set func(*workload.SpaceShare)) *model.Instance {
		t.Helper()
		w := workload.Default[workload.SpaceShare]()
		w.Jobs = 500
		set(w)
		in, err := w.Generate(3)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	half, full := make(func(w *workload.SpaceShare) { w.Load = 0.45 }), make(func(w *workload.SpaceShare) { w.Load = 0.9 })
	fast, narrow := make(func(w *workload.SpaceShare) { w.Speeds, w.Load = "generations", 0.9 }), make(func(w *workload.SpaceShare) { w.MaxParallelism, w.Load = 16, 0.9 })
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	for k, j := range full.Jobs() {
		h, f, n := half.Jobs()[k], fast.Jobs()[k], narrow.Jobs()[k]
		if !near(h.Arrival, 2*j.Arrival) || h.Work != j.Work || h.Tasks != j.Tasks {
			t.Fatalf("job %s: %v at half the load", j.ID, h)
		}
		if f.Arrival != j.Arrival || f.Work != j.Work || n.Arrival != j.Arrival || !near(n.TotalWork(), j.TotalWork()) {
			t.Fatalf("job %s: %v at other speeds, %v at less parallelism", j.ID, f, n)
		}
	}
}
