package slurm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// A number that a file leaves out, 0 and the smallest numbers: what each means.
func TestSmallestNumbers(t *testing.T) {
	const unset = `{"set": false, "infinite": false, "number": 0}`
	for _, c := range []struct{ field, want string }{
		{`"priority": null`, `{"id":"1","estimate":120,"queue":"p"}`},
		{`"priority": ` + unset, `{"id":"1","estimate":120,"queue":"p"}`},
		{`"priority": 0`, ``}, // somebody holds it
		{`"priority": 1`, `{"id":"1","estimate":120,"queue":"p","user_class":"priority 1"}`},
		{`"priority": {"set": true, "infinite": false, "number": 0.5}`, `{"id":"1","estimate":120,"queue":"p","user_class":"priority 0.5"}`},
		{`"priority": {"set": true, "infinite": true, "number": 0}`, `{"id":"1","estimate":120,"queue":"p"}`},
	} {
		in, report := of(t, c.field)
		if got := lines(t, in)[0]; got != c.want {
			t.Errorf("%s: got %s, want %s\n%v", c.field, got, c.want, report)
		}
	}
	for most := range 5 { // of three tasks that wait, at most so many run at once; 0: any number
		in, _ := of(t, fmt.Sprintf(`"array_job_id": 5, "array_task_string": "1-3", "array_max_tasks": %d`, most))
		var want []model.Licence
		if most == 1 || most == 2 {
			want = []model.Licence{{ID: "array 5", Copies: most}}
		}
		if got := in.Licences(); !slices.Equal(got, want) {
			t.Errorf("at most %d tasks at once: licences %v, want %v", most, got, want)
		}
	}
	for limit, want := range map[string]float64{"1": 60, "2": 120, "0:30": 30, "0:01": 1, "0-1": 3600, "UNLIMITED": 365 * 86400, "0": 365 * 86400, "INFINITE": 365 * 86400} {
		in, _ := read(t, slurm.Sources{
			Jobs: source("jobs", queue(`"time_limit": null`)), Nodes: source("nodes", small), Partitions: source("partitions", "PartitionName=p MaxTime="+limit+" State=UP\n"),
		}, slurm.Options{})
		if got := in.Jobs()[0].Estimate; got != want {
			t.Errorf("a partition with a limit of %s: a job without one takes %v s, want %v s", limit, got, want)
		}
	}
}

// The processors of a node without CPUs= are the product of what is stated of it, where what is not stated, or 0, counts as 1.
func TestProcessorsOfBoards(t *testing.T) {
	keys := []string{"Boards", "SocketsPerBoard", "CoresPerSocket", "ThreadsPerCore"}
	for number := range 256 {
		conf, want, rest := "NodeName=n", 1, number
		for _, key := range keys {
			if value := rest%4 - 1; value >= 0 {
				conf += fmt.Sprintf(" %s=%d", key, value)
				want *= max(1, value)
			}
			rest /= 4
		}
		in, _ := read(t, slurm.Sources{Jobs: source("jobs", queue(``)), Nodes: source("nodes", conf+"\nPartitionName=p Nodes=n\n")}, slurm.Options{})
		if in.Processors() != want {
			t.Errorf("%s: %d processors, want %d", conf, in.Processors(), want)
		}
	}
}

// A line of slurm.conf that goes on is as long as another one at most, however many parts it has.
func TestLinesThatGoOn(t *testing.T) {
	const longest, part = 1 << 20, 1 << 16
	for _, c := range []struct {
		parts int
		right bool
	}{{2, true}, {longest/part - 1, true}, {longest / part, false}, {3 * longest / part, false}} {
		conf := "NodeName=n CPUs=2 \\\n" + strings.Repeat(strings.Repeat(" ", part-1)+"\\\n", c.parts) + "RealMemory=7\nPartitionName=p Nodes=n\n"
		_, _, err := slurm.Read(slurm.Sources{Jobs: source("jobs", queue(``)), Nodes: source("nodes", conf)}, slurm.Options{})
		if (err == nil) != c.right || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("expected a line of at most %d bytes", longest)) {
			t.Errorf("%d parts of %d bytes: got %v", c.parts, part, err)
		}
	}
}

