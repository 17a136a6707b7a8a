package slurm_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// TestFaults: what is wrong is refused with the file, the path and the version.
func TestFaults(t *testing.T) {
	const version = `(Slurm "24.05.3")`
	one := func(job string) string { return queue(job) }
	for _, c := range []struct{ name, jobs, want string }{
		{"empty", "", "jobs: expected the JSON of a Slurm command, found an empty file"},
		{"no JSON", "hello", "jobs: not JSON: invalid character 'h' at start of value at byte 0"},
		{"a list", "[]", "jobs: expected the JSON object of a Slurm command, found an array"},
		{"another file", `{"nodes": []}`, "jobs: expected a list jobs, as squeue --json prints it; found none (the file does not say of which version of Slurm it is)"},
		{"an error", `{"errors": [{"error": "refused", "description": "Access denied"}], "jobs": null, "meta": {}}`, `jobs: errors: Slurm reports "refused: Access denied"`},
		{"null", `{"jobs": null, "errors": []}`, "jobs: expected a list jobs, as squeue --json prints it; found none"},
		{"cut", one("")[:len(one(""))-40], "jobs: jobs[0]"},
		{"two documents", one("") + "{}", "jobs: expected the end of the file after the JSON value"},
		{"jobs twice", `{"jobs": [], "jobs": []}`, "jobs: jobs: expected the field once, found it again"},
		{"a field twice", `{"jobs": [{"job_id": 1, "job_id": 2}]}`, "jobs: jobs[0].job_id: expected the field once, found it again"},
		{"jobs an object", `{"jobs": {}}`, "jobs: jobs: expected a list, found an object"},
		{"a job a number", `{"jobs": [1]}`, "jobs: jobs[0]: expected an object, found a number"},
		{"no state", one(`"job_state": null`), `jobs: jobs[0]: expected the field "job_state", found none that says it ` + version},
		{"no id", one(`"job_id": null`), `jobs: jobs[0]: expected the field "job_id", found none that says it ` + version},
		{"no processors", one(`"cpus": null`), `jobs: jobs[0]: expected the field "cpus", found none that says it ` + version},
		{"no limit", strings.Replace(one(""), `"time_limit": 2,`, "", 1), `jobs: jobs[0]: expected the field "time_limit", found none that says it ` + version},
		{"no partition", one(`"partition": ""`), `jobs: jobs[0]: expected the field "partition", found none that says it ` + version},
		{"no submission", one(`"submit_time": null`), `jobs: jobs[0]: expected the field "submit_time", found none that says it ` + version},
		{"no start", one(`"job_state": "RUNNING", "nodes": "n1"`), `jobs: jobs[0]: expected the field "start_time", found none that says it ` + version},
		{"no nodes", one(`"job_state": "RUNNING", "start_time": 1`), `jobs: jobs[0]: expected the field "nodes", found none that says it ` + version},
		{"a strange state", one(`"job_state": ["DREAMING"]`), `jobs: jobs[0].job_state: expected a state of a job, such as PENDING or RUNNING, found "DREAMING" ` + version},
		{"negative", one(`"cpus": -1`), `jobs: jobs[0].cpus: expected a number of at least 0, found "-1"`},
		{"huge", one(`"cpus": 1e999`), `jobs: jobs[0].cpus: expected 0 or a number of magnitude in [1e-18, 1e+18], found "1e999"`},
		{"huge inside", one(`"time_limit": {"set": true, "number": 1e30}`), `jobs: jobs[0].time_limit.number: expected 0 or a number of magnitude in [1e-18, 1e+18], found "1e30"`},
		{"half a processor", one(`"cpus": 1.5`), `jobs: jobs[0].cpus: expected a whole number of at most 16777216, found 1.5`},
		{"too many processors", one(`"cpus": 1e9`), `jobs: jobs[0].cpus: expected a whole number of at most 16777216, found 1e+09`},
		{"a truth as a number", one(`"cpus": true`), `jobs: jobs[0].cpus: expected a number, or an object of set, infinite and number, found true`},
		{"a list as a text", one(`"partition": ["p"]`), `jobs: jobs[0].partition: expected a text, found an array`},
		{"nested numbers", one(`"cpus": {"number": {"number": 1}}`), `jobs: jobs[0].cpus.number: expected a number, found an object`},
		{"the same id", one("")[:len(one(""))-2] + "," + one("")[strings.Index(one(""), `{"job_id"`):], `jobs: jobs[1]: id: expected a unique id, found "1" again`},
		{"a dependency", one(`"dependency": "afterok:x"`), `jobs: jobs[0].dependency: expected dependencies such as afterok:5(unfulfilled), found "afterok:x"`},
		{"a cycle", queue(`"dependency": "afterok:2"`, `"dependency": "afterok:1"`), "jobs: jobs[1]: after[0]: expected no cycle, found 1 after 2 after 1"},
		{"licences", one(`"licenses": "a:x"`), `jobs: jobs[0].licenses: expected licences such as matlab:2, found "a:x"`},
		{"hosts", one(`"job_state": "RUNNING", "start_time": 1, "nodes": "n[1-"`), `jobs: jobs[0].nodes: expected a ] at the end of "[1-"`},
		{"nodes to keep away from", one(`"excluded_nodes": "n[1-"`), `jobs: jobs[0].excluded_nodes: expected a ] at the end of "[1-"`},
		{"nodes to run on", one(`"required_nodes": "n[1-"`), `jobs: jobs[0].required_nodes: expected a ] at the end of "[1-"`},
		{"a bomb of hosts", one(`"job_state": "RUNNING", "start_time": 1, "nodes": "n[0-999999999]"`), `jobs: jobs[0].nodes: expected at most 1,000,000 names in the whole reading, found more`},
		{"a bomb of brackets", one(`"job_state": "RUNNING", "start_time": 1, "nodes": "n` + strings.Repeat("[0-9]", 1000) + `"`), `jobs: jobs[0].nodes: expected at most 1,000,000 names in the whole reading, found more`},
		{"a bomb of tasks", one(`"array_job_id": 1, "array_task_string": "0-2000000000"`), `jobs: jobs[0].array_task_string: expected at most 1,000,000 names in the whole reading, found more`},
		{"a bomb of bits", one(`"array_job_id": 1, "array_task_string": "0x` + strings.Repeat("F", 300_000) + `"`), `jobs: jobs[0].array_task_string: expected at most 1,000,000 names in the whole reading, found more`},
		{"tasks", one(`"array_job_id": 1, "array_task_string": "3-1"`), `jobs: jobs[0].array_task_string: expected tasks of an array such as 0-9%4 or 1,3-5, found "3-1"`},
		{"a long text", one(`"partition": "` + strings.Repeat("x", 3<<20) + `"`), "jobs: jobs[0].partition: expected texts, numbers and white space of at most 1048576 bytes, found a longer one"},
		{"a field of two lines", `{"a\nb": 1e9999x`, "jobs: a b: not JSON"},
		{"deep", `{"jobs": [{"x": ` + strings.Repeat("[", 20_000), "jobs: jobs[0].x[0][0]"},
		{"words without end", one(`"job_state": [` + strings.Repeat(`"A",`, 20_000) + `"B"]`), "jobs: jobs[0].job_state[10000]: expected at most 10000 words, found more"},
	} {
		_, _, err := slurm.Read(slurm.Sources{Jobs: budgeted(t, 1_000_000, source("jobs", c.jobs)), Nodes: source("nodes", small)}, slurm.Options{})
		var wrong *model.InputError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got  %v\nwant %s", c.name, err, c.want)
		}
	}
}

