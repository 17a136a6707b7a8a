package slurm_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// source is a text as what a command printed.
func source(name, text string) slurm.Source {
	return slurm.Source{Reader: strings.NewReader(text), Name: name}
}

// budgeted is a source of a reading that may make so many names.
func budgeted(t *testing.T, names int64, src slurm.Source) slurm.Source {
	limits := budget.Usual()
	limits.Names = names
	src.Reader = budget.New(t.Context(), limits, nil).Reader(src.Reader)
	return src
}

// small is a system of two nodes of 4 processors in the partition p, in the way that 22.05 writes it.
const small = `{"nodes": [
 {"name": "n1", "cpus": 4, "real_memory": 1000, "state": "idle", "state_flags": [], "partitions": ["p"]},
 {"name": "n2", "cpus": 4, "real_memory": 1000, "state": "mixed", "state_flags": [], "partitions": ["p"]}]}`

// queue is the jobs' file of a queue at the Unix time 1000. What a job does not state is that it waits for one processor for up to two minutes.
func queue(jobs ...string) string {
	var list []string
	for k, job := range jobs {
		text := fmt.Sprintf(`"job_id": %d, "job_state": "PENDING", "partition": "p", "cpus": 1, "time_limit": 2, "submit_time": 900, "priority": %d`, k+1, max(100-k, 1))
		for field := range strings.SplitSeq(text, ", ") {
			if name, _, _ := strings.Cut(field, ":"); !strings.Contains(job, name+":") {
				job += ", " + field
			}
		}
		list = append(list, "{"+strings.TrimPrefix(job, ", ")+"}")
	}
	return `{"meta": {"slurm": {"release": "24.05.3"}}, "last_update": 1000, "jobs": [` + strings.Join(list, ",\n") + `]}`
}

// on makes a job one that runs since 940, by its limit to 1060.
func on(nodes string) string {
	return `"job_state": ["RUNNING"], "start_time": {"set": true, "infinite": false, "number": 940}, "nodes": "` + nodes + `"`
}

// read reads what must be right.
func read(t testing.TB, src slurm.Sources, opt slurm.Options) (*model.Instance, *model.ImportReport) {
	t.Helper()
	in, report, err := slurm.Read(src, opt)
	if err != nil {
		t.Fatal(err)
	}
	readertest.Check(t, "", in, report, nil)
	return in, report
}

// of reads a queue on the small system.
func of(t testing.TB, jobs ...string) (*model.Instance, *model.ImportReport) {
	t.Helper()
	return read(t, slurm.Sources{Jobs: source("jobs", queue(jobs...)), Nodes: source("nodes", small)}, slurm.Options{})
}

// lines is the jobs of an instance as it is written, a line each.
func lines(t testing.TB, in *model.Instance) []string {
	t.Helper()
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	_, jobs, _ := strings.Cut(text.String(), "\"jobs\": [\n")
	var list []string
	for line := range strings.SplitSeq(strings.TrimSuffix(jobs, "\n ]\n}\n"), "\n") {
		list = append(list, strings.TrimSuffix(strings.TrimSpace(line), ","))
	}
	return list
}

// notes are what a report counts, a line each.
func notes(report *model.ImportReport) string {
	var list []string
	for _, n := range report.Notes {
		list = append(list, fmt.Sprintf("%s %d: %s", n.Action, n.Count, n.Reason))
	}
	return strings.Join(list, "\n")
}

// file opens the first of the files that the folder has; none: the source is empty.
func file(t *testing.T, folder string, names ...string) slurm.Source {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		opened, err := model.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := opened.Close(); err != nil {
				t.Error(err)
			}
		})
		return slurm.Source{Reader: opened, Name: name}
	}
	return slurm.Source{}
}

