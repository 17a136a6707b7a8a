package workload_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/openb"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

// gpuInstance makes an instance of the workload.
func gpuInstance(t testing.TB, seed uint64, set func(*workload.GPU)) *model.Instance {
	t.Helper()
	in, err := with(workload.Default[workload.GPU](), set).Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// held is what a job holds of the resource on all its machines.
func held(in *model.Instance, job int, resource string) float64 {
	j := &in.Jobs()[job]
	k := slices.IndexFunc(in.Resources(), func(r model.Resource) bool { return r.ID == resource })
	return j.Node().Need(k).Float() * float64(j.Max/j.Node().Block)
}

// all is what the machines have of the resource.
func all(in *model.Instance, resource string) float64 {
	k, sum := slices.IndexFunc(in.Resources(), func(r model.Resource) bool { return r.ID == resource }), 0.0
	for _, m := range in.Clusters()[0].Machines {
		sum += m.Amount(k).Float() * float64(m.Count)
	}
	return sum
}

// The nodes of openb are those that the reader of the trace makes, but for names and order.
func TestGPUNodesAreThoseOfTheTrace(t *testing.T) {
	type node struct {
		processors int
		memory     float64
		cpu, gpu   model.Amount
		kind       string
		isGPU      bool
	}
	count := func(in *model.Instance) map[node]int {
		counts := map[node]int{}
		for _, m := range in.Clusters()[0].Machines {
			n := node{processors: m.Processors, memory: m.Memory, kind: strings.Join(m.Features(), " ")}
			for k, r := range in.Resources() {
				if r.Devices {
					n.gpu, n.isGPU = m.Amount(k), r.ID == "gpu"
				} else {
					n.cpu = m.Amount(k)
				}
			}
			counts[n] += m.Count
		}
		return counts
	}
	reader := openb.NewReader()
	reader.Nodes = "../data/openb/nodes.csv.gz"
	trace, _, err := reader.Read(strings.NewReader("name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time\nx,1,1,1,1,0,1\n"), "pods.csv")
	if err != nil {
		t.Fatal(err)
	}
	want, got := count(trace), count(gpuInstance(t, 1, func(w *workload.GPU) { w.Jobs = 1 }))
	for n, k := range want {
		if got[n] != k {
			t.Errorf("%d nodes %+v, expected %d", got[n], n, k)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d shapes of nodes, expected %d", len(got), len(want))
	}
}

// Fewer nodes keep the proportions, and types choose among them.
func TestGPUNodesInProportion(t *testing.T) {
	for given, want := range map[string]int{"nodes=20": 9, "nodes=1": 1, "nodes=20 types=G2": 20, "nodes=2426": 1098} {
		in, err := generated(t, "gpu", "jobs=0 "+given)
		if err != nil {
			t.Fatal(err)
		}
		if m := in.Clusters()[0].Machines[0]; m.ID != "G2" || m.Count != want {
			t.Errorf("%s: %d nodes %s first, expected %d of G2", given, m.Count, m.ID, want)
		}
	}
}

// The kinds are as often as their weights say, gangs too, and each kind has pods of the trace.
func TestGPUKinds(t *testing.T) {
	const jobs = 20000
	in := gpuInstance(t, 3, func(w *workload.GPU) { w.Jobs, w.GangShare, w.GangNodes, w.ConstrainedShare = jobs, 0.1, 16, 0.33 })
	count, sizes, constrained, withGPU := map[string]int{}, sample{}, 0, 0
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		gpus := held(in, k, "gpu")
		switch {
		case j.Max > 1:
			count["gang"]++
			sizes.add(math.Log2(float64(j.Max)))
			if n := j.Node(); n.MinMachines != j.Max || n.MaxMachines != j.Max || n.PerMachine != 1 || gpus != 8*float64(j.Max) {
				t.Fatalf("gang %s: %+v", j.ID, n)
			}
		case gpus > 0 && gpus < 1:
			count["share"]++
		default:
			count[map[float64]string{0: "cpu", 1: "1", 2: "2", 4: "4", 8: "8"}[gpus]]++
		}
		if gpus > 0 {
			withGPU++
			if len(j.Node().Features) > 0 {
				constrained++
			}
		} else if len(j.Node().Features) > 0 {
			t.Errorf("%s has no GPU and asks for one of a type", j.ID)
		}
	}
	for kind, weight := range map[string]float64{"cpu": 1088, "share": 3078, "1": 3911, "2": 16, "4": 15, "8": 44} {
		share(t, kind, count[kind], jobs, 0.9*weight/8152)
	}
	share(t, "gang", count["gang"], jobs, 0.1)
	share(t, "constrained", constrained, withGPU, 0.33)
	sizes.whole(t, "log₂ of the nodes of gangs", 1, 4)
}

// Every job can run on the nodes that there are, also where these are few or of one type.
func TestGPUJobsCanRun(t *testing.T) {
	for _, given := range []string{"nodes=1213 gang_share=0.1", "nodes=3 gang_share=0.3", "nodes=5 types=T4 gang_share=0.3 gang_devices=2", "nodes=4 types=P100", "nodes=9 types=A10", "nodes=60 types=V100M16,T4 gang_share=0.1 gang_devices=4"} {
		in, err := generated(t, "gpu", "jobs=2000 constrained_share=0.7 "+given)
		if err != nil {
			t.Fatal(err)
		}
		for k := range in.Jobs() {
			if why := in.WhyNowhere(k); why != "" {
				t.Errorf("%s: %s cannot run: %s", given, in.Jobs()[k].ID, why)
			}
		}
	}
}

// Run times are those of the trace, cut at the longest; estimates are at least as long and not above the longest.
func TestGPUTimes(t *testing.T) {
	in := gpuInstance(t, 5, func(w *workload.GPU) { w.Jobs, w.Kinds = 20000, "1,0,0,0,0,0" })
	times, exact := sample{}, 0
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		times.add(j.Work)
		if j.Work < 1 || j.Work > 86400 || j.Work != math.Trunc(j.Work) || j.Estimate < j.Work || j.Estimate > 86400 {
			t.Fatalf("%s runs for %v, estimate %v", j.ID, j.Work, j.Estimate)
		}
		if j.Estimate == j.Work {
			exact++
		}
	}
	// Quantiles of pods of CPU only in the trace, which has 33 s to 10,143,284 s.
	for _, q := range []struct{ level, time float64 }{{0.05, 94}, {0.25, 151}, {0.5, 494}, {0.75, 1948}, {0.95, 19825}, {0.99, 28365}} {
		below := 0
		for _, x := range times {
			if x <= q.time {
				below++
			}
		}
		share(t, fmt.Sprint("run times of at most ", q.time), below, len(times), q.level)
	}
	if longest := slices.Max(times); longest != 86400 {
		t.Errorf("the longest of 20,000 run times is %v, expected a day", longest)
	}
	if exact > 400 {
		t.Errorf("%d of 20,000 estimates are exact", exact)
	}
	for k, j := range gpuInstance(t, 5, func(w *workload.GPU) { w.Jobs, w.Padding = 500, 0 }).Jobs() {
		if j.Estimate != j.Work {
			t.Fatalf("job %d runs for %v, its estimate is %v without padding", k, j.Work, j.Estimate)
		}
	}
}

