package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
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
			var answer startTable
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
