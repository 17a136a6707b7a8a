package golden_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/lab/golden"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

var update = flag.Bool("update", false, "rewrite the reference schedules and the generated tables of README.md")

// reference is the folder of the reference schedules and of the programs that state the rules.
const reference = "../../golden"

// open opens the set in that folder.
func open(t testing.TB) *golden.Set {
	t.Helper()
	set, err := golden.Open(reference)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// workload reads a workload.
func workload(t testing.TB, set *golden.Set, name string) *golden.Workload {
	t.Helper()
	w, err := set.Workload(name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// solved is the schedule of our solver as a file, in the order of the job numbers.
func solved(t testing.TB, w *golden.Workload, policy string) []byte {
	t.Helper()
	solver, err := solve.Choose(policy)
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(context.Background(), solver, w.Instance(), solve.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	placed := map[string]*model.Placement{}
	for k := range result.Solution.Jobs {
		placed[result.Solution.Jobs[k].Job] = &result.Solution.Jobs[k]
	}
	var text bytes.Buffer
	text.WriteString("job,start,end,processors\n")
	for n := 1; n <= len(w.Jobs); n++ {
		if p := placed[fmt.Sprint(n)]; p != nil {
			fmt.Fprintf(&text, "%d,%.15g,%.15g,%d\n", n, p.Start, p.End, p.Processors.Len())
		}
	}
	return text.Bytes()
}

// TestSchedules: the reference schedules are those of our solvers. With -update it rewrites them.
func TestSchedules(t *testing.T) {
	race.OneGoroutine(t)
	set := open(t)
	for _, name := range set.Workloads {
		w := workload(t, set, name)
		for _, policy := range golden.Policies() {
			path := filepath.Join(reference, "schedules", name+"."+policy+".csv")
			text := solved(t, w, policy)
			if *update {
				if err := os.WriteFile(path, text, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text, want) {
				t.Errorf("%s is not what our solver does; found\n%s", path, first(text, 12))
			}
		}
	}
	files, err := filepath.Glob(reference + "/schedules/*")
	if want := len(set.Workloads) * len(golden.Policies()); err != nil || len(files) != want {
		t.Errorf("expected %d schedules, found %d, %v", want, len(files), err)
	}
}

// TestNodes: the starts of the folder nodes are those of our solvers. They were worked out by hand, so -update does not rewrite them.
func TestNodes(t *testing.T) {
	paths, err := filepath.Glob(reference + "/nodes/*.json")
	if err != nil || len(paths) < 4 {
		t.Fatalf("found %d instances: %v", len(paths), err)
	}
	for _, path := range paths {
		in, err := model.ReadInstanceFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if !strings.HasPrefix(in.Name(), name+": ") || !strings.HasSuffix(in.Name(), ".") {
			t.Errorf("%s: expected a name with a rule in sentences, found %q", path, in.Name())
		}
		want, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		policies := []string{"fcfs", "easy", "conservative", "flexible"}
		starts := make([]map[string]float64, len(policies))
		for k, policy := range policies {
			choice, err := solve.Choose(policy)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			starts[k] = map[string]float64{}
			for _, p := range result.Solution.Jobs {
				starts[k][p.Job] = p.Start
			}
			if len(starts[k]) != len(in.Jobs()) {
				t.Errorf("%s: %s: expected all jobs to start, found %d of %d", path, policy, len(starts[k]), len(in.Jobs()))
			}
		}
		found := "job," + strings.Join(policies, ",") + "\n"
		for j := range in.Jobs() {
			id := in.Jobs()[j].ID
			found += id
			for k := range policies {
				found += fmt.Sprintf(",%.15g", starts[k][id])
			}
			found += "\n"
		}
		if found != string(want) {
			t.Errorf("%s is not what our solvers do; found\n%s", path, found)
		}
	}
}

// first is the first lines of a text.
func first(text []byte, n int) string {
	lines := strings.SplitAfterN(string(text), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}

// TestSetIsWhatIsPromised: 40 workloads of up to 12 jobs and 6 of a thousand, each with a rule in words.
func TestSetIsWhatIsPromised(t *testing.T) {
	set := open(t)
	small, large := 0, 0
	for _, name := range set.Workloads {
		switch n := len(workload(t, set, name).Jobs); {
		case n <= 12:
			small++
		case n == 1000:
			large++
		}
		if rule := ruleOf(t, name); !strings.HasSuffix(rule, ".") || len(rule) < 20 {
			t.Errorf("%s: expected a rule in a sentence, found %q", name, rule)
		}
	}
	if small != 40 || large != 6 || len(set.Workloads) != 46 {
		t.Errorf("expected 40 small workloads and 6 of a thousand jobs, found %d and %d of %d", small, large, len(set.Workloads))
	}
}

// ruleOf is what a workload says of itself.
func ruleOf(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(reference, "workloads", name+".swf"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "; Rule: ")
	rule, _, _ := strings.Cut(rest, "\n")
	return rule
}

// python runs a program in Python in the folder of the reference schedules and returns what it prints. Without python3 the test is skipped.
func python(t testing.TB, program, input string, args ...string) string {
	t.Helper()
	path := needs.Program(t, "python3")
	var stdout, stderr bytes.Buffer
	command := exec.Command(path, append([]string{"-B", "-c", program}, args...)...)
	command.Dir = reference
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return stdout.String()
}

// allSchedules prints the schedules of reference.py, each after its path.
const allSchedules = `
import contextlib, io, os, runpy, sys
for name in sorted(os.listdir("workloads")):
    for policy in ("fcfs", "easy", "conservative"):
        print("# schedules/" + name[:-4] + "." + policy + ".csv")
        sys.argv = ["reference.py", policy, "workloads/" + name]
        runpy.run_path("reference.py", run_name="__main__")
`

// TestReference: reference.py, which shares no code with ours, gives the reference schedules to the byte.
func TestReference(t *testing.T) {
	printed := python(t, allSchedules, "")
	parts := strings.Split(printed, "# ")[1:]
	if want := 3 * len(open(t).Workloads); len(parts) != want {
		t.Fatalf("expected %d schedules, found %d", want, len(parts))
	}
	for _, part := range parts {
		path, text, _ := strings.Cut(part, "\n")
		want, err := os.ReadFile(filepath.Join(reference, path))
		if err != nil {
			t.Fatal(err)
		}
		if text != string(want) {
			t.Errorf("%s: reference.py finds\n%s", path, first([]byte(text), 14))
		}
	}
}

// TestGenerate: generate.py writes the workloads of a thousand jobs that are here.
func TestGenerate(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "workloads"), 0o755); err != nil {
		t.Fatal(err)
	}
	python(t, `import sys; text = open("generate.py").read(); exec(compile(text, sys.argv[1], "exec"), {"__name__": "__main__", "__file__": sys.argv[1]})`,
		"", filepath.Join(folder, "generate.py"))
	files, err := filepath.Glob(filepath.Join(folder, "workloads", "*"))
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(reference, "workloads", filepath.Base(file)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what generate.py writes: %v", filepath.Base(file), err)
		}
	}
}

// TestCapacity checks the reference schedules by the definition alone: no job starts before its submit, runs for its run time on its
// processors, and the machine is never too small.
func TestCapacity(t *testing.T) {
	set := open(t)
	for _, name := range set.Workloads {
		w := workload(t, set, name)
		for _, policy := range golden.Policies() {
			schedule, err := set.Schedule(w, policy)
			if err != nil {
				t.Fatal(err)
			}
			for k, p := range schedule {
				j := &w.Jobs[k]
				if math.IsNaN(p.Start) != (j.Processors > w.Processors) {
					t.Errorf("%s.%s: job %s of %d processors starts at %v", name, policy, j.ID, j.Processors, p.Start)
				}
				if math.IsNaN(p.Start) {
					continue
				}
				if p.Start < j.Submit || p.End != p.Start+j.Runtime || p.Processors != j.Processors {
					t.Errorf("%s.%s: job %s: %+v of %+v", name, policy, j.ID, p, j)
				}
				held := 0
				for i, other := range schedule {
					if other.Start <= p.Start && p.Start < other.End {
						held += w.Jobs[i].Processors
					}
				}
				if held > w.Processors {
					t.Errorf("%s.%s: %d of %d processors are held at %v", name, policy, held, w.Processors, p.Start)
				}
			}
		}
	}
}