// TestFaultsOfTheSystem: the same for the other files.
func TestFaultsOfTheSystem(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"nodes", `{"sinfo": [], "meta": {"slurm": {"release": "23.11.1"}}}`, `f: expected a list nodes, found the summary of sinfo: give what scontrol show nodes --json prints (Slurm "23.11.1")`},
		{"nodes", `{"errors": [{"description": "Invalid user id", "error": "auth"}]}`, `f: errors: Slurm reports "auth: Invalid user id"`},
		{"nodes", `{"nodes": []}`, "f: nodes: expected nodes in service, found 0, all down, drained or without a partition"},
		{"nodes", nodes(`{"cpus": 1}`), `f: nodes[0]: expected the field "name", found none that says it (the file does not say of which version of Slurm it is)`},
		{"nodes", nodes(`{"name": "a", "cpus": 1}`), `f: nodes[0]: expected the field "state", found none`},
		{"nodes", nodes(`{"name": "a", "state": "idle"}`), `f: nodes[0]: expected the field "cpus", found none`},
		{"nodes", nodes(node("a", "p", ""), node("a", "p", "")), `f: nodes[1].name: expected each node once, found "a" again`},
		{"nodes", nodes(`{"name": "a", "state": "idle", "cpus": 1e17, "partitions": ["p"]}`), "f: nodes[0].cpus: expected a whole number of at most 16777216, found 1e+17"},
		{"nodes", nodes(`{"name": "a", "state": "idle", "cpus": 16777216, "partitions": ["p"]}`, `{"name": "b", "state": "idle", "cpus": 16777216, "partitions": ["p"]}`), "jobs: clusters"},
		{"partitions", `{"partitions": [{}]}`, `f: partitions[0]: expected the field "name", found none`},
		{"partitions", "PartitionName=p MaxTime=1:2:3:4:5", `f: line 1: MaxTime: expected a time limit in minutes or such as 1-12:30:00, found "1:2:3:4:5"`},
		{"partitions", "nonsense", "f: expected JSON, or what scontrol show prints of nodes, partitions, reservations or licences, or slurm.conf"},
		{"licences", `{"licenses": [{"LicenseName": "m"}]}`, `f: licenses[0]: expected the field "Total", found none`},
		{"licences", "LicenseName=m\n Total=x", `f: line 2: Total: expected a number, found "x"`},
		{"reservations", `{"jobs": []}`, "f: expected a list reservations, as scontrol show reservations --json prints it; found none"},
		{"reservations", "ReservationName=r StartTime=soon", `f: line 1: starttime: expected a time`},
		{"configuration", "SchedulerParameters=bf_interval=0", "f: line 1: SchedulerParameters: bf_interval: expected a whole number"},
	} {
		src := slurm.Sources{Jobs: source("jobs", queue("")), Nodes: source("nodes", small)}
		file := source("f", c.file)
		switch c.name {
		case "nodes":
			src.Nodes = file
		case "partitions":
			src.Partitions = file
		case "licences":
			src.Licences = file
		case "reservations":
			src.Reservations = file
		case "configuration":
			src.Config = file
		}
		_, _, err := slurm.Read(src, slurm.Options{})
		if wrong := (*model.InputError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got  %v\nwant %s", c.file, err, c.want)
		}
	}
	if _, _, err := slurm.Read(slurm.Sources{Jobs: source("jobs", queue(""))}, slurm.Options{}); err == nil {
		t.Error("no nodes, no error")
	}
	for now, ok := range map[float64]bool{-1: false, 0: true, model.Largest: true, 2 * model.Largest: false, math.NaN(): false} {
		if _, _, err := slurm.Read(slurm.Sources{Jobs: source("jobs", queue("")), Nodes: source("nodes", small)}, slurm.Options{Now: now}); (err == nil) != ok {
			t.Errorf("now %v: %v", now, err)
		}
	}
}

