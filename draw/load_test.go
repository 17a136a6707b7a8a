package draw

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// TestLoadIsTheMean compares the load of every period with the sum over all jobs, and the queue with the count of jobs at every moment at which it may
// change.
func TestLoadIsTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := model.NewBuilder("any").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 8}}})
		sol := new(model.Solution)
		for k := range rapid.IntRange(1, 12).Draw(t, "jobs") {
			arrival := 10 * float64(rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(0, 400)).Draw(t, "arrival"))
			start := arrival + rapid.SampledFrom([]float64{0, 10, 700, 5000}).Draw(t, "wait")
			p := rapid.IntRange(0, 7).Draw(t, "processor")
			b.Job(model.JobSpec{ID: fmt.Sprint(k), Work: pointer(1), Arrival: arrival, User: fmt.Sprint("u", k%3)})
			sol.Jobs = append(sol.Jobs, at(fmt.Sprint(k), "c", start, start+rapid.Float64Range(0, 3000).Draw(t, "length"), run(p/2, p)))
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		l, err := newLayout(sol, in, RowsProcessors)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "window") && l.end-l.start > 100 {
			if err := l.cut(Window{From: (l.end - l.start) / 7, HasFrom: true, To: (l.end - l.start) / 2, HasTo: true}); err != nil {
				t.Fatal(err)
			}
		}
		s, err := newScheme(l, ByUser, mostClasses)
		if err != nil {
			t.Fatal(err)
		}
		v := newLoad(l, s, rapid.IntRange(1, 40).Draw(t, "periods"))
		for n := range v.n {
			from, to := v.bounds(n)
			if to-from < 1e-6 {
				continue
			}
			overlap := func(a, b float64) float64 { return max(0, min(b, to)-max(a, from)) / (to - from) }
			held, waiting := make([]float64, len(s.names)), make([]float64, len(s.names))
			for k := range sol.Jobs {
				p := &sol.Jobs[k]
				held[s.of[k]] += overlap(p.Start, p.End) * float64(p.Processors.Len()) / 8
				waiting[s.of[k]] += overlap(l.jobs[k].arrival, p.Start)
			}
			for class := range held {
				if math.Abs(held[class]-v.held[0][class][n]) > 1e-6 || math.Abs(waiting[class]-v.waiting[class][n]) > 1e-6 {
					t.Fatalf("period %d, %s: %v held and %v waiting, want %v and %v", n, s.names[class], v.held[0][class][n], v.waiting[class][n], held[class], waiting[class])
				}
			}
		}
		peak := 0
		for k := range l.jobs {
			now := 0
			for n := range l.jobs {
				if at := max(l.jobs[k].arrival, l.start); l.jobs[n].arrival <= at && at < min(l.jobs[n].start, l.end) {
					now++
				}
			}
			peak = max(peak, now)
		}
		if v.peak != peak {
			t.Fatalf("at most %d jobs wait, want %d", v.peak, peak)
		}
	})
}

// TestManyJobsShowTheirLoad: many small jobs are shown as their load, unless jobs are asked for or a window shows few of them.
func TestManyJobsShowTheirLoad(t *testing.T) {
	many, all := crowd(t, 28_000, 40)
	few, in := small(t)
	for _, c := range []struct {
		name string
		sol  *model.Solution
		opt  GanttOptions
		load bool
	}{
		{"many", many, GanttOptions{Instance: all}, true},
		{"many, asked for", many, GanttOptions{Instance: all, View: ShowJobs}, false},
		{"a window of many", many, GanttOptions{Instance: all, Window: Window{From: 864000, To: 864000 + 7200, HasFrom: true, HasTo: true}}, false},
		{"few", few, GanttOptions{Instance: in}, false},
		{"few, asked for", few, GanttOptions{Instance: in, View: ShowLoad}, true},
	} {
		l, err := newLayout(c.sol, c.opt.Instance, RowsProcessors)
		if err == nil {
			err = l.cut(c.opt.Window)
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.opt.View == "" {
			c.opt.View = ShowAuto
		}
		chart, err := newChart(l, summary{}, c.opt, 1200, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := chart.load != nil; got != c.load {
			t.Errorf("%s: load %v, want %v", c.name, got, c.load)
		}
		if c.load && chart.scheme.by != ByWait {
			t.Errorf("%s: colours by %s", c.name, chart.scheme.by)
		}
	}
}

// TestBusyOfAWindow: the share that jobs hold is that of the times shown.
func TestBusyOfAWindow(t *testing.T) {
	l, err := newLayout(&model.Solution{Jobs: []model.Placement{at("a", "c", 0, 10, run(0, 0)), at("b", "c", 10, 40, run(0, 1))}}, nil, RowsProcessors)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cut(Window{From: 5, To: 20, HasFrom: true, HasTo: true}); err != nil {
		t.Fatal(err)
	}
	l.measure()
	if got, want := l.bands[0].busy, (5*0.5+10)/15; math.Abs(got-want) > 1e-12 || l.shown() != 2 {
		t.Errorf("busy %v, want %v; %d jobs", got, want, l.shown())
	}
}

// TestQueueAtAStart: a job that starts does not wait beside one that arrives at that moment.
func TestQueueAtAStart(t *testing.T) {
	in, err := model.NewBuilder("two").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 1}}}).
		Job(model.JobSpec{ID: "a", Work: pointer(10)}, model.JobSpec{ID: "b", Work: pointer(10), Arrival: 5}).Build()
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLayout(&model.Solution{Jobs: []model.Placement{at("a", "c", 5, 15, run(0, 0)), at("b", "c", 15, 25, run(0, 0))}}, in, RowsProcessors)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newScheme(l, ByJob, mostClasses)
	if err != nil {
		t.Fatal(err)
	}
	if v := newLoad(l, s, 10); v.peak != 1 || math.Abs(v.mean-15./25) > 1e-12 {
		t.Errorf("at most %d, in the mean %v", v.peak, v.mean)
	}
}
