package wfformat_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/wfformat"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// with is a reader with parameters, each NAME=VALUE.
func with(settings ...string) *wfformat.Reader {
	return readertest.With(wfformat.NewReader(), settings...)
}

func TestConform(t *testing.T) {
	readertest.Conform(t, "wfformat", file(`{"id":"a"}`, `{"id":"a","runtimeInSeconds":1}`))
	readertest.Refused(t, &wfformat.Reader{Cluster: "c"}, "missing_runtime")
	readertest.Refused(t, &wfformat.Reader{MissingRuntime: "keep"}, "cluster")
	readertest.Refused(t, &wfformat.Reader{Processors: -1}, "processors")
}

var update = flag.Bool("update", false, "rewrite the golden files")

// TestVersions reads one workflow in three versions of the format: the instance must be the same.
func TestVersions(t *testing.T) {
	golden := filepath.Join("testdata", "diamond.golden")
	for _, version := range []string{"1.5", "1.4", "1.3"} {
		file, err := os.ReadFile(filepath.Join("testdata", "diamond-"+version+".json"))
		if err != nil {
			t.Fatal(err)
		}
		in, report, err := with("memory=true").Read(bytes.NewReader(file), "folder/diamond.json")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := model.WriteInstance(&got, in); err != nil {
			t.Fatal(err)
		}
		if *update && version == "1.5" {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", version, got.Bytes(), want)
		}
		if report.Read != 4 || report.Kept != 4 || report.Count(model.ImportRepaired) == 0 {
			t.Errorf("%s: got %v", version, report)
		}
	}
}

// file is a workflow of version 1.5 on a machine of 4 cores.
func file(specification, execution string) string {
	return fmt.Sprintf(`{"schemaVersion":"1.5","name":"w","workflow":{"specification":{"tasks":[%s]},
		"execution":{"tasks":[%s],"machines":[{"nodeName":"n","cpu":{"coreCount":4}}]}}}`, specification, execution)
}

