//go:build unix

package twolevel

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// BenchmarkPaper runs the workload of the paper on one core. Target: under 2 s with ls.
func BenchmarkPaper(b *testing.B) {
	in := grid(b, 1, []int{120, 60, 30, 15}, 5000, 5, false)
	for _, h := range []heuristics{LS, MS, none} {
		b.Run("heuristics="+string(h), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			opt := Defaults()
			opt.Heuristics = h
			for b.Loop() {
				if _, totals, err := sim.Simulate(context.Background(), in, New(opt), sim.Options{}); err != nil || totals.Finished != 5000 {
					b.Fatal(totals.Finished, err)
				}
			}
		})
	}
}

// cpuTime is the processor time that the program has used, which other programs on the machine disturb less than the wall clock.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// clock measures decisions of a run, beginning when least jobs are queued. It ends the run after left more of them.
type clock struct {
	queued int
	least  int // queued jobs from which on it measures
	begun  time.Duration
	left   int
	events int
	spent  time.Duration
	cancel context.CancelFunc
}

func (c *clock) Arrived(float64, *sim.Job)                   { c.queued++ }
func (c *clock) Started(float64, *sim.Job, []sim.Part)       { c.queued-- }
func (c *clock) Left(float64, *sim.Job, sim.Outcome, string) {}
func (c *clock) Decided(float64) {
	if c.begun == 0 {
		if c.queued >= c.least {
			c.begun = cpuTime()
		}
		return
	}
	c.events++
	if c.left--; c.left == 0 {
		c.spent = cpuTime() - c.begun
		c.cancel()
	}
}

// BenchmarkQueue measures what an event costs while 50,000 jobs are queued on one cluster of 120 machines, beside the naive form, which
// computes all priorities anew and looks at every queued job. Target: under 100 µs, what starts included.
func BenchmarkQueue(b *testing.B) {
	for _, w := range []struct {
		name  string
		gap   float64
		long  bool
		naive bool
	}{{"at once", 0, false, true}, {"lengths", 0, true, true}, {"stream", 0.5, false, false}, {"stream lengths", 0.5, true, false}} {
		in := grid(b, 2, []int{120}, 54000, w.gap, w.long)
		for _, h := range []heuristics{LS, MS, none} {
			opt := Defaults()
			opt.Heuristics = h
			for _, c := range []struct {
				form   string
				policy sim.Discipline
				events int
			}{{"indexed", New(opt), 3500}, {"naive", newNaive(opt), 20}} {
				if c.form == "naive" && !w.naive {
					continue // the queue would take too long to build
				}
				b.Run(fmt.Sprintf("workload=%s/heuristics=%s/form=%s", w.name, h, c.form), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
					events, spent := 0, time.Duration(0)
					for b.Loop() {
						ctx, cancel := context.WithCancel(context.Background())
						watch := &clock{left: c.events, least: 50000, cancel: cancel}
						if _, _, err := sim.Simulate(ctx, in, c.policy, sim.Options{Observer: watch}); ctx.Err() == nil {
							b.Fatal(err)
						}
						events, spent = events+watch.events, spent+watch.spent
					}
					b.ReportMetric(float64(spent.Microseconds())/float64(events), "µs/event")
				})
			}
		}
	}
}

// endless hands out jobs of the paper's workload that go on, batch by batch.
type endless struct {
	left   int // batches
	number int
	gap    float64
	time   float64
}

func (s *endless) Next() (*model.Instance, error) {
	if s.left == 0 {
		return nil, nil
	}
	s.left--
	s.number++
	b := paper(1, []int{120, 60, 30, 15}, 0, 0, false)
	b.Spec().Jobs = paper(uint64(s.number), nil, 1000, s.gap, false).Spec().Jobs
	for k := range b.Spec().Jobs {
		j := &b.Spec().Jobs[k]
		j.Arrival += s.time
		if j.Deadline != nil {
			*j.Deadline += s.time
		}
	}
	s.time = b.Spec().Jobs[999].Arrival
	return b.Build()
}

// BenchmarkStream runs many jobs on the paper's grid, of which it can do all, in the memory of the jobs in the system.
func BenchmarkStream(b *testing.B) {
	for _, batches := range []int{20, 1000} {
		b.Run(fmt.Sprintf("jobs=%d", 1000*batches), func(b *testing.B) {
			system, err := paper(1, []int{120, 60, 30, 15}, 0, 0, false).Build()
			if err != nil {
				b.Fatal(err)
			}
			end := peak.Watch()
			for b.Loop() {
				totals, err := sim.Stream(context.Background(), system, &endless{left: batches, gap: 100}, New(Defaults()), sim.Options{})
				if err != nil || totals.Finished != int64(1000*batches) {
					b.Fatal(totals.Finished, err)
				}
				b.ReportMetric(float64(totals.MaxQueue), "max-queue")
			}
			b.ReportMetric(end()/1e6, "peak-MB")
		})
	}
}