// TestManyDependencies: jobs that all wait for the tasks of one array are refused before their pairs fill the memory.
func TestManyDependencies(t *testing.T) {
	jobs := []string{`"array_job_id": 1, "array_task_string": "0-9999"`}
	for range 200 {
		jobs = append(jobs, `"dependency": "afterany:1_*"`)
	}
	_, _, err := slurm.Read(slurm.Sources{Jobs: budgeted(t, 1_000_000, source("jobs", queue(jobs...))), Nodes: source("nodes", small)}, slurm.Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "jobs: jobs[") || !strings.Contains(err.Error(), "].dependency: expected at most 1,000,000 names in the whole reading, found more") {
		t.Errorf("got %v", err)
	}
}

// TestManyNodes: short texts that stand for many nodes, or for many pairs of a job and a cluster, are refused before they are written out.
func TestManyNodes(t *testing.T) {
	race.OneGoroutine(t)
	var apart []string
	for k := range 3000 {
		apart = append(apart, node(fmt.Sprint("n", k), fmt.Sprint("p", k), ""))
	}
	for name, c := range map[string]struct {
		jobs  []string
		nodes string
		want  string
	}{
		"running": {slices.Repeat([]string{on("n[1-80000]")}, 40), small, "jobs: jobs[11].nodes: expected at most 1,000,000 names in the whole reading, found more"},
		"arrays":  {[]string{`"array_job_id": 1, "array_task_string": "0-9999", "partition": "p1"`}, nodes(apart...), "jobs: expected at most 1,000,000 names in the whole reading, found more"},
	} {
		_, _, err := slurm.Read(slurm.Sources{Jobs: budgeted(t, 1_000_000, source("jobs", queue(c.jobs...))), Nodes: source("nodes", c.nodes)}, slurm.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %.300v", name, err)
		}
	}
}

// TestMemory: long files that are wrong are refused in bounded memory.
func TestMemory(t *testing.T) {
	megabyte := strings.Repeat("a", 1<<20)
	for name, c := range map[string]struct {
		text readertest.Long
		want string
	}{
		"a text":          {readertest.Long{Head: `{"jobs": [{"name": "`, Body: megabyte, Times: race.Fewer(200, 20)}, "found a longer one"},
		"white space":     {readertest.Long{Head: `{`, Body: strings.Repeat(" ", 1<<20), Times: race.Fewer(200, 20)}, "found a longer one"},
		"strange numbers": {readertest.Long{Head: `{"jobs": [{}`, Body: strings.Repeat(`,{"cpus":-1}`, 10_000), Times: race.Fewer(60, 6)}, "jobs[1].cpus: expected a number of at least 0"},
		"strange fields":  {readertest.Long{Head: `{"a": 1`, Body: fmt.Sprintf(`,"%s": 1`, megabyte[:1<<16]), Times: race.Fewer(2000, 200)}, "the file ends early"},
	} {
		t.Run(name, func(t *testing.T) {
			readertest.Bounded(t, &c.text, func(r io.Reader) error {
				_, _, err := slurm.Read(slurm.Sources{Jobs: slurm.Source{Reader: r, Name: "jobs"}, Nodes: source("nodes", small)}, slurm.Options{})
				return err
			}, c.want)
		})
	}
}