// TestSamples: every sample is read, whatever its version. Of the known ones the figures are those that the files were counted to have by hand.
func TestSamples(t *testing.T) {
	known := map[string]struct{ read, kept, running, processors int }{
		"22.05": {14, 14, 1, 64}, "22.05-arrays": {105, 98, 1, 64}, "22.05-early": {51, 51, 1, 128}, "22.05-right": {51, 51, 1, 128}, "22.05-nodes": {67, 67, 19, 128},
		"24.05": {14, 4, 3, 6400}, "24.11": {16, 9, 7, 320}, "25.11": {15, 5, 4, 320},
	}
	folders := map[string]string{} // by name; those of the repository, and those of the larger set in their place
	for _, root := range []string{realdata.Root(t), os.Getenv("ALLOT_DATA")} {
		found, err := filepath.Glob(filepath.Join(root, "slurm", "*", "*nfo.json"))
		more, wrong := filepath.Glob(filepath.Join(root, "slurm", "*", "nodes.json*"))
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		for _, path := range append(found, more...) {
			folders[filepath.Base(filepath.Dir(path))] = filepath.Dir(path)
		}
	}
	for name := range known {
		if folders[name] == "" {
			t.Errorf("no folder %s", name)
		}
	}
	for name, folder := range folders {
		t.Run(name, func(t *testing.T) {
			in, report := read(t, sampleOf(t, folder), slurm.Options{})
			t.Log(report)
			running := 0
			for k := range in.Jobs() {
				j := &in.Jobs()[k]
				if j.Node().Running != nil {
					running++
				}
				if j.User() == "" || j.Group() == "" || j.Queue() == "" || !(j.Estimate > 0) {
					t.Errorf("job %s: user %q, group %q, queue %q, estimate %v", j.ID, j.User(), j.Group(), j.Queue(), j.Estimate)
				}
			}
			want, stated := known[name]
			if got := (struct{ read, kept, running, processors int }{report.Read, report.Kept, running, in.Processors()}); stated && got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestGolden: the whole instance of the sample of 22.05, which has an array, licences, a dependency, a deadline and jobs without limits.
func TestGolden(t *testing.T) {
	folder := filepath.Join(realdata.Root(t), "slurm", "22.05")
	in, report := read(t, slurm.Sources{
		Jobs: file(t, folder, "squeue.json"), Nodes: file(t, folder, "sinfo.json"), Licences: source("licences", "LicenseName=matlab\n    Total=4 Used=2 Free=2\n"),
	}, slurm.Options{})
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	text.WriteString(report.String() + "\n")
	const golden = "testdata/22.05.golden"
	if *update {
		if err := os.WriteFile(golden, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
}

// TestNumbersHoweverWritten: a number is plain, a text, null or an object, and each way says the same.
func TestNumbersHoweverWritten(t *testing.T) {
	for _, c := range []struct{ limit, want string }{
		{`3`, `"estimate":180`}, {`3.0`, `"estimate":180`}, {`"3"`, `"estimate":180`}, {`{"set": true, "infinite": false, "number": 3}`, `"estimate":180`},
		{`{"number": 3}`, `"estimate":180`}, {`{"set": true, "infinite": false, "number": 3.5}`, `"estimate":210`},
		{`null`, `"estimate":31536000`}, {`"UNLIMITED"`, `"estimate":31536000`}, {`4294967295`, `"estimate":31536000`}, {`4294967294`, `"estimate":31536000`},
		{`{"set": true, "infinite": true, "number": 0}`, `"estimate":31536000`}, {`{"set": true, "infinite": true, "number": 9}`, `"estimate":31536000`}, {`{"set": false, "infinite": false, "number": 9}`, `"estimate":31536000`},
		{`{"set": true, "number": null}`, `"estimate":31536000`}, {`0`, `"estimate":31536000`},
	} {
		in, _ := of(t, `"time_limit": `+c.limit)
		if got := lines(t, in)[0]; !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.limit, got, c.want)
		}
	}
}

// TestRunningAndPending: what is said of one job after the other.
func TestRunningAndPending(t *testing.T) {
	for _, c := range []struct{ job, want, notes string }{
		{on("n1"), `{"id":"1","estimate":60,"queue":"p","running":{"cluster":"p","processors":"0","elapsed":60}}`, ""},
		{on("n[1-2]") + `, "cpus": 6, "memory_per_cpu": 10, "user_name": "eve", "account": "a", "group_name": "g"`,
			`{"id":"1","processors":6,"estimate":60,"memory":10,"user":"eve","group":"a","queue":"p","running":{"cluster":"p","processors":"0-2,4-6","elapsed":60}}`, "kept 1: the file does not tell what the job holds on each of its nodes: equal parts are taken"},
		{on("n1") + `, "time_limit": 1`, `{"id":"1","estimate":1,"queue":"p","running":{"cluster":"p","processors":"0","elapsed":60}}`, "repaired 1: the job runs beyond its time limit: it is assumed to end in 1 s"},
		{on("n1") + `, "end_time": 1030`, `{"id":"1","estimate":30,"queue":"p","running":{"cluster":"p","processors":"0","elapsed":60}}`, ""},
		{on("n1,gone1") + `, "cpus": 4`, `{"id":"1","processors":2,"estimate":60,"queue":"p","running":{"cluster":"p","processors":"0-1","elapsed":60}}`,
			"kept 1: the file does not tell what the job holds on each of its nodes: equal parts are taken\nkept 1: the job runs on nodes that the nodes' file does not have: they are not counted"},
		{on("gone[1-9]"), "", "dropped 1: the job runs on nodes that the instance is without: jobs that wait for it may start after its time limit"},
		{`"user_id": 77, "group_name": "g"`, `{"id":"1","estimate":120,"user":"77","group":"g","queue":"p","user_class":"priority 100"}`, ""},
		{`"memory_per_node": 100, "node_count": 2, "cpus": 8`, `{"id":"1","processors":8,"estimate":120,"memory":25,"queue":"p","user_class":"priority 100","block":4,"per_machine":1}`, ""},
		{`"memory_per_node": 90, "node_count": 2, "cpus": 5`, `{"id":"1","processors":6,"estimate":120,"memory":30,"queue":"p","user_class":"priority 100","block":3,"per_machine":1}`,
			"repaired 1: processors or generic resources that do not divide evenly among its nodes: the part of each node is rounded up"},
		{`"shared": "none", "memory_per_node": 80`, `{"id":"1","estimate":120,"memory":80,"queue":"p","user_class":"priority 100","exclusive":true}`, ""},
		{`"shared": "none", "memory_per_cpu": 80`, `{"id":"1","estimate":120,"memory":80,"queue":"p","user_class":"priority 100","exclusive":true}`, ""},
		{`"shared": "none", "tres_req_str": "cpu=1,mem=80M,node=1"`, `{"id":"1","estimate":120,"memory":80,"queue":"p","user_class":"priority 100","exclusive":true}`, ""},
		{`"tres_req_str": "cpu=2,mem=1.50G,node=1", "cpus": 2`, `{"id":"1","processors":2,"estimate":120,"memory":768,"queue":"p","user_class":"priority 100"}`, ""},
		{`"tasks": 1, "cpus": 4`, `{"id":"1","processors":4,"estimate":120,"queue":"p","user_class":"priority 100","block":4}`, ""},
		{`"eligible_time": 1500, "state_reason": "BeginTime"`, `{"id":"1","arrival":500,"estimate":120,"queue":"p","user_class":"priority 100"}`, `kept 1: pending, reason "BeginTime"`},
		{`"state_reason": "QOSMaxCpuPerUserLimit"`, `{"id":"1","estimate":120,"queue":"p","user_class":"priority 100"}`,
			`kept 1: pending, reason "QOSMaxCpuPerUserLimit": an instance cannot express this, so the job may start later than the instance shows`},
		{`"deadline": 1300`, `{"id":"1","estimate":120,"deadline":300,"deadline_hard":true,"queue":"p","user_class":"priority 100"}`, ""},
		{`"deadline": 1100`, "", "dropped 1: pending: it cannot end by its deadline any more"},
		{`"shared": "none", "cpus": 1, "node_count": 2`, `{"id":"1","processors":2,"estimate":120,"queue":"p","user_class":"priority 100","machines":2,"exclusive":true}`,
			"repaired 1: the job asks for more nodes than processors: it takes a processor of each"},
		{`"node_count": 2, "cpus": 6`, `{"id":"1","processors":6,"estimate":120,"queue":"p","user_class":"priority 100","machines":{"min":2,"max":6}}`, ""},
		{`"node_count": 2, "max_nodes": 2, "cpus": 6, "cpus_per_task": 3`, `{"id":"1","processors":6,"estimate":120,"queue":"p","user_class":"priority 100","block":3,"machines":2}`, ""},
		{`"cpus": 9`, "", "dropped 1: asks for more than the nodes in service of its partition have"},
		{`"partition": "other"`, "", "dropped 1: no node in service is in the job's partition"},
		{`"hold": true`, "", "dropped 1: pending and held: it starts only when somebody acts"},
		{`"priority": 0`, "", "dropped 1: pending and held: it starts only when somebody acts"},
		{`"state_reason": "JobHeldUser"`, "", "dropped 1: pending, reason JobHeldUser: it starts only when somebody acts"},
		{`"job_state": ["COMPLETED", "COMPLETING"]`, "", "dropped 1: the job has ended"},
		{`"job_state": "CONFIGURING", "start_time": 940, "nodes": "n1"`, `{"id":"1","estimate":60,"queue":"p","running":{"cluster":"p","processors":"0","elapsed":60}}`, ""},
		{`"job_state": ["PENDING", "SPECIAL_EXIT"]`, "", "dropped 1: pending and held: it starts only when somebody acts"},
		{`"job_state": ["SUSPENDED"]`, "", "dropped 1: the job is suspended: its processors count as free"},
		{on("n1") + `, "array_job_id": 7, "array_task_id": {"set": true, "infinite": false, "number": 0}`, `{"id":"7_0","estimate":60,"queue":"p","running":{"cluster":"p","processors":"0","elapsed":60}}`, ""},
		{`"features": "ib", "resv_name": "r", "required_nodes": "n1", "het_job_id": 4`, `{"id":"1","estimate":120,"queue":"p","user_class":"priority 100","features":[["nodes n1"]]}`,
			`kept 1: asked for features that no node of its partition states: it runs on any of them
kept 1: the job belongs to a reservation, of which no file says where and when it is: it runs on any nodes
kept 1: the job is a part of a heterogeneous job, whose parts start together: each counts as a job of its own`},
		{`"licenses": "matlab:2,b"`, `{"id":"1","estimate":120,"licences":{"b":1,"matlab":2},"queue":"p","user_class":"priority 100"}`,
			"kept 2: a licence of which no file says how many copies there are: taken as without a limit"},
		{`"user_name": "a\u0000b\n", "partition": "p"`, `{"id":"1","estimate":120,"user":"a b ","queue":"p","user_class":"priority 100"}`, ""},
	} {
		in, report := of(t, c.job)
		if got := lines(t, in)[0]; got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.job, got, c.want)
		}
		if got := notes(report); got != c.notes {
			t.Errorf("%s: got\n%s\nwant\n%s", c.job, got, c.notes)
		}
	}
}

// TestOrder: jobs that run come first; then those that wait, by priority, submission and number.
func TestOrder(t *testing.T) {
	in, _ := of(t,
		`"job_id": 9, "priority": 5, "submit_time": 20`, `"job_id": 8, "priority": 5, "submit_time": 20`, `"job_id": 7, "priority": 5, "submit_time": 30`,
		`"job_id": 6, "priority": 8, "submit_time": 40`, `"job_id": 5, `+on("n1"), `"job_id": 4, "memory_per_cpu": 7, `+on("n1"), `"job_id": 3, "cpus": 2, `+on("n2"))
	var got []string
	for k := range in.Jobs() {
		got = append(got, in.Jobs()[k].ID)
	}
	if order := strings.Join(got, " "); order != "5 4 3 6 8 9 7" {
		t.Errorf("got %s", order)
	}
}
