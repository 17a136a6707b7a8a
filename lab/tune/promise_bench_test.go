package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

// promiseRuns is the limit of the races of a tuning, in runs.
const promiseRuns = 130

// BenchmarkPromise tunes policies on the first two thirds of traces, half of which is set aside, and looks at the third third, which neither races nor judgement see: of the
// tunings that recommend something it reports how many gain there too. Each tuning is a benchmark of its own; the sums come after those of a trace.
func BenchmarkPromise(b *testing.B) {
	all, shown, kept := 0, 0, 0
	for _, source := range promiseTraces() {
		b.Run(source.name, func(b *testing.B) {
			in := source.read(b)
			order := byArrival(in)
			first, last := in.Jobs()[order[0]].Arrival, in.Jobs()[order[len(order)-1]].Arrival
			cutAt := slices.IndexFunc(order, func(j int) bool { return in.Jobs()[j].Arrival >= first+2*(last-first)/3 })
			for _, base := range promised(source.unlike) {
				b.Run(base.metric+"/"+base.policy, func(b *testing.B) {
					for range b.N {
						space, err := NewSpace(base.policy, base.vary)
						if err != nil {
							b.Fatal(err)
						}
						opt, early := Defaults(), only(in, order[:cutAt])
						parts, err := partTrace(early, base.metric, 0.5)
						if err != nil {
							b.Skip(err)
						}
						opt.HeldOut, opt.Limits, opt.Dir = 0.5, Limits{Runs: promiseRuns + int(parts.judgement())}, b.TempDir()
						a, err := Trace(b.Context(), space, early, base.metric, opt)
						if err != nil {
							b.Fatal(err)
						}
						all++
						if a.Keep {
							b.Logf("%s, %.0f days: %s", base.policy, (last-first)/opt.Lab.Day, a.verdict())
							continue
						}
						shown++
						ratio := ratioOn(b, only(in, order[cutAt:]), base.metric, base.policy, a.Recommended)
						if ratio < 1 {
							kept++
						}
						b.Logf("%s, %.0f days: %s, set aside %s, further %.3f", base.policy, (last-first)/opt.Lab.Day, a.Recommended, ratioText(a.HeldOut), ratio)
					}
				})
			}
			b.Logf("%d tunings so far, %d recommend a change, %d of these gain on the further part", all, shown, kept)
		})
	}
}

// promise is what is tuned on a trace.
type promise struct {
	metric, policy string
	vary           []string
}

// promised lists what is tuned on a trace, for both metrics. Where nodes are unlike, policies with many reservations take minutes each: there they are left out.
func promised(unlike bool) []promise {
	var list []promise
	for _, metric := range TraceMetrics {
		list = append(list,
			promise{metric, "easy", []string{"order"}},
			promise{metric, "easy:order=multifactor", []string{"weight_age=0..100000", "weight_size=0..100000", "weight_share=0..100000", "favour_small"}},
			promise{metric, "fcfs", []string{"order"}},
		)
		if !unlike {
			list = append(list, promise{metric, "conservative", []string{"order"}}, promise{metric, "easy:order=sjf", []string{"bound_wait=3600..864000:log", "depth=1..16"}})
		}
	}
	return list
}

// ratioOn is a metric under a policy as a multiple of that under another.
func ratioOn(b *testing.B, in *model.Instance, metric, from, to string) float64 {
	var values []float64
	for _, text := range []string{from, to} {
		choice, err := solve.Choose(text)
		if err != nil {
			b.Fatal(err)
		}
		row := bench.Measure(b.Context(), choice, in, bench.Settings{Options: solve.Options{Seed: 1, Unbounded: true}})
		value, ok := row.Metrics.Get(metric)
		if !ok {
			b.Fatalf("%s: %s", text, row.Fault)
		}
		values = append(values, value)
	}
	return values[1] / values[0]
}

// promiseTrace is a trace that is read, or generated, when it is needed.
type promiseTrace struct {
	name   string
	unlike bool // its nodes are
	read   func(b *testing.B) *model.Instance
}