// jobs writes the jobs as id:work×processors, with <predecessors.
func jobs(in *model.Instance) string {
	var list []string
	for _, j := range in.Jobs() {
		text := fmt.Sprintf("%s:%gx%d", j.ID, j.Work, j.Min)
		for _, before := range j.After {
			text += "<" + in.Jobs()[before].ID
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// notes writes the notes of the report, one a line.
func notes(r *model.ImportReport) string {
	var list []string
	for _, n := range r.Notes {
		list = append(list, fmt.Sprintf("%s %d: %s (%s)", n.Action, n.Count, n.Reason, n.First))
	}
	return strings.Join(list, "\n")
}

func TestOddTasks(t *testing.T) {
	for _, c := range []struct {
		name, specification, execution string
		opt                            *wfformat.Reader
		jobs, notes                    string
	}{
		{"children only", `{"id":"a","children":["b","b"]},{"id":"b"}`, `{"id":"a","runtimeInSeconds":1},{"id":"b","runtimeInSeconds":2}`,
			wfformat.NewReader(), "a:1x1 b:2x1<a", "repaired 1: dependency stated by the parent only: it counts (b)"},
		{"parent twice", `{"id":"a"},{"id":"b","parents":["a","a"]}`, `{"id":"a","runtimeInSeconds":1},{"id":"b","runtimeInSeconds":2}`,
			wfformat.NewReader(), "a:1x1 b:2x1<a", "repaired 1: parent stated twice: it counts once (b)"},
		{"too wide", `{"id":"a"}`, `{"id":"a","runtimeInSeconds":1,"coreCount":9}`,
			wfformat.NewReader(), "a:1x9", "kept 1: more cores than the system has (a)"},
		{"wide enough", `{"id":"a"}`, `{"id":"a","runtimeInSeconds":1,"coreCount":9}`, with("processors=9"), "a:1x9", ""},
		{"missing run time", `{"id":"a"},{"id":"b"}`, `{"id":"a","runtimeInSeconds":1}`,
			wfformat.NewReader(), "a:1x1 b:0x1", "kept 1: run time missing: it is taken as 0 (b)"},
		{"dropped", `{"id":"a"},{"id":"b","parents":["a"]},{"id":"c","parents":["b","a"]},{"id":"d","parents":["c"]},{"id":"e","parents":["d","b"]}`,
			`{"id":"a","runtimeInSeconds":1},{"id":"b","runtimeInSeconds":null},{"id":"e","runtimeInSeconds":5},{"id":"d","runtimeInSeconds":4}`,
			with("missing_runtime=drop"), "a:1x1 d:4x1<a e:5x1<d<a",
			"dropped 2: run time missing: the children wait for the parents (b)"},
		{"no memory", `{"id":"a"}`, `{"id":"a","runtimeInSeconds":1}`, with("memory=true"), "a:1x1",
			"kept 1: memory missing: it is taken as 0 (a)"},
	} {
		in, report, err := c.opt.Read(strings.NewReader(file(c.specification, c.execution)), "w.json")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := jobs(in); got != c.jobs {
			t.Errorf("%s: got %s, want %s", c.name, got, c.jobs)
		}
		if got := notes(report); got != c.notes {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.notes)
		}
		if report.Read != report.Kept+report.Count(model.ImportDropped) || report.Kept != len(in.Jobs()) {
			t.Errorf("%s: %v; %d jobs", c.name, report, len(in.Jobs()))
		}
		if w := in.Workflows(); len(w) != 1 || w[0].ID != "w" || len(w[0].Jobs) != len(in.Jobs()) {
			t.Errorf("%s: got the workflows %+v", c.name, w)
		}
	}
}

func TestErrors(t *testing.T) {
	one := `{"id":"a","runtimeInSeconds":1}`
	for _, c := range []struct {
		name, file string
		opt        *wfformat.Reader
		want       string
	}{
		{"empty", "", wfformat.NewReader(), "w.json: the file ends early, at byte 0, inside a JSON value"},
		{"cut", `{"name":"w","workflow":{"spec`, wfformat.NewReader(), "w.json: the file ends early, at byte 29, inside a JSON value"},
		{"no JSON", "; MaxProcs: 4\n", wfformat.NewReader(), "w.json: not JSON: invalid character ';' at start of value at byte 0"},
		{"more", `{"schemaVersion":"1.5"} {}`, wfformat.NewReader(), "w.json: expected the end of the file after the JSON value"},
		{"array", `[]`, wfformat.NewReader(), "w.json: expected an object, found an array"},
		{"old", `{"schemaVersion":"1.2","workflow":{"jobs":[]}}`, wfformat.NewReader(), `w.json: schemaVersion: expected one of 1.3, 1.4, 1.5, 1.6, found "1.2"`},
		{"none", `{}`, wfformat.NewReader(), `w.json: schemaVersion: expected one of 1.3, 1.4, 1.5, 1.6, found ""`},
		{"kinds", file(`{"id":"a","parents":"b"}`, ``), wfformat.NewReader(), "w.json: workflow.specification.tasks[0].parents: expected an array, found a text"},
		{"kinds 2", file(`{"id":"a"}`, `{"id":"a","runtimeInSeconds":"long"}`), wfformat.NewReader(),
			"w.json: workflow.execution.tasks[0].runtimeInSeconds: expected a finite number, found a text"},
		{"infinite", file(`{"id":"a"}`, `{"id":"a","runtimeInSeconds":1e999}`), wfformat.NewReader(),
			"w.json: workflow.execution.tasks[0].runtimeInSeconds: expected a finite number, found a number of another kind or size"},
		{"no tasks", file(``, ``), wfformat.NewReader(), "w.json: workflow.specification.tasks: expected at least one task, found none"},
		{"flat in 1.5", `{"schemaVersion":"1.5","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1}]}}`, with("processors=1"),
			"w.json: workflow.specification.tasks: expected at least one task, found none"},
		{"references", file(`{"id":"a","parents":["x","a"],"children":["y"]},{"id":"a"},{}`, `{"id":"z"},{"id":"a"},{"id":"a"}`), wfformat.NewReader(),
			`w.json: workflow.specification.tasks[1].id: expected a unique task, found "a" again
w.json: workflow.specification.tasks[2].id: expected a text of 1 to 1000 bytes, found 0 bytes
w.json: workflow.specification.tasks[0].parents[0]: expected a task of the workflow, found "x"
w.json: workflow.specification.tasks[0].children[0]: expected a task of the workflow, found "y"
w.json: workflow.execution.tasks[0].id: expected a task of the specification, found "z"
w.json: workflow.execution.tasks[2].id: expected each task once, found "a" again`},
		{"cycle", file(`{"id":"a","parents":["b"]},{"id":"b","parents":["a"]}`, one), with("missing_runtime=drop"),
			`w.json: task "b": after[0]: expected no cycle, found a after b after a`},
		{"own parent", file(`{"id":"a","parents":["a"]}`, one), wfformat.NewReader(), `w.json: task "a": after[0]: expected no cycle, found a after a`},
		{"no run times", file(`{"id":"a"}`, ``), wfformat.NewReader(), "w.json: expected run times (workflow.execution.tasks[].runtimeInSeconds), found none"},
		{"values", file(`{"id":"a"},{"id":"b"}`, `{"id":"a","runtimeInSeconds":-1,"coreCount":0,"memoryInBytes":-5},{"id":"b","runtimeInSeconds":1e20,"coreCount":1e10}`),
			with("memory=true"), `w.json: task "a": coreCount: expected a number above 0 and up to 2147483647, found 0
w.json: task "a": runtimeInSeconds: expected 0 or a number in [1e-18, 1e+18], found -1
w.json: task "a": memoryInBytes: expected 0 or a number in [1e-18, 1e+18], found -5
w.json: task "b": coreCount: expected a number above 0 and up to 2147483647, found 1e+10
w.json: task "b": runtimeInSeconds: expected 0 or a number in [1e-18, 1e+18], found 1e+20`},
		{"no machines", `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1}]}}`, wfformat.NewReader(),
			"w.json: workflow.machines: expected at least one machine with its number of cores, found none: give the number of processors (--processors)"},
		{"no cores", `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1}],"machines":[{"cpu":{"count":2.5}},{"nodeName":"x"}]}}`, wfformat.NewReader(),
			`w.json: workflow.machines[0].cpu.coreCount: expected a whole number of at least 1, found 2.5: give the number of processors (--processors)
w.json: workflow.machines[1].cpu.coreCount: expected the number of cores, found none: give the number of processors (--processors)`},
		{"many cores", `{"schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","runtimeInSeconds":1}],"machines":[{"cpu":{"count":1e9}}]}}`, wfformat.NewReader(),
			"w.json: workflow.machines: expected at most 16777216 cores, found 1e+09: give the number of processors (--processors)"},
	} {
		in, report, err := c.opt.Read(strings.NewReader(c.file), "w.json")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
		if in != nil || report != nil {
			t.Errorf("%s: got an instance or a report with the error", c.name)
		}
	}
}

func TestErrorsOfReading(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(`{"name":`), iotest.ErrReader(errors.New("the gzip data is cut short")))
	if _, _, err := wfformat.NewReader().Read(broken, "w.json"); err == nil || err.Error() != "w.json: the gzip data is cut short" {
		t.Errorf("got %v", err)
	}
	for _, start := range []string{``, `{"files":[`, `{"name":"`, `{"x":1`} {
		endless := io.MultiReader(strings.NewReader(start), endless(start))
		_, _, err := wfformat.NewReader().Read(endless, "w.json")
		want := "w.json: expected texts, numbers and white space of at most 1048576 bytes, found a longer one"
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", start, err, want)
		}
	}
}

