//go:build unix

package backfill

import (
	"context"
	"flag"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/internal/simtest"
	"github.com/allot-opt/allot/sim"
)

// cpuSeconds is the processor time that the program has used, which other programs on the machine disturb less than the wall clock.
func cpuSeconds(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// measure runs the simulation on one core as often as the benchmark asks and reports jobs a second of the wall clock and of processor time.
func measure(b *testing.B, jobs int, run func() sim.Totals) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var totals sim.Totals
	began := cpuSeconds(b)
	for b.Loop() {
		totals = run()
	}
	b.ReportMetric(float64(jobs)*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.ReportMetric(float64(jobs)*float64(b.N)/(cpuSeconds(b)-began), "jobs/cpu-s")
	b.ReportMetric(float64(totals.MaxQueue), "max-queue")
	if totals.Finished != int64(jobs) {
		b.Fatalf("%d of %d jobs finished", totals.Finished, jobs)
	}
}

// policies are the policies by name.
var policies = map[string]sim.Discipline{
	"fcfs": FCFS(Ranking{}), "easy": EASY(1, 1, Ranking{}), "conservative": Conservative(1, Ranking{}), "flexible": Flexible(1, DefaultPriorities()),
}

// BenchmarkReplay replays KTH-SP2 in the engine, without processors and solution. Target: easy ≥ 2 million jobs/s.
func BenchmarkReplay(b *testing.B) {
	const file = "KTH-SP2-1996-2.swf.gz"
	in, _, err := swf.NewReader().Read(realdata.Open(b, "swf", file), file)
	if err != nil {
		b.Fatal(err)
	}
	trace, _, err := sim.TraceOf(in)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"fcfs", "easy", "conservative", "flexible"} {
		b.Run("solver="+name+"/instance=KTH-SP2", func(b *testing.B) {
			measure(b, len(trace.Jobs), func() sim.Totals {
				totals, err := sim.Run(context.Background(), &sim.Trace{Jobs: trace.Jobs}, in.Processors(), policies[name], sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				return totals
			})
		})
	}
}

// BenchmarkSynthetic streams jobs that are made up on the way. Targets: easy, 1 million jobs at load 0.95 in < 5 s and
// 300 MB, at load 5 ≥ 200,000 jobs/s; conservative ≥ 50,000 jobs/s at load 0.95, which it misses by a factor of three: an early end moves 60 to 80
// reservations.
func BenchmarkSynthetic(b *testing.B) {
	for _, c := range []struct {
		policy     string
		processors int
		load       float64
		jobs       int
	}{
		{"easy", 128, 0.95, 1e6},
		{"easy", 1024, 0.95, 1e6},
		{"easy", 128, 5, 1e6},
		{"easy", 1024, 5, 1e6},
		{"conservative", 128, 0.95, 1e5},
		{"conservative", 1024, 0.95, 1e5},
	} {
		name := "solver=" + c.policy + "/instance=synthetic/processors=" + strconv.Itoa(c.processors) + "/load=" + strconv.FormatFloat(c.load, 'g', -1, 64)
		b.Run(name, func(b *testing.B) {
			end := peak.Watch()
			measure(b, c.jobs, func() sim.Totals {
				source := &simtest.Synthetic{Jobs: int64(c.jobs), Processors: c.processors, Load: c.load, Seed: 1}
				totals, err := sim.Run(context.Background(), source, c.processors, policies[c.policy], sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				return totals
			})
			b.ReportMetric(end()/1e6, "peak-MB")
		})
	}
}

// atOnce is the number of jobs that [BenchmarkAtOnce] releases.
var atOnce = flag.Int("at-once", 100_000, "jobs released at once in BenchmarkAtOnce")

// released is jobs of a synthetic stream that all arrive at 0.
func released(b testing.TB, jobs, processors int) []sim.Spec {
	list := streamed(b, jobs, processors, 1)
	for k := range list {
		list[k].Arrival = 0
	}
	return list
}

// streamed is jobs of a synthetic stream of a load.
func streamed(b testing.TB, jobs, processors int, load float64) []sim.Spec {
	source, list := &simtest.Synthetic{Jobs: int64(jobs), Processors: processors, Load: load, Seed: 1}, make([]sim.Spec, jobs)
	for k := range list {
		if more, err := source.Next(&list[k]); !more || err != nil {
			b.Fatal(more, err)
		}
	}
	return list
}

// BenchmarkAtOnce replays jobs that are all released at once. Target: 100,000 in < 10 s. Conservative backfilling meets it with exact estimates only:
// each early end moves about a quarter of the reservations, one after the other.
func BenchmarkAtOnce(b *testing.B) {
	for _, policy := range []string{"easy", "flexible", "conservative"} {
		b.Run("solver="+policy+"/instance=at-once/processors=128", func(b *testing.B) {
			jobs := released(b, *atOnce, 128)
			for k := range jobs {
				if policy == "conservative" {
					jobs[k].Estimate = jobs[k].Runtime
				}
			}
			measure(b, len(jobs), func() sim.Totals {
				totals, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, 128, policies[policy], sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				return totals
			})
		})
	}
}

// BenchmarkReservations replays jobs that are all released at once, with early ends, under conservative backfilling with a limit on the reservations. Target: 100,000 in < 10 s.
func BenchmarkReservations(b *testing.B) {
	for _, most := range []int{100, 500, 1000} {
		b.Run("solver=conservative:reservations="+strconv.Itoa(most)+"/instance=at-once/processors=128", func(b *testing.B) {
			jobs := released(b, *atOnce, 128)
			measure(b, len(jobs), func() sim.Totals {
				totals, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, 128, ConservativeUpTo(most, 1, Ranking{}), sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				return totals
			})
		})
	}
}

// BenchmarkOrders replays jobs that are all released at once or arrive within a twentieth of the time that they take, so that about half of them wait on average, in orders
// in which jobs overtake others. Targets: 100,000 at once in < 10 s, 100 µs an event. The naive form, which sorts the queue at each instant, gets a twentieth of the jobs.
func BenchmarkOrders(b *testing.B) {
	const processors = 128
	month := 30 * 86400.0
	wfp3, multifactor, bounded := DefaultRanking(), DefaultRanking(), DefaultRanking()
	wfp3.Order, multifactor.Order, bounded.Order, bounded.BoundWait = byWFP3, byMultifactor, byShortest, &month
	orders := map[string]Ranking{byWFP3: wfp3, byMultifactor: multifactor, "bound_wait": bounded}
	for _, order := range []string{byWFP3, byMultifactor, "bound_wait"} {
		for depth, solver := range map[int]string{0: "fcfs", 1: "easy", 5: "easy:depth=5"} {
			for instance, load := range map[string]float64{"at-once": 1, "one-by-one": 20} {
				for _, form := range []string{"", "/form=naive"} {
					b.Run("solver="+solver+"/order="+order+"/instance="+instance+form, func(b *testing.B) {
						n := *atOnce
						if form != "" {
							n /= 20
						}
						jobs := streamed(b, n, processors, load)
						for k := range jobs {
							jobs[k].User = int32(k*k%97) + 1
							if instance == "at-once" {
								jobs[k].Arrival = 0
							}
						}
						began := cpuSeconds(b)
						measure(b, n, func() sim.Totals {
							policy := EASY(1, depth, orders[order])
							if form != "" {
								policy = onlyOnce(&sorted{step: 1, depth: depth, processors: processors, scorer: newScorer(orders[order], processors)})
							}
							totals, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, processors, policy, sim.Options{})
							if err != nil {
								b.Fatal(err)
							}
							return totals
						})
						b.ReportMetric((cpuSeconds(b)-began)*1e6/float64(2*n*b.N), "cpu-µs/event")
					})
				}
			}
		}
	}
}
