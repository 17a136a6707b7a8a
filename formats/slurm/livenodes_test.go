package slurm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// startsOf are when the jobs of an instance start under conservative backfilling, by id; −1: never.
func startsOf(t *testing.T, in *model.Instance) map[string]float64 {
	t.Helper()
	choice, err := solve.Choose("conservative")
	if err != nil {
		t.Fatal(err)
	}
	list, err := whatif.Starts(t.Context(), "conservative", choice.Solver.(solve.Policy), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string]float64{}
	for k, s := range list {
		starts[in.Jobs()[k].ID] = -1
		if s.Start != nil {
			starts[in.Jobs()[k].ID] = *s.Start
		}
	}
	return starts
}

// TestWhatRunningJobsHold: processors, memory and devices on each node, by the detail of every version, or else in equal parts.
func TestWhatRunningJobsHold(t *testing.T) {
	const gpus = `, "gres": "gpu:a:2,gpu:b:2"`
	for _, c := range []struct{ name, job, want, notes string }{
		{"detail of 24.05", on("a[1-2]") + `, "cpus": 4, "job_resources": {"nodes": {"allocation": [{"name": "a1", "cpus": {"count": 1}, "memory": {"allocated": 30}}, {"name": "a2", "cpus": {"count": 3}, "memory": {"allocated": 60}}]}}`,
			`"processors":4,"estimate":60,"memory":30,"queue":"p","running":{"cluster":"p","processors":"0,4-6","elapsed":60}}`, ""},
		{"cores of 22.05", on("a[1-2]") + `, "cpus": 4, "job_resources": {"nodes": "a[1-2]", "allocated_nodes": [
			{"nodename": "a1", "memory_allocated": 10, "sockets": {"0": {"cores": {"0": "allocated", "1": "unallocated"}}}},
			{"nodename": "a2", "memory_allocated": 30, "sockets": {"0": {"cores": {"0": "allocated", "1": "allocated"}}, "1": {"cores": {"0": "allocated_and_in_use"}}}}]}`,
			`"processors":4,"estimate":60,"memory":10,"queue":"p","running":{"cluster":"p","processors":"0,4-6","elapsed":60}}`, ""},
		{"two threads of a core", on("a1") + `, "cpus": 4, "job_resources": {"allocated_nodes": [{"nodename": "a1", "sockets": [{"cores": [{"index": 0, "status": ["ALLOCATED"]}, {"index": 1, "status": ["ALLOCATED"]}]}]}]}`,
			`"processors":4,"estimate":60,"queue":"p","running":{"cluster":"p","processors":"0-3","elapsed":60}}`, ""},
		{"two threads of each core", on("a[1-2]") + `, "cpus": 6, "job_resources": {"allocated_nodes": [
			{"nodename": "a1", "sockets": [{"cores": [{"index": 0, "status": ["ALLOCATED"]}]}]}, {"nodename": "a2", "sockets": [{"cores": [{"index": 0, "status": ["ALLOCATED"]}, {"index": 1, "status": ["ALLOCATED"]}]}]}]}`,
			`"processors":6,"estimate":60,"queue":"p","running":{"cluster":"p","processors":"0-1,4-7","elapsed":60}}`, ""},
		{"cores that do not divide the processors", on("a[1-2]") + `, "cpus": 4, "job_resources": {"allocated_nodes": [
			{"nodename": "a1", "sockets": [{"cores": [{"index": 0, "status": ["ALLOCATED"]}]}]}, {"nodename": "a2", "sockets": [{"cores": [{"index": 0, "status": ["ALLOCATED"]}, {"index": 1, "status": ["ALLOCATED"]}]}]}]}`,
			`"processors":4,"estimate":60,"queue":"p","running":{"cluster":"p","processors":"0-1,4-5","elapsed":60}}`, "kept 1: the file does not tell what the job holds on each of its nodes: equal parts are taken"},
		{"a core of one of two nodes", on("a[1-2]") + `, "cpus": 2, "job_resources": {"allocated_nodes": [{"nodename": "a1", "sockets": [{"cores": [{"index": 0, "status": ["ALLOCATED"]}]}]}, {"nodename": "a2", "sockets": []}]}`,
			`"processors":2,"estimate":60,"queue":"p","running":{"cluster":"p","processors":"0-1","elapsed":60}}`, ""},
		{"devices", on("a[1-2]") + `, "cpus": 2, "tres_alloc_str": "cpu=2,node=2,gres/gpu=2", "gres_detail": ["gpu:a:1(IDX:1)", "gpu:b:1(IDX:3)"]`,
			`"processors":2,"estimate":60,"queue":"p","running":{"cluster":"p","processors":"0,4","holds":{"a1":{"gpu":1,"gpu-a":1},"a2":{"gpu":1,"gpu-b":1}},"devices":{"gpu-a":{"a1":"1"},"gpu-b":{"a2":"1"}},"elapsed":60}}`,
			"kept 1: the file does not tell what the job holds on each of its nodes: equal parts are taken"},
		{"devices without detail", on("a1") + `, "tres_alloc_str": "cpu=1,node=1,gres/gpu=2,gres/gpu:b=2"`,
			`"holds":{"a1":{"gpu":2,"gpu-b":2}},"devices":{"gpu-b":{"a1":"0-1"}},"elapsed":60}}`, ""},
		{"an unknown partition", strings.Replace(on("a1"), `"job_state"`, `"partition": "hidden", "job_state"`, 1),
			`{"id":"1","estimate":60,"queue":"hidden","running":{"cluster":"p","processors":"0","elapsed":60}}`, ""},
		{"more than there is", on("a1") + `, "cpus": 6, "tres_alloc_str": "cpu=6,mem=200M,node=1,gres/gpu:a=3"`, `"processors":4,"estimate":60,"memory":22.5,"queue":"p","running":{"cluster":"p","processors":"0-3","holds":{"a1":{"gpu":3,"gpu-a":2}}`,
			"repaired 1: the jobs that run hold more generic resources than a node has: the last of them hold what is left\nrepaired 1: the jobs that run hold more memory than a node has: the last of them hold what is left\n" +
				"repaired 1: the jobs that run hold more processors than a node has: the last of them hold what is left"},
	} {
		in, report := read(t, slurm.Sources{Jobs: source("jobs", queue(c.job)), Nodes: source("nodes", nodes(node("a1", "p", gpus), node("a2", "p", gpus)))}, slurm.Options{})
		if got := lines(t, in)[0]; !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
		if got := notes(report); got != c.notes {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.notes)
		}
	}
	in, report := of(t, on("n1")+`, "cpus": 4`, on("n1")+`, "cpus": 2`, `"cpus": 8`)
	if got := notes(report); got != "kept 1: the jobs that run hold more processors than their nodes have: this one is bound to no nodes, and may start later than at 0" ||
		!strings.Contains(lines(t, in)[1], `"id":"2","processors":2,"estimate":60,"queue":"p","user_class":"running"`) {
		t.Errorf("got %s, %v", got, lines(t, in))
	}
}