// endless goes on without an end: after a digit with digits, else with blanks.
type endless string

// Read implements io.Reader.
func (e endless) Read(buffer []byte) (int, error) {
	next := byte(' ')
	if strings.HasSuffix(string(e), "1") {
		next = '1'
	}
	for k := range buffer {
		buffer[k] = next
	}
	return len(buffer), nil
}

// TestDroppingIsBounded drops tasks of which each child would wait for a great number of parents.
func TestDroppingIsBounded(t *testing.T) {
	var specification, execution strings.Builder
	const n = 1100
	parents := make([]string, n)
	for k := range n {
		fmt.Fprintf(&specification, `{"id":"p%d"},`, k)
		fmt.Fprintf(&execution, `{"id":"p%d","runtimeInSeconds":1},{"id":"c%d","runtimeInSeconds":1},`, k, k)
		parents[k] = fmt.Sprintf("%q", fmt.Sprint("p", k))
	}
	fmt.Fprintf(&specification, `{"id":"hub","parents":[%s]}`, strings.Join(parents, ","))
	for k := range n {
		fmt.Fprintf(&specification, `,{"id":"c%d","parents":["hub"]}`, k)
	}
	w := file(specification.String(), strings.TrimSuffix(execution.String(), ","))
	limits := budget.Usual()
	limits.Names = 1_000_000
	_, _, err := with("missing_runtime=drop").Read(budget.New(t.Context(), limits, nil).Reader(strings.NewReader(w)), "w.json")
	want := "w.json: expected at most 1,000,000 names in the whole reading, found more"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestInstances compares with the figures of the workflows that were computed by other means.
func TestInstances(t *testing.T) {
	for _, row := range realdata.Table(t, "wfformat", "summary.csv") {
		t.Run(row["instance"], func(t *testing.T) {
			in, report, err := with("memory=true").Read(realdata.Open(t, "wfformat", row["instance"]), row["instance"])
			if err != nil {
				t.Fatal(err)
			}
			edges, work, path, longest, memory := 0, 0.0, 0.0, 0.0, 0
			ends := make([]float64, len(in.Jobs()))
			var end func(k int) float64
			end = func(k int) float64 {
				if ends[k] == 0 {
					for _, before := range in.Jobs()[k].After {
						ends[k] = max(ends[k], end(before))
					}
					ends[k] += in.Jobs()[k].Work
				}
				return ends[k]
			}
			for k, j := range in.Jobs() {
				edges += len(j.After)
				work += j.Work
				longest = max(longest, j.Work)
				path = max(path, end(k))
				if j.Memory > 0 {
					memory++
				}
				if j.Max != 1 {
					t.Errorf("task %s has %d cores", j.ID, j.Max)
				}
			}
			row.Expect(t, "tasks", float64(report.Kept), 0)
			row.Expect(t, "edges", float64(edges), 0)
			row.Expect(t, "total_work_s", work, 1e-5)
			row.Expect(t, "critical_path_s", path, 1e-3)
			row.Expect(t, "max_task_s", longest, 1e-3)
			row.Expect(t, "with_memory", float64(memory), 0)
			if cores := int(row.Number(t, "machines")) * 24; in.Processors() != cores && in.Processors() != 2*cores {
				t.Errorf("got %d cores, want 24 or 48 of each of %s machines", in.Processors(), row["machines"])
			}
		})
	}
}

// FuzzRead feeds anything to the reader: it must not panic, and what it accepts is an instance that the model can write
// and read again.
func FuzzRead(f *testing.F) {
	for _, version := range []string{"1.5", "1.4", "1.3"} {
		data, err := os.ReadFile(filepath.Join("testdata", "diamond-"+version+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
	}
	f.Add([]byte(file(`{"id":"a"},{"id":"b","parents":["a"]},{"id":"c","parents":["b"]}`, `{"id":"a","runtimeInSeconds":1},{"id":"c","runtimeInSeconds":1}`)), true)
	f.Fuzz(func(t *testing.T, data []byte, strict bool) {
		opt := with("memory=true", "processors=4")
		if strict {
			opt = with("missing_runtime=drop")
		}
		in, report, err := opt.Read(bytes.NewReader(data), "f.json")
		readertest.Check(t, "f.json", in, report, err)
	})
}