// A limit of nodes counts the nodes of each job, whatever the way in which it says how many.
func TestLimitsOfNodes(t *testing.T) {
	const qos = "Name|GrpTRES|GrpJobs|MaxTRES|MaxWall|MaxTRESPU|MaxJobsPU|MaxTRESPA|MaxJobsPA|Flags\nnormal|node=3||||||||\n"
	for job, want := range map[string]string{
		`"cpus": 4`: `"QOS normal: node":1`, `"node_count": 2, "cpus": 2`: `"QOS normal: node":2`, `"node_count": 2, "cpus": 8, "memory_per_node": 100`: `"QOS normal: node":2`,
		`"node_count": 2, "cpus": 8, "tres_per_node": "gres:gpu:1"`: `"QOS normal: node":2`, `"node_count": 2, "cpus": 6, "max_nodes": 2`: `"QOS normal: node":2`,
		`"cpus": 6, ` + on("n[1-2]"): `"QOS normal: node":2`,
	} {
		in, report := read(t, slurm.Sources{
			Jobs: source("jobs", queue(job+`, "qos": "normal"`)), Nodes: source("nodes", strings.ReplaceAll(small, `"cpus": 4`, `"cpus": 4, "gres": "gpu:2"`)), QOS: source("qos", qos),
		}, slurm.Options{})
		if got := lines(t, in)[0]; !strings.Contains(got, `"licences":{`+want+`}`) {
			t.Errorf("%s: got %s, want %s\n%v", job, got, want, report)
		}
	}
}

// Running jobs that together hold more than their nodes have: the later ones hold what is left, of processors and of memory, and those for which nothing is left
// stand behind the others, before those that wait.
func TestRunningJobsThatHoldTooMuch(t *testing.T) {
	memories, without := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		var jobs []string
		type asked struct{ processors, memory int }
		var list []asked
		for range rapid.IntRange(1, 7).Draw(r, "running") {
			a := asked{rapid.IntRange(1, 4).Draw(r, "processors"), rapid.SampledFrom([]int{0, 100, 300, 500}).Draw(r, "memory")}
			node := rapid.IntRange(1, 2).Draw(r, "node")
			list = append(list, a)
			jobs = append(jobs, fmt.Sprintf(`%s, "cpus": %d, "memory_per_cpu": %d`, on(fmt.Sprint("n", node)), a.processors, a.memory))
		}
		waiting := rapid.IntRange(0, 2).Draw(r, "waiting")
		for range waiting {
			jobs = append(jobs, ``)
		}
		in, report := of(t, jobs...)
		held, memory := map[int]int{}, map[int]float64{} // by node
		running := 0
		last, behind := 0, false
		for k := range in.Jobs() {
			j := &in.Jobs()[k]
			number := 0
			if _, err := fmt.Sscan(j.ID, &number); err != nil {
				r.Fatal(err)
			}
			switch run := j.Node().Running; {
			case run != nil:
				if behind || number < last {
					r.Fatalf("job %s stands behind one that waits, holds nothing or comes later\n%s", j.ID, strings.Join(lines(t, in), "\n"))
				}
				a := list[number-1]
				node := run.Processors.Min() / 4
				held[node] += run.Processors.Len()
				memory[node] += j.Memory * float64(run.Processors.Len())
				if run.Processors.Len() < a.processors && held[node] < 4 || run.Processors.Len() > a.processors || j.Memory*float64(run.Processors.Len()) > float64(a.memory*a.processors) {
					r.Fatalf("job %s asks for %d processors of %d MB, and holds %d of %v; its node has %d left", j.ID, a.processors, a.memory, run.Processors.Len(), j.Memory, 4-held[node])
				}
				if run.Processors.Len() == a.processors && j.Memory < float64(a.memory) {
					memories++
					if left := 1000 - memory[node]; left > 0.01 {
						r.Fatalf("job %s holds %v of %d MB a processor, and its node has %v MB left", j.ID, j.Memory, a.memory, left)
					}
				}
				running, last = running+1, number
			case number <= len(list):
				if !behind {
					last = 0
				}
				if behind = true; number < last {
					r.Fatalf("job %s stands behind one that comes later", j.ID)
				}
				without, last = without+1, number
			default:
				if k < len(list) {
					r.Fatalf("job %s waits and stands before one that runs", j.ID)
				}
			}
		}
		for node := range 2 {
			if held[node] > 4 || memory[node] > 1000 {
				r.Fatalf("node %d has 4 processors and 1000 MB, of which the jobs hold %d and %v\n%v", node, held[node], memory[node], report)
			}
		}
		if len(in.Jobs()) != len(list)+waiting || running == 0 {
			r.Fatalf("%d jobs, of which %d run", len(in.Jobs()), running)
		}
	})
	if memories < race.Enough(20) || without < race.Enough(20) {
		t.Errorf("%d jobs that hold less memory and %d that hold nothing", memories, without)
	}
}

