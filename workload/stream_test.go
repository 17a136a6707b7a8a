package workload_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// streamers are the workloads that stream, with few jobs and odd parameters drawn at random.
func streamers(t *rapid.T) workload.Streamer {
	jobs := rapid.SampledFrom([]int{0, 1, 7, 999, 1000, 1001, 2500}).Draw(t, "jobs")
	switch rapid.SampledFrom([]string{"twolevel", "spaceshare"}).Draw(t, "workload") {
	case "twolevel":
		return with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) {
			w.Jobs, w.Clusters, w.MeanGap = jobs, "3,2", rapid.SampledFrom([]float64{0, 5}).Draw(t, "gap")
			w.Licences, w.MinRuntimeShare = rapid.IntRange(0, 3).Draw(t, "licences"), rapid.SampledFrom([]float64{1, 0.5, 0}).Draw(t, "share")
			w.AbleShare, w.LicencePools = rapid.SampledFrom([]float64{1, 0.5}).Draw(t, "able"), rapid.SampledFrom([]string{"cluster", "grid"}).Draw(t, "pools")
		})
	}
	return with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) {
		w.Jobs, w.Clusters, w.MaxParallelism = jobs, 2, rapid.IntRange(1, 64).Draw(t, "parallelism")
		w.Message, w.BackgroundLoad = rapid.SampledFrom([]float64{0, 1}).Draw(t, "message"), rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "background")
	})
}

// The jobs of a stream are those of the instance that Generate makes, in its order; each batch has the system's clusters.
func TestStreamsAreWhatGenerateMakes(t *testing.T) {
	race.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, seed := streamers(t), rapid.Uint64Range(0, 5).Draw(t, "seed")
		whole, err := w.Generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		system, batches, err := w.Stream(seed)
		if err != nil {
			t.Fatal(err)
		}
		var jobs []model.JobSpec
		for {
			if batches.Left() != len(whole.Jobs())-len(jobs) {
				t.Fatalf("%d jobs are left after %d of %d", batches.Left(), len(jobs), len(whole.Jobs()))
			}
			batch, err := batches.Next()
			if err != nil {
				t.Fatal(err)
			}
			if batch == nil {
				break
			}
			if len(batch.Jobs()) == 0 || len(batch.Jobs()) > 4 || batch.Processors() != system.Processors() {
				t.Fatalf("a batch of %d jobs on %d processors", len(batch.Jobs()), batch.Processors())
			}
			for k := range batch.Jobs() {
				jobs = append(jobs, batch.JobSpec(k))
			}
		}
		if batch, err := batches.Next(); batch != nil || err != nil {
			t.Fatalf("after the last batch: %v, %v", batch, err)
		}
		if want, got := written(t, whole), written(t, together(t, system, jobs)); !bytes.Equal(want, got) {
			t.Errorf("expected\n%s\nfound\n%s", want, got)
		}
	})
}

// together is the system with the jobs.
func together(t *rapid.T, system *model.Instance, jobs []model.JobSpec) *model.Instance {
	var text bytes.Buffer
	if err := model.WriteInstance(&text, system); err != nil {
		t.Fatal(err)
	}
	if len(system.Jobs()) > 0 {
		t.Fatalf("the system has %d jobs", len(system.Jobs()))
	}
	spec := model.InstanceSpec{}
	if err := json.Unmarshal(text.Bytes(), &spec); err != nil {
		t.Fatal(err)
	}
	spec.Jobs = jobs
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// An instance has at most ten million jobs; a stream may have more.
func TestStreamsMayBeLongerThanInstances(t *testing.T) {
	for _, w := range []workload.Streamer{
		with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) { w.Jobs = 10_000_001 }),
		with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) { w.Jobs = 10_000_001 }),
	} {
		if _, err := w.Generate(1); err == nil || err.Error() != "parameter jobs: expected at most 10000000 in one instance, more only in a stream, found 10000001" {
			t.Errorf("error %v", err)
		}
		_, batches, err := w.Stream(1)
		if err != nil {
			t.Fatal(err)
		}
		if batch, err := batches.Next(); err != nil || len(batch.Jobs()) != 4 || batches.Left() != 10_000_001-4 {
			t.Errorf("batch %v, %d jobs left, error %v", batch, batches.Left(), err)
		}
	}
}

// The largest numbers that the parameters allow make an instance or an error, never a time that the model refuses.
func TestStreamedNumbersStayInRange(t *testing.T) {
	for _, w := range []workload.Workload{
		with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) {
			w.Jobs, w.MeanGap, w.TimeScale, w.MaxEstimate, w.MaxMargin, w.MaxBenchmark = 1000, 1e6, 0.001, 1e9, 1e9, 1e6
			w.GoldPriority, w.MinLicenceRatio, w.MaxLicenceRatio = 1e6, 1000, 1000
		}),
		with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) {
			w.Jobs, w.TimeScale, w.MinEstimate, w.MinBenchmark, w.MaxBenchmark, w.MinLicenceRatio, w.MaxLicenceRatio = 1000, 1e6, 0, 1e-6, 1e-6, 0, 0
		}),
		with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) {
			w.Jobs, w.Clusters, w.Processors, w.Load, w.MeanDemand, w.DemandCv, w.ContextSwitch, w.Latency, w.Bandwidth, w.Message = 1000, 1, 1, 0.001, 1e6, 100, 1e6, 1e6, 1e-6, 1e6
		}),
		with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) {
			w.Jobs, w.Speeds, w.Load, w.MeanDemand, w.MinParallelism, w.MaxParallelism = 1000, "1e-6,1e6", 1000, math.SmallestNonzeroFloat64, 1_000_000, 1_000_000
		}),
		with(workload.Default[workload.GPU](), func(w *workload.GPU) {
			w.Jobs, w.Nodes, w.Load, w.Steady, w.MaxRuntime, w.Padding, w.GangShare, w.GangNodes = 1000, 100_000, 1000, true, 1e9, 1000, 1, 100_000
		}),
		with(workload.Default[workload.GPU](), func(w *workload.GPU) {
			w.Jobs, w.Nodes, w.Load, w.Steady, w.MaxRuntime = 1000, 1, 0.001, true, 1
		}),
	} {
		if _, err := w.Generate(1); err != nil {
			t.Errorf("%+v: %v", w, err)
		}
	}
}

// A small instance of each stays what it is, byte by byte.
func TestGoldenInstances(t *testing.T) {
	for file, w := range map[string]workload.Workload{
		"twolevel.json": with(workload.Default[workload.TwoLevel](), func(w *workload.TwoLevel) { w.Jobs, w.Clusters, w.MachinesSeed = 6, "3,2", new(uint64(2)) }),
		"spaceshare.json": with(workload.Default[workload.SpaceShare](), func(w *workload.SpaceShare) {
			w.Jobs, w.Clusters, w.Speeds, w.BackgroundLoad = 6, 3, "generations", 0.1
		}),
		"gpu.json": with(workload.Default[workload.GPU](), func(w *workload.GPU) {
			w.Jobs, w.Nodes, w.Load, w.Steady, w.GangShare, w.ConstrainedShare = 8, 20, 0.9, false, 0.2, 0.5
		}),
	} {
		in, err := w.Generate(1)
		if err != nil {
			t.Fatal(err)
		}
		got := written(t, in)
		if *update {
			if err := os.WriteFile("testdata/"+file, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: expected\n%s\nfound\n%s", file, want, got)
		}
	}
}

// written is the text of an instance.
func written(t interface{ Fatal(...any) }, in *model.Instance) []byte {
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}