// TestPlacesThatJobsAskFor: features in every way that an instance expresses, certain nodes, nodes to avoid, numbers of nodes and tasks on each; what it cannot express is
// counted, and touches the job.
func TestPlacesThatJobsAskFor(t *testing.T) {
	file := nodes(node("a1", "p", `, "active_features": ["ib", "old"], "gres": "gpu:4"`), node("a2", "p", `, "active_features": ["ib"], "gres": "gpu:4"`), node("a3", "p", `, "active_features": ["new"]`))
	for _, c := range []struct{ ask, want, notes string }{
		{`"features": "ib"`, `"features":[["ib"]]`, ""},
		{`"features": "old|new"`, `"features":[["old","new"]]`, ""},
		{`"features": "ib&old"`, `"features":[["ib"],["old"]]`, ""},
		{`"features": "ib&(old|new)"`, `"features":[["ib"],["old","new"]]`, ""},
		{`"features": "[old|new]"`, `"priority 100"}`, "asked for features in a way that an instance cannot express: it runs on any node of its partition"},
		{`"features": "old*1&ib*1"`, `"priority 100"}`, "asked for features in a way that an instance cannot express: it runs on any node of its partition"},
		{`"features": "ib&old|new"`, `"priority 100"}`, "asked for features in a way that an instance cannot express: it runs on any node of its partition"},
		{`"required_nodes": "a[1-2]", "node_count": 2, "max_nodes": 2, "cpus": 2`, `"machines":2,"features":[["nodes a[1-2]"]]`, ""},
		{`"required_nodes": "a2", "cpus": 4, "tasks": 1, "cpus_per_task": 4`, `"block":4,"features":[["nodes a2"]]`, ""},
		{`"required_nodes": "a2", "cpus": 6`, `"processors":6,"estimate":120,"queue":"p","user_class":"priority 100"}`, "the job asks for certain nodes, and others beside them: it runs on any"},
		{`"required_nodes": "a2", "cpus": 3`, `"features":[["nodes a2"]]`, "the job asks for certain nodes, and may run on others beside them: it runs on those only"},
		{`"excluded_nodes": "a[1-2]"`, `"features":[["without a[1-2]"]]`, ""},
		{`"tasks_per_node": 2, "node_count": 3, "cpus": 6`, `"block":2,"per_machine":1`, ""},
		{`"tasks_per_node": 2, "cpus": 5, "tasks": 5`, `"processors":6,"estimate":120,"queue":"p","user_class":"priority 100","block":2,"per_machine":1`,
			"processors or generic resources that do not divide evenly among its nodes: the part of each node is rounded up"},
		{`"cpus": 4, "node_count": 2, "max_nodes": 2, "tres_req_str": "cpu=4,node=2,gres/gpu=3"`, `"block":2,"resources":{"gpu":2}`,
			"processors or generic resources that do not divide evenly among its nodes: the part of each node is rounded up"},
		{`"features": "(null)", "licenses": "(null)"`, `"priority 100"}`, ""},
		{`"excluded_nodes": "b1", "cpus": 12`, `"features":[["without b1"]]`, ""},
		{`"max_nodes": 1, "cpus": 3`, `"block":3}`, ""},
		{`"contiguous": true`, `"priority 100"}`, "the job asks for consecutive nodes: it runs on any"},
		{`"tasks_per_core": {"set": true, "number": 1}`, `"priority 100"}`, "the job asks for a layout of sockets, cores or threads: it runs on any processors of a node"},
		{`"sockets_per_node": 2`, `"priority 100"}`, "the job asks for a layout of sockets, cores or threads: it runs on any processors of a node"},
		{`"cpus": 7, "cpus_per_task": 2`, `"processors":7,"estimate":120,"queue":"p","user_class":"priority 100"}`, "processors that are no whole number of tasks: they lie on any nodes"},
		{`"threads_per_core": 1`, `"priority 100"}`, "the job asks for a layout of sockets, cores or threads: it runs on any processors of a node"},
		{`"core_spec": 2`, `"priority 100"}`, "the job leaves cores of its nodes to the system: they count as free for others"},
		{`"thread_spec": 2`, `"priority 100"}`, "the job leaves cores of its nodes to the system: they count as free for others"},
		{`"core_spec": 0, "thread_spec": 32766, "tasks_per_core": 65535, "tasks_per_socket": {"infinite": true}, "segment_size": 0, "priority_by_partition": []`, `"priority 100"}`, ""},
		{`"minimum_tmp_disk_per_node": 500`, `"priority 100"}`, "the job asks for a local disk of a size at least: it runs on any nodes"},
		{`"burst_buffer": "capacity=1G"`, `"priority 100"}`, "the job asks for a burst buffer: it does not wait for one"},
		{`"required_switches": 1`, `"priority 100"}`, "the job asks for nodes that are close to each other: it runs on any"},
		{`"segment_size": 2`, `"priority 100"}`, "the job asks for nodes that are close to each other: it runs on any"},
		{`"prefer": "ib"`, `"priority 100"}`, "the job prefers nodes with certain features: it runs on any that it may use"},
		{`"reboot": true`, `"priority 100"}`, "the job has its nodes booted first: it starts without"},
		{`"partition": "p", "priority": 100, "priority_by_partition": [{"priority": 7}, {"priority": 8}]`, `"priority 100"}`, "the job has another priority in each of its partitions: one of them counts"},
		{`"time_minimum": 1`, `"estimate":120`, "the job takes a shorter limit too (--time-min): an instance cannot express this, so its longest limit is taken"},
	} {
		in, report := read(t, slurm.Sources{Jobs: source("jobs", queue(c.ask)), Nodes: source("nodes", file)}, slurm.Options{})
		if got := lines(t, in)[0]; !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.ask, got, c.want)
		}
		if got := notes(report); (got == "") != (c.notes == "") || !strings.HasSuffix(got, c.notes) {
			t.Errorf("%s: got %s, want %s", c.ask, got, c.notes)
		}
		if caveats := in.Caveats(); (len(caveats) > 0) != (c.notes != "") {
			t.Errorf("%s: got caveats %v", c.ask, caveats)
		}
		if start, starts := startsOf(t, in)["1"]; start != 0 || !starts {
			t.Errorf("%s: the job starts at %v, %v", c.ask, start, starts)
		}
	}
}

