package main

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
)

// TestForecastOfRecordedRuns does what TestSlurmForecast does, on two runs of a real Slurm that were recorded.
func TestForecastOfRecordedRuns(t *testing.T) {
	for _, name := range []string{"22.05-right", "22.05-early"} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(realdata.Root(t), "slurm", name)
			queue := filepath.Join(t.TempDir(), "queue.json")
			var stdout, stderr bytes.Buffer
			if status := run(t.Context(), append([]string{"allot", "import", "slurm", "-o", queue}, sampleFlags(t, folder)...), &stdout, &stderr); status != 0 {
				t.Fatal(stderr.String())
			}
			in, err := model.ReadInstanceFile(queue)
			if err != nil {
				t.Fatal(err)
			}
			if status := run(t.Context(), []string{"allot", "simulate", "--json", "--policies", forecastPolicies, queue}, &stdout, &stderr); status != 0 {
				t.Fatal(stderr.String())
			}
			var answer answers.StartTable
			if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			starts := slurmBeside{configuration: filepath.Join(folder, "slurm.conf")}.starts(t)
			if len(starts) != 51 || len(answer.Jobs) != 50 || in.Jobs()[0].Node().Running == nil {
				t.Fatalf("%d jobs have started, %d wait", len(starts), len(answer.Jobs))
			}
			now := starts[in.Jobs()[0].ID] + 60 - in.Jobs()[0].Estimate // the job that fills the system has a limit of a minute
			judge(t, &answer, starts, now, name == "22.05-right")
		})
	}
}

// TestForecastOnNodes forecasts a recorded queue of a real Slurm with GPUs, partitions that share nodes, features and a reservation. The figures stand in docs/slurm.md,
// where they are compared with those of an import that did not know which nodes jobs run on.
func TestForecastOnNodes(t *testing.T) {
	const now = 1795553109 // when the commands were run
	folder := filepath.Join(realdata.Root(t), "slurm", "22.05-nodes")
	queue := filepath.Join(t.TempDir(), "queue.json")
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), append([]string{"allot", "import", "slurm", "--now", strconv.Itoa(now), "-o", queue}, sampleFlags(t, folder)...), &stdout, &stderr); status != 0 {
		t.Fatal(stderr.String())
	}
	if status := run(t.Context(), []string{"allot", "simulate", "--json", "--policies", "easy,conservative,backfill:interval=1:resolution=1", queue}, &stdout, &stderr); status != 0 {
		t.Fatal(stderr.String())
	}
	var answer answers.StartTable
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	truth := slurmBeside{configuration: filepath.Join(folder, "slurm.conf")}.starts(t)
	if answer.Running != 19 || len(answer.Jobs) != 48 || len(truth) != 67 {
		t.Fatalf("%d jobs run, %d wait, %d have started", answer.Running, len(answer.Jobs), len(truth))
	}
	for policy, want := range map[string]float64{"easy": 50.2, "conservative": 41.8, "backfill:interval=1:resolution=1": 27.25} {
		var errors []float64
		total := 0.0
		for _, j := range answer.Jobs {
			off := math.Abs(*j.Starts[policy].Start - (truth[j.Job] - now))
			errors, total = append(errors, off), total+off
		}
		slices.Sort(errors)
		mean := total / float64(len(errors))
		t.Logf("%s: mean error %.1f s, median %.1f s, largest %.1f s", policy, mean, errors[len(errors)/2], errors[len(errors)-1])
		if math.Abs(mean-want) > 0.05 {
			t.Errorf("%s: mean error %.2f s, the docs say %.1f s", policy, mean, want)
		}
	}
}