// What becomes no job of a trace is counted with its reason. Where it ran beside the others, it is also said that the instance leaves it out.
func TestWhatTracesLeaveOut(t *testing.T) {
	const header, good = "JobID|Submit|Start|End|NCPUS|TimelimitRaw\n", "1|100|100|200|4|10\n"
	for _, c := range []struct {
		row, reason string
		out         bool
	}{
		{"2|100|Unknown|Unknown|4|10", "the job has not started", false},
		{"2|100|150|Unknown|4|10", "the job has not ended", true},
		{"2|Unknown|150|160|4|10", "no time of submission", true},
		{"2|100|150|160|0|10", "no number of processors", true},
		{"2|100|90|160|4|10", "the job starts before its submission, or ends before its start", true},
		{"2|100|150|140|4|10", "the job starts before its submission, or ends before its start", true},
		{"2|100|150|150|4|10", "run time 0", false},
	} {
		in, report, err := slurm.NewTraceReader().Read(strings.NewReader(header+good+c.row+"\n"), "f")
		if err != nil {
			t.Fatal(err)
		}
		if got := notes(report); len(in.Jobs()) != 1 || got != "dropped 1: "+c.reason {
			t.Errorf("%s: %d jobs, %s", c.row, len(in.Jobs()), got)
		}
		warned := slices.ContainsFunc(report.Warnings, func(text string) bool {
			return strings.Contains(text, "1 of ") && strings.Contains(text, "are touched by what the instance leaves out: 1 "+c.reason)
		})
		if warned != c.out {
			t.Errorf("%s: warnings %q", c.row, report.Warnings)
		}
	}
}

// The commands of Slurm are asked for all that they have: settings of the user that filter or format what they print are not passed on, and others are.
func TestCommandsWithoutTheUsersFilters(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\n/usr/bin/env | /bin/grep -E '^(SQUEUE|SINFO|SCONTROL|SACCT|SLURM|TZ|OTHER)' | /usr/bin/sort >>" + filepath.Join(folder, "seen") + "\necho >>" + filepath.Join(folder, "seen") + "\n"
	for _, name := range []string{"squeue", "sinfo", "scontrol", "sacctmgr"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"SQUEUE_STATES", "SQUEUE_FORMAT", "SINFO_PARTITION", "SINFO_ALL", "SCONTROL_FEDERATION", "SLURM_CONF", "SLURM_BITSTR_LEN", "OTHER", "TZ"} {
		t.Setenv(name, "mine")
	}
	if _, err := slurm.Ask(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(filepath.Join(folder, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "OTHER=mine\nSCONTROL_ALL=1\nSINFO_ALL=1\nSLURM_BITSTR_LEN=0\nSLURM_CONF=mine\nSQUEUE_ALL=1\nTZ=UTC0"
	asked := strings.Split(strings.TrimSpace(string(seen)), "\n\n")
	for _, got := range asked {
		if got != want {
			t.Errorf("a command saw\n%s\nwant\n%s", got, want)
		}
	}
	if len(asked) != 8 {
		t.Errorf("%d commands were asked", len(asked))
	}
}