// TestReservations: nodes are closed to other jobs for the time of a reservation, and to all during maintenance; as JSON and as text.
func TestReservations(t *testing.T) {
	for name, file := range map[string]string{
		"JSON": `{"reservations": [
 {"name": "r", "start_time": {"set": true, "number": 900}, "end_time": {"set": true, "number": 1400}, "node_list": "n1", "flags": ["SPEC_NODES"], "core_count": 4},
 {"name": "m", "start_time": 1600, "end_time": 9999, "node_list": "n[1-2]", "flags": ["MAINT", "SPEC_NODES"]},
 {"name": "over", "start_time": 100, "end_time": 999, "node_list": "n2", "flags": []},
 {"name": "some", "start_time": 100, "end_time": 9999, "node_list": "n2", "flags": [], "core_count": 1}]}`,
		"text": `ReservationName=r StartTime=1970-01-01T00:15:00 EndTime=1970-01-01T00:23:20 Duration=00:08:20
   Nodes=n1 NodeCnt=1 CoreCnt=4 Features=(null) PartitionName=(null) Flags=SPEC_NODES

ReservationName=m StartTime=1970-01-01T00:26:40 EndTime=1970-01-01T02:46:39 Nodes=n[1-2] CoreCnt=8 Flags=MAINT,SPEC_NODES
ReservationName=over StartTime=100 EndTime=999 Nodes=n2 CoreCnt=4 Flags=
ReservationName=some StartTime=100 EndTime=9999 Nodes=n2 CoreCnt=1 Flags=
`,
	} {
		in, report := read(t, slurm.Sources{
			Jobs: source("jobs", queue(`"resv_name": "r", "cpus": 4`, `"cpus": 8`, `"cpus": 4`, `"cpus": 4, "time_limit": 5`, `"resv_name": "over"`)), Nodes: source("nodes", small), Reservations: source("reservations", file),
		}, slurm.Options{})
		if got, want := clusters(t, in), `"closed":[{"to":400,"for":"r"},{"from":600,"to":8999}]},{"id":"n2","processors":4,"memory":1000,"features":["partition p"],"closed":[{"from":600,"to":8999}]}`; !strings.Contains(got, want) {
			t.Errorf("%s: got %s", name, got)
		}
		if got, want := notes(report), `kept 1: reservation of some of the cores of its nodes: its nodes count as free for all jobs
kept 1: the job belongs to a reservation whose nodes the instance does not have: it runs on any`; got != want {
			t.Errorf("%s: got %s", name, got)
		}
		// Job 1 runs in its reservation; job 2 needs both nodes; 3 and 4 have n2 before it, one after the other.
		if got, want := fmt.Sprint(startsOf(t, in)), "map[1:0 2:400 3:0 4:8999 5:120]"; got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// TestPartitionLimits: jobs keep to the partitions that let them start, and to the number of nodes that these allow.
func TestPartitionLimits(t *testing.T) {
	in, report := read(t, slurm.Sources{
		Jobs: source("jobs", queue(`"partition": "short,long", "time_limit": 90`, `"partition": "short", "time_limit": 90`, `"partition": "narrow", "cpus": 8`, `"partition": "narrow", "cpus": 8, "node_count": 2`,
			`"partition": "down,long"`)),
		Nodes: source("nodes", nodes(node("a1", "short long down", ""), node("a2", "long narrow", ""), node("a3", "narrow", ""))),
		Partitions: source("partitions", "PartitionName=short MaxTime=60 State=UP\nPartitionName=long MaxTime=UNLIMITED State=UP\nPartitionName=narrow MaxNodes=1 State=UP MaxCPUsPerNode=UNLIMITED\n"+
			"PartitionName=down State=DOWN\n"),
	}, slurm.Options{})
	if got, want := strings.Join(lines(t, in), "\n"), `{"id":"1","estimate":5400,"queue":"short,long","user_class":"priority 100","features":[["partition long"]]}
{"id":"5","estimate":120,"queue":"down,long","user_class":"priority 96","features":[["partition long"]]}`; got != want {
		t.Errorf("got\n%s", got)
	}
	if got, want := notes(report), `dropped 2: the job asks for more time or more nodes than its partition allows: it starts only when somebody acts
dropped 1: asks for more than the nodes in service of its partition have`; got != want {
		t.Errorf("got\n%s", got)
	}
	for queue, want := range map[string]string{
		"long": "[[partition long]]", "short,long": "[[partition long,short]]", "down,long": "[[partition long]]", "": "[]",
		"down": `job.json: queue: expected a partition that starts jobs, found "down", which is not up`,
		"none": `job.json: queue: expected one of the partitions down, down,long, long, narrow, short, short,long, found "none"`,
	} {
		job, err := in.InPartition(model.JobSpec{ID: "mine", Queue: queue, Estimate: new(60.0)}, "job.json")
		if err != nil {
			if err.Error() != want {
				t.Errorf("%q: got %v", queue, err)
			}
			continue
		}
		if got := fmt.Sprint(job.Features); got != want {
			t.Errorf("%q: got %s", queue, got)
		}
		if _, err := in.WithJob(job, "job.json"); err != nil {
			t.Errorf("%q: %v", queue, err)
		}
		if again, err := in.InPartition(job, "job.json"); err != nil || fmt.Sprint(again.Features) != want {
			t.Errorf("%q again: got %v, %v", queue, again.Features, err)
		}
	}
}

// TestLimitsAreAllowed: a job may ask for as much as its partition allows, and not for more.
func TestLimitsAreAllowed(t *testing.T) {
	for ask, kept := range map[string]int{`"time_limit": 59`: 1, `"time_limit": 60`: 1, `"time_limit": 61`: 0, `"time_limit": 60, "cpus": 2, "node_count": 2`: 1, `"time_limit": 60, "cpus": 3, "node_count": 3`: 0} {
		in, _ := read(t, slurm.Sources{Jobs: source("jobs", queue(ask)), Nodes: source("nodes", nodes(node("a1", "p", ""), node("a2", "p", ""), node("a3", "p", ""))),
			Partitions: source("partitions", "PartitionName=p MaxTime=60 MaxNodes=2 State=UP\n")}, slurm.Options{})
		if got := len(in.Jobs()); got != kept {
			t.Errorf("%s: %d jobs are kept, expected %d", ask, got, kept)
		}
	}
}

// TestLimits: the limits of a real Slurm (22.05.8 with slurmdbd) hold as licences, of which running jobs hold theirs: the jobs that it let wait for a limit wait, and no others.
// Those whose limits an instance cannot express are named.
func TestLimits(t *testing.T) {
	const qos = `Name|Priority|Preempt|PreemptMode|Flags|GrpTRES|GrpTRESMins|GrpTRESRunMins|GrpJobs|MaxTRES|MaxWall|MaxTRESPU|MaxJobsPU|MaxSubmitPU|MaxTRESPA|MaxJobsPA
normal|0||cluster||||||||||||
capped|50||cluster||cpu=24||||||cpu=8|1|6||
gtm|0||cluster|||cpu=10||3|||||||
`
	const assoc = `Cluster|Account|User|Partition|ParentName|GrpJobs|GrpTRES|GrpTRESMins|GrpTRESRunMins|MaxJobs|MaxTRES
lab|root|||||||||
lab|chem|||root||||||
lab|chem|fay|||||cpu=500|||cpu=10
lab|organic|||chem||cpu=6||||
lab|organic|eve||||||||
lab|physics|||root||||||
lab|physics|cyd|||||||1|
`
	var jobs []string
	job := func(id int, user, account, quality string, cpus int, reason string) {
		text := fmt.Sprintf(`"job_id": %d, "user_name": %q, "account": %q, "qos": %q, "cpus": %d, "time_limit": 10`, id, user, account, quality, cpus)
		if reason == "" {
			text += `, "job_state": "RUNNING", "start_time": 1000, "nodes": "n[1-8]"`
		} else {
			text += `, "state_reason": "` + reason + `"`
		}
		jobs = append(jobs, text)
	}
	job(54, "fay", "chem", "capped", 8, "")
	job(49, "dan", "chem", "capped", 4, "")
	job(52, "ada", "physics", "capped", 8, "")
	job(56, "dan", "organic", "normal", 2, "")
	job(57, "cyd", "physics", "normal", 1, "")
	job(61, "ada", "physics", "gtm", 1, "")
	job(50, "dan", "chem", "capped", 4, "QOSMaxJobsPerUserLimit")
	job(63, "fay", "chem", "normal", 12, "AssocMaxCpuPerJobLimit")
	job(51, "eve", "chem", "capped", 12, "QOSGrpCpuLimit")
	job(55, "eve", "organic", "normal", 5, "AssocGrpCpuLimit")
	job(53, "ben", "physics", "capped", 8, "QOSGrpCpuLimit")
	job(59, "cyd", "physics", "normal", 1, "AssocMaxJobsLimit")
	job(58, "cyd", "physics", "normal", 1, "AssocMaxJobsLimit")
	job(60, "ada", "physics", "gtm", 2, "QOSGrpCPUMinutesLimit")
	job(70, "ben", "physics", "normal", 4, "Priority")
	job(64, "fay", "chem", "normal", 11, "Priority")
	var list []string
	for k := range 8 {
		list = append(list, fmt.Sprintf(`{"name": "n%d", "cpus": 16, "state": "idle", "partitions": ["p"]}`, k+1))
	}
	sources := func() slurm.Sources {
		return slurm.Sources{Jobs: source("jobs", queue(jobs...)), Nodes: source("nodes", nodes(list...)), QOS: source("qos", qos), Associations: source("assoc", assoc)}
	}
	in, report := read(t, sources(), slurm.Options{})
	starts := startsOf(t, in)
	for id, want := range map[string]float64{"50": 600, "51": -1, "55": 600, "53": 600, "59": 600, "58": 1200, "60": 0, "70": 0} {
		if starts[id] != want {
			t.Errorf("job %s starts at %v, expected %v", id, starts[id], want)
		}
	}
	if got := notes(report); !strings.Contains(got, "dropped 1: pending, as it asks for more than a limit allows a job: it starts only when somebody acts") ||
		!strings.Contains(got, "kept 2: limit GrpTRESMins of the quality of service: an instance cannot express this") || strings.Contains(got, `"QOSGrpCpuLimit": an instance`) ||
		!strings.Contains(got, "kept 1: the job asks for more than the account allows one job: Slurm does not start it") ||
		!strings.Contains(got, `"QOSGrpCPUMinutesLimit": an instance cannot express this`) {
		t.Errorf("got\n%s", got)
	}
	// A setting by which limits do not hold, and no tables.
	for name, src := range map[string]slurm.Sources{"not enforced": sources(), "no tables": sources()} {
		if name == "no tables" {
			src.QOS, src.Associations = slurm.Source{}, slurm.Source{}
		} else {
			src.Config = source("config", "Configuration data as of 2026-11-24T20:00:00\nAccountingStorageEnforce = associations,qos\nPreemptType             = preempt/qos\nSelectTypeParameters = CR_CORE\n")
		}
		in, report := read(t, src, slurm.Options{})
		if starts := startsOf(t, in); starts["50"] != 0 || starts["51"] != 0 {
			t.Errorf("%s: got %v", name, starts)
		}
		if got := notes(report); strings.Contains(got, "setting AccountingStorageEnforce=associations,qos: limits") != (name == "not enforced") {
			t.Errorf("%s: got %s", name, got)
		}
	}
	for text, want := range map[string]string{"": "qos: expected what sacctmgr show qos -P prints, found an empty file", "Nome|x": "qos: line 1: expected a column Name", "Name|x\na": "qos: line 2: expected 2 cells apart by |, found 1"} {
		src := sources()
		src.QOS = source("qos", text)
		if _, _, err := slurm.Read(src, slurm.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v", err)
		}
	}
}

// TestGangs: on 20 nodes of 8 GPUs, each of 38 jobs of several whole or half nodes lies on as many distinct nodes as it asks for, with equal parts of its GPUs on each, under
// every policy: none lies in other pieces.
func TestGangs(t *testing.T) {
	var list, jobs []string
	for k := range 20 {
		list = append(list, fmt.Sprintf(`{"name": "g%02d", "cpus": 64, "state": "idle", "partitions": ["p"], "gres": "gpu:8"}`, k))
	}
	type gang struct{ nodes, gpus int }
	gangs := map[string]gang{}
	for k := range 38 {
		g := gang{1 + k%5, 4 + 4*(k%2)}
		gangs[fmt.Sprint(k+1)] = g
		jobs = append(jobs, fmt.Sprintf(`"cpus": %d, "tasks": %d, "tasks_per_node": %d, "node_count": %d, "max_nodes": %d, "time_limit": %d, "tres_per_node": "gres/gpu:%d"`,
			4*g.gpus*g.nodes, g.gpus*g.nodes, g.gpus, g.nodes, g.nodes, 10+k%3, g.gpus))
	}
	in, report := read(t, slurm.Sources{Jobs: source("jobs", queue(jobs...)), Nodes: source("nodes", nodes(list...))}, slurm.Options{})
	if len(report.Notes) > 0 {
		t.Errorf("got %v", report)
	}
	for _, name := range []string{"fcfs", "easy", "conservative"} {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, result.Solution); !report.OK() || len(result.Solution.Jobs) != 38 {
			t.Fatalf("%s: %d jobs, %v", name, len(result.Solution.Jobs), report.Violations)
		}
		for _, p := range result.Solution.Jobs {
			g := gangs[p.Job]
			if got := in.MachineNames(0, p.Processors); len(got) != g.nodes || len(p.Devices["gpu"]) != g.nodes {
				t.Errorf("%s: job %s on %v with %v, asks for %d nodes", name, p.Job, got, p.Devices, g.nodes)
			}
			for node, devices := range p.Devices["gpu"] {
				if devices.Len() != g.gpus {
					t.Errorf("%s: job %s holds %v on %s, asks for %d", name, p.Job, devices, node, g.gpus)
				}
			}
		}
	}
}

// TestWhatNodesAndPartitionsSay: what the files say of nodes and partitions and the instance leaves out is counted; what touches jobs is in the caveats too.
func TestWhatNodesAndPartitionsSay(t *testing.T) {
	const shared, perSocket = "partition whose jobs may share processors (OverSubscribe): here each has its own",
		"partition with a limit of processors on each node (MaxCPUsPerNode, MaxCPUsPerSocket): an instance cannot express this"
	const weights, off = "nodes of different weights: the policies take the first nodes that fit, not those of the least weight",
		"node powered down: it counts as idle, though it has to boot before a job starts"
	json := func(maximums string) string {
		return `{"partitions": [{"name": "p", "maximums": {` + maximums + `}}]}`
	}
	two := nodes(node("n1", "p", ""), node("n2", "p", ""))
	for _, c := range []struct {
		nodes, partitions, note string
		touches                 bool
	}{
		{two, json(`"shares": 1, "cpus_per_socket": {"set": false, "infinite": true}`), "", false},
		{two, json(`"shares": 32769`), "", false}, // FORCE:1
		{two, json(`"shares": 32772`), shared, true},
		{two, json(`"oversubscribe": {"jobs": 4, "flags": ["force"]}`), shared, true},
		{two, json(`"oversubscribe": {"jobs": 1, "flags": []}`), "", false},
		{two, json(`"cpus_per_socket": {"set": true, "number": 2}`), perSocket, true},
		{two, "PartitionName=p OverSubscribe=NO MaxCPUsPerSocket=UNLIMITED State=UP\n", "", false},
		{two, "PartitionName=p OverSubscribe=FORCE:1 State=UP\n", "", false},
		{two, "PartitionName=p OverSubscribe=FORCE:2 State=UP\n", shared, true},
		{two, "PartitionName=p OverSubscribe=YES State=UP\n", shared, true},
		{two, "PartitionName=p MaxCPUsPerSocket=3 State=UP\n", perSocket, true},
		{nodes(node("n1", "p", `, "weight": 1`), node("n2", "p", `, "weight": 5`), node("n3", "p", `, "weight": 9`)), "", weights, false},
		{nodes(node("n1", "p", `, "weight": 5`), node("n2", "p", `, "weight": 5`)), "", "", false},
		{"NodeName=n1 CPUTot=4 Weight=1 State=IDLE Partitions=p\nNodeName=n2 CPUTot=4 Weight=2 State=IDLE+CLOUD+POWERED_DOWN Partitions=p\n", "", off + "; " + weights, false},
		{"NODELIST|PARTITION|CPUS|STATE\nn1|p*|4|idle~\nn2|p|4|idle\n", "", off, false},
	} {
		src := slurm.Sources{Jobs: source("jobs", queue("")), Nodes: source("nodes", c.nodes)}
		if c.partitions != "" {
			src.Partitions = source("partitions", c.partitions)
		}
		in, report := read(t, src, slurm.Options{})
		var told []string
		for _, n := range report.Notes {
			told = append(told, n.Reason)
			if n.Count != 1 {
				t.Errorf("%s %s: %+v", c.nodes, c.partitions, n)
			}
		}
		if got := strings.Join(told, "; "); got != c.note {
			t.Errorf("%s %s: got %q, want %q", c.nodes, c.partitions, got, c.note)
		}
		if got := len(in.Caveats()) > 0; got != c.touches {
			t.Errorf("%s %s: caveats %v", c.nodes, c.partitions, in.Caveats())
		}
	}
	in, _ := read(t, slurm.Sources{Jobs: source("jobs", queue("")), Nodes: source("nodes", "NODELIST|PARTITION|CPUS|STATE\nn1|p*|4|idle\nn2|q|4|idle\n")}, slurm.Options{})
	if job, err := in.InPartition(model.JobSpec{ID: "mine", Estimate: new(60.0)}, "job.json"); err != nil || job.Queue != "p" {
		t.Errorf("a job without a queue goes to %q, %v; the table marks p", job.Queue, err)
	}
}

// TestOddReservations: what a reservation says beside its nodes and its times is counted.
func TestOddReservations(t *testing.T) {
	for _, c := range []struct{ fields, text, note string }{
		{`"flags": ["MAGNETIC"]`, "Flags=MAGNETIC", "reservation that draws jobs that do not name it: only jobs that name it run there"},
		{`"flags": ["TIME_FLOAT"]`, "Flags=TIME_FLOAT", "reservation whose times move on with the clock: they stay as they are now"},
		{`"flags": ["REPLACE_DOWN"]`, "Flags=REPLACE_DOWN", "reservation whose nodes are replaced by others: it keeps those that it has now"},
		{`"flags": ["PURGE_COMP"]`, "Flags=PURGE_COMP", "reservation that ends when it has no jobs: it ends at its end"},
		{`"flags": ["DAILY", "FLEX"]`, "Flags=DAILY,FLEX", "reservation that comes again: only its next time is in the instance; reservation whose jobs may run before it, after it and on other nodes too: they run in it only"},
		{`"licenses": "matlab:2"`, "Licenses=matlab:2", "reservation of licences beside its nodes: all copies count as free for all jobs"},
		{`"licenses": "", "flags": ["SPEC_NODES"]`, "Licenses=(null) Flags=SPEC_NODES", ""},
	} {
		for _, file := range []string{
			`{"reservations": [{"name": "r", "start_time": 1200, "end_time": 1400, "node_list": "n1", ` + c.fields + `}]}`, "ReservationName=r StartTime=1200 EndTime=1400 Nodes=n1 " + c.text + "\n",
		} {
			_, report := read(t, slurm.Sources{Jobs: source("jobs", queue("")), Nodes: source("nodes", small), Reservations: source("reservations", file)}, slurm.Options{})
			var told []string
			for _, n := range report.Notes {
				told = append(told, n.Reason)
			}
			if got := strings.Join(told, "; "); got != c.note {
				t.Errorf("%s: got %q, want %q", file, got, c.note)
			}
		}
	}
}

// TestQualityThatNoFileTells: a job of another quality of service than most is touched by what no file tells of it, unless all are of one.
func TestQualityThatNoFileTells(t *testing.T) {
	for _, other := range []string{"high", "usual"} {
		_, report := of(t, `"qos": "usual"`, `"qos": "usual"`, `"qos": "`+other+`"`)
		want := ""
		if other == "high" {
			want = `kept 1: quality of service other than "usual", which most waiting jobs have: no file tells its limits and its preemption (--qos)`
		}
		if got := notes(report); got != want {
			t.Errorf("%s: got %s", other, got)
		}
	}
}

// TestTooManyLicencesHeld: running jobs that hold more copies than there are hold what is left, one after the other.
func TestTooManyLicencesHeld(t *testing.T) {
	in, report := read(t, slurm.Sources{Jobs: source("jobs", queue(on("n1")+`, "licenses": "m:2"`, on("n1")+`, "licenses": "m:2"`, on("n2")+`, "licenses": "m:1"`)), Nodes: source("nodes", small),
		Licences: source("licences", "LicenseName=m Total=3\n")}, slurm.Options{})
	if got := strings.Join(lines(t, in), ""); strings.Count(got, `"licences":{"m":2}`) != 1 || strings.Count(got, `"licences":{"m":1}`) != 1 ||
		notes(report) != "repaired 2: the jobs that run hold more of a licence or a limit than there is: the last of them hold what is left" {
		t.Errorf("got %s\n%s", got, notes(report))
	}
}
