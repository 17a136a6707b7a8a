package jobcsv_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/jobcsv"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// with is a reader with parameters, each NAME=VALUE.
func with(settings ...string) *jobcsv.Reader { return readertest.With(jobcsv.NewReader(), settings...) }

func TestConform(t *testing.T) {
	readertest.Conform(t, "jobs", "id,work\na,1\nb,2\n")
	readertest.Refused(t, &jobcsv.Reader{Processors: 1}, "cluster")
	readertest.Refused(t, &jobcsv.Reader{Processors: -1}, "processors")
	readertest.Refused(t, &jobcsv.Reader{Processors: model.MaxProcessors + 1}, "processors")
}

var update = flag.Bool("update", false, "rewrite the golden files")

// TestAllColumns reads a table with every column there is.
func TestAllColumns(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "all.csv"))
	if err != nil {
		t.Fatal(err)
	}
	in, report, err := with("processors=16").Read(bytes.NewReader(table), "folder/all.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := model.WriteInstance(&got, in); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "all.golden")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
	}
	if got, want := report.String(), `folder/all.csv.gz: jobs: read 6 jobs, kept 6
  kept 3: user class: the priority is not known and taken as 0 (first: line 5)`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestColumnsAreThoseOfAJob fails when a job gains a field that the table has no column for.
func TestColumnsAreThoseOfAJob(t *testing.T) {
	_, _, err := with("processors=1").Read(strings.NewReader("x\n"), "t.csv")
	if err == nil {
		t.Fatal("expected an error")
	}
	list, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "t.csv: line 1: expected columns among "), ", found")
	known := slices.DeleteFunc(strings.Split(list, ", "), func(name string) bool { return name == "job_memory" })
	job := reflect.TypeFor[model.JobSpec]()
	if len(known) != job.NumField()-1 { // all but running
		t.Errorf("got %d columns, want %d", len(known), job.NumField()-1)
	}
	for k := range job.NumField() {
		name, _, _ := strings.Cut(job.Field(k).Tag.Get("json"), ",")
		found := false
		for _, c := range known {
			found = found || c == name || name == "runtime" && c == "runtime.CLUSTER"
		}
		if !found && name != "running" {
			t.Errorf("no column for %s", name)
		}
	}
}