// The load is what the jobs ask for of the scarcest resource over what there is of it between the first and the last arrival, but for chance: the
// limit is four standard errors of a sum of that many jobs.
func TestGPULoad(t *testing.T) {
	race.OneGoroutine(t)
	for _, c := range []struct {
		set      func(*workload.GPU)
		resource string
	}{
		{func(w *workload.GPU) { w.Jobs, w.Load, w.Steady = 100_000, 0.95, false }, "gpu"},
		{func(w *workload.GPU) {
			w.Jobs, w.Load, w.GangShare, w.MaxRuntime, w.Steady = 100_000, 0.7, 0.05, 7200, false
		}, "gpu"},
		{func(w *workload.GPU) { w.Jobs, w.Load, w.Nodes, w.Types, w.Steady = 50_000, 0.95, 20, "G2", false }, "gpu"},
		{func(w *workload.GPU) { w.Jobs, w.Load, w.Kinds, w.Steady = 50_000, 0.8, "1,0,0,0,0,0", false }, "cpu"},
	} {
		w := with(workload.Default[workload.GPU](), c.set)
		in := gpuInstance(t, 7, c.set)
		asked, last := sample{}, 0.0
		for k := range in.Jobs() {
			asked.add(held(in, k, c.resource) * in.Jobs()[k].Work)
			last = max(last, in.Jobs()[k].Arrival)
		}
		mean, cv := asked.mean()
		n := float64(len(asked))
		found := mean * n / (all(in, c.resource) * last)
		if most := 4 * math.Sqrt(cv*cv+1) / math.Sqrt(n) * w.Load; math.Abs(found-w.Load) > most {
			t.Errorf("%+v: the load of %s is %v, expected %v ± %v", *w, c.resource, found, w.Load, most)
		}
	}
}