// promiseTraces are the real traces that are there, as they are and with a tenth more load, and generated sites at several loads. LCG-2005-1 gets a system that its jobs fill.
func promiseTraces() []promiseTrace {
	var list []promiseTrace
	for _, real := range []struct{ name, file, processors string }{
		{"KTH-SP2", "KTH-SP2-1996-2.swf.gz", "0"}, {"HPC2N", "HPC2N-2002-first3170jobs.swf.gz", "0"}, {"mira", "mira.swf.gz", "0"}, {"LCG", "LCG-2005-1.swf.gz", "1750"},
	} {
		for _, factor := range []float64{1, 1.1} {
			list = append(list, promiseTrace{fmt.Sprintf("%s×%g", real.name, factor), false, func(b *testing.B) *model.Instance {
				in := readTrace(b, realdata.Path(b, "swf", real.file), map[string]string{"processors": real.processors})
				scaled, err := lab.WithLoad(in, factor*lab.Load(in))
				if err != nil {
					b.Fatal(err)
				}
				return scaled
			}})
		}
	}
	for seed := range uint64(4) {
		load := 0.8 + 0.05*float64(seed)
		list = append(list, promiseTrace{fmt.Sprintf("site%d×%.2f", seed+1, load), true, func(b *testing.B) *model.Instance {
			info, _ := workload.Named("site")
			maker := info.New()
			for name, value := range map[string]string{"jobs": "24000", "load": fmt.Sprint(load), "cpu_nodes": "8", "gpu_nodes": "2"} {
				if err := params.Set(maker, name, value); err != nil {
					b.Fatal(err)
				}
			}
			in, err := maker.Generate(seed + 1)
			if err != nil {
				b.Fatal(err)
			}
			return in
		}})
	}
	return list
}

// readTrace reads a trace.
func readTrace(b testing.TB, path string, set map[string]string) *model.Instance {
	file, err := formats.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	reader := file.Format.New()
	for name, value := range set {
		if err := params.Set(reader, name, value); err != nil {
			b.Fatal(err)
		}
	}
	in, _, err := reader.Read(file, path)
	if err != nil {
		b.Fatal(err)
	}
	return in
}

// BenchmarkExchangeable tunes on generated traces whose estimates say nothing of the run times, so that the shortest estimate first and the longest first are as good as each
// other. It reports how many of 100 tunings recommend a change.
func BenchmarkExchangeable(b *testing.B) {
	for range b.N {
		changes := 0
		for seed := range uint64(100) {
			rng := rand.New(rand.NewPCG(seed, 11))
			var text strings.Builder
			text.WriteString("; MaxProcs: 64\n; UnixStartTime: 0\n")
			at := 0.0
			for k := range 15000 {
				at += 900 * rng.ExpFloat64()
				length := int(1 + math.Min(90000, math.Exp(7.6+1.6*rng.NormFloat64())))
				estimate := int(1 + math.Exp(7+2*rng.NormFloat64()))
				fmt.Fprintf(&text, "%d %d 0 %d %d -1 -1 %d %d -1 1 1 1 -1 1 -1 -1 -1\n", k+1, int(at), length, 1<<rng.IntN(5), 1<<rng.IntN(5), estimate)
			}
			path := b.TempDir() + "/trace.swf"
			if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
				b.Fatal(err)
			}
			in := readTrace(b, path, map[string]string{"estimates": "keep"})
			space, err := NewSpace("fcfs:order=sjf", []string{"order=sjf,ljf"})
			if err != nil {
				b.Fatal(err)
			}
			opt := Defaults()
			opt.Limits, opt.Dir, opt.Seed = Limits{Runs: 100}, b.TempDir(), seed
			a, err := Trace(b.Context(), space, in, "mean_wait", opt)
			if err != nil {
				b.Fatal(err)
			}
			if !a.Keep {
				changes++
			}
			if seed == 0 {
				b.Logf("load %.2f\n%s", lab.Load(in), a.Text())
			}
		}
		b.ReportMetric(float64(changes), "changes")
	}
}