func TestRead(t *testing.T) {
	in, report, err := with("processors=3", "cluster=here").Read(strings.NewReader("\ufeffwork , id,processors\r\n\r\n 5,\"b \"\"x\"\"\", 2 - 3\r\n1e2, a,\r\n"), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	b, a, c := in.Jobs()[0], in.Jobs()[1], in.Clusters()[0]
	if b.ID != `b "x"` || b.Min != 2 || b.Max != 3 || b.Work != 5 || a.ID != "a" || a.Work != 100 || a.Max != 1 {
		t.Errorf("got %+v, %+v", b, a)
	}
	if c.ID != "here" || c.Processors != 3 || c.Machines[0].Count != 3 || in.Name() != "t" || report.Read != 2 || report.Kept != 2 {
		t.Errorf("got %+v, %q, %v", c, in.Name(), report)
	}
	if in, _, err := with("processors=3").Read(strings.NewReader("id,work\n"), "t.csv"); err != nil || len(in.Jobs()) != 0 {
		t.Errorf("no rows: got %v, %v", in, err)
	}
}

// A table of somebody else's: columns of other names, nodes, and memory by job.
func TestOptions(t *testing.T) {
	const table = "name,gpus,requested_mem,hours,remark\na,4,32,2,x\nb,,,1,\nc,6,3,3,\n"
	in, _, err := with("nodes=2x8", "memory=64", "rename=name=id, gpus = processors,requested_mem=job_memory,hours=runtime.c,remark=result.remark").Read(strings.NewReader(table), "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	c := in.Clusters()[0]
	if m := c.Machines[0]; c.ID != "c" || c.Processors != 16 || m.Count != 2 || m.Processors != 8 || m.Memory != 64 {
		t.Errorf("got %+v", c)
	}
	a, b, last := in.Jobs()[0], in.Jobs()[1], in.Jobs()[2]
	if a.ID != "a" || a.Max != 4 || a.Memory != 8 || in.DurationOn(0, 0, 4) != 2 || b.Memory != 0 || b.Max != 1 || last.Max != 6 || last.Memory != 0.5 {
		t.Errorf("got %+v, %+v, %+v", a, b, last)
	}
	in, _, err = with("nodes=3×4").Read(strings.NewReader("job_memory,id,work,tasks,processors\n60,a,1,6,2\n"), "t.csv")
	if err != nil || in.Jobs()[0].Memory != 30 || in.Processors() != 12 {
		t.Errorf("got %v, %v", in, err)
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, c := range []struct{ settings, table, want string }{
		{"nodes=4", "id,work\n", `t.csv: option Nodes: expected NODESxPROCESSORS such as 4x8, 4 nodes of 8 processors, with at most 16777216 processors in all; found "4"`},
		{"nodes=0x8", "id,work\n", `with at most 16777216 processors in all; found "0x8"`},
		{"nodes=8x0", "id,work\n", `found "8x0"`},
		{"nodes=4x8x2", "id,work\n", `found "4x8x2"`},
		{"nodes=1048577x16", "id,work\n", `found "1048577x16"`},
		{"nodes=4x8 processors=3", "id,work\n", "t.csv: option Nodes: expected only one of --nodes and --processors, found both"},
		{"processors=3 memory=4", "id,work\n", "t.csv: option Memory: expected it only with --nodes, as it is the memory of a node"},
		{"processors=3 rename=gpus", "id,work\n", `t.csv: option Rename: expected COLUMN=FIELD such as gpus=processors, found "gpus"`},
		{"processors=3 rename=a=id,a=work", "id,work\n", `t.csv: option Rename: expected each column once, found "a" again`},
		{"processors=3 rename=a=procesors", "id,work\n", `found "procesors"; did you mean "processors"?`},
		{"processors=3 rename=wurk=work", "id,wurks\n", `t.csv: option Rename: expected a column of the first row, found "wurk"; did you mean "wurks"?`},
		{"processors=3 rename=a=id", "id,a,work\n", `t.csv: line 1: expected each column once, found "id" again`},
		{"processors=3", "id,work,memory,job_memory\na,1,2,3\n", "t.csv: line 2: expected only one of memory (of a task) and job_memory, found both"},
		{"processors=3", "id,work,job_memory,processors\na,1,2,1-3\n", "t.csv: line 2: expected memory (of a task) for a job that may run on 1 to 3 processors, found job_memory"},
		{"processors=3", "id,work,job_memory\na,1,-3\n", `t.csv: line 2: job_memory: expected a number of at least 0, found "-3"`},
	} {
		in, _, err := with(strings.Fields(c.settings)...).Read(strings.NewReader(c.table), "t.csv")
		if err == nil || !strings.Contains(err.Error(), c.want) || in != nil {
			t.Errorf("%s: got %v\nwant %s", c.settings, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	const columns = "id, arrival, processors, tasks, work, work_cv, estimate, reference_speed, span, memory, input, output, message, min_bandwidth, " +
		"deadline, deadline_hard, budget, licences, user, group, queue, quality, user_class, workflow, after, block, resources, machines, per_machine, features, exclusive, reservation, power, recorded, requested, job_memory, runtime.CLUSTER"
	const rename = "; --rename COLUMN=FIELD reads a column of another name, and passes over it with the field result.COLUMN"
	for _, c := range []struct{ name, table, want string }{
		{"empty", "", "t.csv: expected a first row with the names of the columns, found an empty file"},
		{"columns", "id,speed,id,runtime.\n", `t.csv: line 1: expected each column once, found "id" again
t.csv: line 1: expected columns among ` + columns + `, found "speed", "runtime."` + rename},
		{"no names", "a,1,2,3,4,5,,7\n", `t.csv: line 1: expected columns among ` + columns + `, found "a", "1", "2", "3", "4", and 3 more` + rename + `
t.csv: line 1: expected a column id, found none`},
		{"no id", "work\n1\n", "t.csv: line 1: expected a column id, found none"},
		{"semicolons", "id;work\n", `t.csv: line 1: expected columns among ` + columns + `, found "id;work"` + rename + `
t.csv: line 1: expected a column id, found none`},
		{"cells", "id,work\na,1\nb\nc,1,2\n", `t.csv: line 3: expected 2 cells, as the first row has, found 1
t.csv: line 4: expected 2 cells, as the first row has, found 3`},
		{"quotes", "id,work\na,1\n\"b,2\nc,3\n", `t.csv: line 3: expected a row of cells apart by commas, found a mistake at column 5 of line 4: extraneous or missing " in quoted-field`},
		{"quote inside", "id,work\nb\"b,2\n", `t.csv: line 2: expected a row of cells apart by commas, found a mistake at column 2 of line 2: bare " in non-quoted-field`},
		{"numbers", "id,arrival,work,memory,deadline,reference_speed,runtime.c\na,-1,ten,1e300,NaN,0,inf\n", `t.csv: line 2: arrival: expected a number of at least 0, found "-1"
t.csv: line 2: work: expected a number, found "ten"
t.csv: line 2: memory: expected 0 or a number of magnitude in [1e-18, 1e+18], found "1e300"
t.csv: line 2: deadline: expected a number, found "NaN"
t.csv: line 2: reference_speed: expected a number above 0, found 0
t.csv: line 2: runtime.c: expected a number, found "inf"`},
		{"processors", "id,processors,tasks,work\na,0,0,1\nb,8-2,1.5,1\nc,1-2-3,x,1\nd,two,1,1\n", `t.csv: line 2: processors: expected a whole number in [1, 2147483647], found "0"
t.csv: line 2: tasks: expected a whole number in [1, 2147483647], found "0"
t.csv: line 3: processors: expected a number of processors or a range such as 2-8, found "8-2"
t.csv: line 3: tasks: expected a whole number in [1, 2147483647], found "1.5"
t.csv: line 4: processors: expected a number of processors or a range such as 2-8, found "1-2-3"
t.csv: line 4: tasks: expected a number, found "x"
t.csv: line 5: processors: expected a number, found "two"`},
		{"texts", "id,work,span,deadline_hard\na,1,world,yes\n" + strings.Repeat("b", 1001) + ",1,,\n", `t.csv: line 2: span: expected one of machine, cluster, grid, found "world"
t.csv: line 2: deadline_hard: expected true or false, found "yes"
t.csv: line 3: id: expected a text of 1 to 1000 bytes, found 1001 bytes`},
		{"licences", "id,work,licences\na,1,matlab\nb,1,x=1;x=2\nc,1,=1\nd,1,x=-1\n", `t.csv: line 2: licences: expected a list such as matlab=1;ansys=2, found "matlab"
t.csv: line 3: licences: expected each licence once, found "x" again
t.csv: line 4: licences: expected a list such as matlab=1;ansys=2, found "=1"
t.csv: line 5: licences: expected a list such as matlab=1;ansys=2, found "x=-1"`},
		{"rows", "id,work,estimate\n,1,\na,,\nb,1,\nb,2,\n", `t.csv: line 2: id: expected the id of the job, found none
t.csv: line 3: expected one of work, runtime and estimate, found none
t.csv: line 5: id: expected a unique id, found "b", which line 4 has`},
		{"after", "id,work,after\na,1,b;x\nb,1,y\n", `t.csv: line 2: after: expected the id of a job, found "x"
t.csv: line 3: after: expected the id of a job, found "y"`},
		{"cycle", "id,work,after\na,1,b\n\nb,1,a\n", "t.csv: line 4: after[0]: expected no cycle, found a after b after a"},
		{"long row", "id,work\na,1\nb," + strings.Repeat("1", 1<<21) + "\n", "t.csv: line 3: expected a line of at most 1048576 bytes, found a longer one"},
		{"long quote", "id,work\na,1\n\"b" + strings.Repeat("\nx,1", 1<<19) + "\n", "t.csv: line 3: expected a line of at most 1048576 bytes, found a longer one"},
	} {
		in, report, err := with("processors=4").Read(strings.NewReader(c.table), "t.csv")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
		if in != nil || report != nil {
			t.Errorf("%s: got an instance or a report with the error", c.name)
		}
	}
	const want = "t.csv: option Processors: expected the number of processors of the cluster, a whole number in [1, 16777216], found 0; or give its nodes, such as --nodes 4x8"
	if _, _, err := jobcsv.NewReader().Read(strings.NewReader("id,work\na,1\n"), "t.csv"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	broken := io.MultiReader(strings.NewReader("id,work\na,1\n"), iotest.ErrReader(errors.New("the gzip data is cut short")))
	if _, _, err := with("processors=1").Read(broken, "t.csv"); err == nil || err.Error() != "t.csv: line 3: the gzip data is cut short" {
		t.Errorf("got %v", err)
	}
}

// TestStripPacking compares with the published sizes of the sets: the area is the work of all processors.
func TestStripPacking(t *testing.T) {
	for _, row := range realdata.Table(t, "strip_packing", "best_known.csv") {
		t.Run(row["set"]+"/"+row["instance"], func(t *testing.T) {
			name := row["instance"] + ".csv"
			width := int(row.Number(t, "strip_width_W"))
			in, report, err := (&jobcsv.Reader{Processors: width, Cluster: "c"}).Read(realdata.Open(t, "strip_packing", row["set"], name), name)
			if err != nil {
				t.Fatal(err)
			}
			area, widest := 0.0, 0
			for _, j := range in.Jobs() {
				area += j.Work * float64(j.Min)
				widest = max(widest, j.Max)
			}
			row.Expect(t, "items", float64(report.Kept), 0)
			row.Expect(t, "area", area, 0)
			if widest > width || in.Processors() != width {
				t.Errorf("got jobs of up to %d of %d processors", widest, in.Processors())
			}
		})
	}
}

// FuzzRead feeds anything to the reader: it must not panic, and what it accepts is an instance that the model can write
// and read again.
func FuzzRead(f *testing.F) {
	all, err := os.ReadFile(filepath.Join("testdata", "all.csv"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(all)
	f.Add([]byte("id,work,after\na,1,b\n\nb,1,\n"))
	f.Add([]byte("\ufeffid,estimate,licences,processors\r\n\"a\"\"\",1e-18,x=1;y=2,2-3\r\n"))
	f.Add([]byte("id,estimate,job_memory,processors,tasks\na,1,7,2-3,\nb,1,7,,3\n"))
	f.Fuzz(func(t *testing.T, table []byte) {
		in, report, err := with("nodes=3x2", "memory=5", "rename=x=arrival").Read(bytes.NewReader(table), "f.csv")
		readertest.Check(t, "f.csv", in, report, err)
		in, report, err = with("processors=3").Read(bytes.NewReader(table), "f.csv")
		readertest.Check(t, "f.csv", in, report, err)
		if err == nil && report.Read != len(in.Jobs()) { // no row is ever dropped
			t.Errorf("%v; %d jobs", report, len(in.Jobs()))
		}
	})
}

// A spreadsheet takes no text for a formula, and every text is read back as it was. Numbers are written as numbers.
func TestFormulasAreTexts(t *testing.T) {
	odd := []string{"=1+2", "+a", "-2", "@c", "\td", "\re", "'=f", "''-g", "'h", "i=j", "=k=l"}
	b := model.NewBuilder("formulas").Cluster(model.ClusterSpec{ID: "=cmd", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Spec().UserClasses = map[string]float64{}
	for k, text := range odd {
		b.Spec().UserClasses[text] = 0
		b.Spec().Workflows = append(b.Spec().Workflows, model.WorkflowSpec{ID: text})
		job := model.JobSpec{ID: text, Work: new(1.5), User: text, Group: text, Queue: text, UserClass: text, Workflow: text, Licences: map[string]int{text: 1}}
		if k > 0 && odd[k-1] != "\td" { // a blank ends an id in the column after
			job.After = []string{odd[k-1], "=1+2"}[:min(k, 2)]
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{
		Jobs:        []model.Placement{{Job: "+a", Cluster: "=cmd", Processors: model.NewProcessorSet(model.Range{}), Start: 0, End: 1.5}, {Job: "=1+2", Start: 0, End: 1.5}},
		Unscheduled: []model.Unscheduled{{Job: "-2", Reason: "@why"}},
	}
	sol.Jobs[1].Pieces = []model.Piece{{Cluster: "=cmd"}, {Cluster: "=cmd"}}
	var text bytes.Buffer
	if err := jobcsv.Write(&text, in, sol); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for k, cell := range row {
			if rows[0][k] == "work" && row[0] != "id" && cell != "1.5" {
				t.Errorf("work is %q", cell)
			}
			for part := range strings.SplitSeq(cell, ";") { // some spreadsheets begin a cell after a semicolon
				if part != "" && strings.ContainsAny(part[:1], "=+-@\t\r") {
					t.Errorf("%s: %q is a formula", rows[0][k], cell)
				}
			}
		}
	}
	back, _, err := with("processors=1").Read(&text, "formulas.csv")
	if err != nil {
		t.Fatal(err)
	}
	for k := range odd {
		if got, want := back.JobSpec(k), in.JobSpec(k); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, expected %+v", got, want)
		}
	}
}