// In equilibrium the load is there from the start: the mean of GPUs that an unlimited system would hold in each tenth of the time is that of the load. Without
// it the first tenth has less.
func TestGPUSteady(t *testing.T) {
	race.OneGoroutine(t)
	tenths := func(isSteady bool) []float64 {
		in := gpuInstance(t, 2, func(w *workload.GPU) { w.Jobs, w.Load, w.Steady = 100_000, 0.95, isSteady })
		last, parts := 0.0, make([]float64, 10)
		for _, j := range in.Jobs() {
			last = max(last, j.Arrival)
			if j.Estimate < j.Work || j.Work < 1 {
				t.Fatalf("%s: work %v, estimate %v", j.ID, j.Work, j.Estimate)
			}
		}
		for k := range in.Jobs() {
			j := &in.Jobs()[k]
			for n := range parts {
				from, to := last*float64(n)/10, last*float64(n+1)/10
				parts[n] += held(in, k, "gpu") * max(0, min(to, j.Arrival+j.Work)-max(from, j.Arrival)) / (to - from) / all(in, "gpu")
			}
		}
		return parts
	}
	for n, x := range tenths(true) {
		if math.Abs(x-0.95) > 0.05 {
			t.Errorf("tenth %d: load %v, expected 0.95", n, x)
		}
	}
	if first := tenths(false)[0]; first > 0.6 {
		t.Errorf("load %v in the first tenth of a system that begins empty", first)
	}
}

// Another load, padding or share of gangs keeps the other numbers: the runs have common random numbers.
func TestGPUCommonNumbers(t *testing.T) {
	base := gpuInstance(t, 4, func(w *workload.GPU) { w.Jobs, w.Load, w.Steady = 300, 0.5, false })
	for k, other := range gpuInstance(t, 4, func(w *workload.GPU) { w.Jobs, w.Load, w.Padding, w.ConstrainedShare, w.Steady = 300, 1, 0, 1, false }).Jobs() {
		j := &base.Jobs()[k]
		if j.Work != other.Work || j.Memory != other.Memory || math.Abs(j.Arrival-2*other.Arrival) > 0.003 {
			t.Fatalf("%s: %v, %v, %v, and with another load %v, %v, %v", j.ID, j.Arrival, j.Work, j.Memory, other.Arrival, other.Work, other.Memory)
		}
	}
}

// BenchmarkGPU makes 100,000 jobs for openb's nodes.
func BenchmarkGPU(b *testing.B) {
	for b.Loop() {
		gpuInstance(b, 1, func(w *workload.GPU) { w.Jobs, w.Load, w.ConstrainedShare = 100_000, 0.95, 0.33 })
	}
}
