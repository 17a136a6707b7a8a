package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/slurmtest"
)

// example returns the block of a section of docs/sweeps.md, by its place among those of its language there.
func example(t *testing.T, section, language string, place int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "sweeps.md"))
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq("\n"+string(text), "\n## ") {
		title, rest, _ := strings.Cut(strings.TrimPrefix(part, "\n# "), "\n")
		if title != section {
			continue
		}
		blocks := strings.Split(rest, "```"+language+"\n")
		if len(blocks) > place+1 {
			block, _, _ := strings.Cut(blocks[place+1], "```")
			return block
		}
	}
	t.Fatalf("docs/sweeps.md has no block %d of %s in %q", place, language, section)
	return ""
}

// runExample runs a block of the shell beside a small suite, whose rows then are those of a run without shards.
func runExample(t *testing.T, script string) {
	t.Helper()
	folder := t.TempDir()
	const suite = `{"format": "allot-suite/1", "name": "small", "instances": [{"generate": "muscle", "parameters": {"jobs": [8, 12]}, "seeds": 2}], "solvers": ["minmin", "mct", "search"],
 "seeds": 2, "budget": {"evaluations": 300}}`
	if err := os.WriteFile(filepath.Join(folder, "suite.json"), []byte(suite), 0o666); err != nil {
		t.Fatal(err)
	}
	rows := func(name string) map[string]bench.Row {
		rows, err := bench.ReadRows(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		byKey := map[string]bench.Row{}
		for _, row := range rows {
			row.Elapsed = 0
			byKey[row.Key] = row
		}
		return byKey
	}
	for _, script := range []string{"allot bench suite.json -o whole", script} {
		command := exec.Command("sh", "-e", "-c", script)
		command.Dir, command.Env = folder, append(os.Environ(), noRaceSleep)
		if text, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, text)
		}
	}
	if whole := rows("whole"); len(whole) != 24 {
		t.Errorf("%d rows, expected 24", len(whole))
	} else if diff := cmp.Diff(whole, rows("run")); diff != "" {
		t.Errorf("other rows (-expected +found)\n%s", diff)
	}
	if files, err := filepath.Glob(filepath.Join(folder, "run", "rows-*.jsonl")); err != nil || len(files) < 1 {
		t.Errorf("no rows of shards: %v, %v", files, err)
	}
}

// The examples of docs/sweeps.md that need nothing but the command.
func TestSweepExamples(t *testing.T) {
	needs.Program(t, "sh")
	runExample(t, example(t, "Sweeps: a suite on many machines", "sh", 0))
	runExample(t, example(t, "Claims", "sh", 0))
}

// The example of GNU parallel.
func TestSweepByParallel(t *testing.T) {
	needs.Program(t, "parallel")
	runExample(t, example(t, "GNU parallel", "sh", 0))
}

// The tasks of a real HyperQueue say which shard they are. Its Python package has a server and a worker, and numbers tasks from 0.
func TestSweepByHyperQueue(t *testing.T) {
	python := needs.Python(t, "hyperqueue")
	command := strings.Fields(example(t, "HyperQueue", "sh", 0))
	at := slices.Index(command, "--")
	if at < 0 || !slices.Contains(command, "1-8") || command[len(command)-1] != "/8" {
		t.Fatalf("the example is %q", command)
	}
	words := "'" + strings.Join(command[at+1:], "', '") + "'"
	runExample(t, fmt.Sprintf(`export HOME="$PWD"
%s - <<'END'
import os
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
with LocalCluster() as cluster:
    cluster.start_worker(WorkerConfig(cores=2))
    client = cluster.client()
    job = Job()
    job.program(["true"])
    for k in range(8):
        job.program([%s], env=dict(os.environ))
    client.wait_for_jobs([client.submit(job)])
END`, python, words))
}

// The script for PBS, with the variables that PBS sets, begun in another folder as PBS does.
func TestSweepByPBS(t *testing.T) {
	needs.Program(t, "sh")
	script := example(t, "PBS", "sh", 0)
	if !strings.Contains(script, "\n#PBS -J 1-8\n") {
		t.Errorf("the script is %q", script)
	}
	runExample(t, "cat >job.sh <<'END'\n"+script+`END
export PBS_O_WORKDIR="$PWD"
mkdir home
for PBS_ARRAY_INDEX in 1 2 3 4 5 6 7 8; do
	export PBS_ARRAY_INDEX
	(cd home && sh ../job.sh)
done`)
}

// The examples of Slurm.
func TestSlurmExamples(t *testing.T) {
	slurmtest.Start(t, 2)
	runExample(t, example(t, "Slurm", "sh", 0))
	runExample(t, example(t, "Slurm", "sh", 1))
}

// The manifest for Kubernetes is YAML, and deals out as many shards as it has completions. Nothing more is checked of it.
func TestSweepManifest(t *testing.T) {
	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Spec       struct {
			Completions    int
			CompletionMode string `yaml:"completionMode"`
			Retries        int    `yaml:"backoffLimitPerIndex"`
			Template       struct {
				Spec struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Containers    []struct{ Command []string }
				}
			}
		}
	}
	err := yaml.Unmarshal([]byte(example(t, "Kubernetes", "yaml", 0)), &job)
	if err == nil && len(job.Spec.Template.Spec.Containers) != 1 {
		err = errors.New("expected one container")
	}
	if err != nil {
		t.Fatal(err)
	}
	command := job.Spec.Template.Spec.Containers[0].Command
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Spec.CompletionMode != "Indexed" || job.Spec.Retries < 1 || job.Spec.Template.Spec.RestartPolicy != "Never" ||
		command[len(command)-1] != fmt.Sprintf("/%d", job.Spec.Completions) {
		t.Errorf("%+v", job)
	}
}
