package slurm_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
)

// node is a node in the way that 24.05 writes it.
//
//nolint:misspell // Slurm's spelling
func node(name, partitions, more string) string {
	return `{"name": "` + name + `", "cpus": 4, "effective_cpus": 4, "real_memory": 100, "specialized_memory": 10, "state": ["IDLE"], "partitions": ["` +
		strings.ReplaceAll(partitions, " ", `", "`) + `"]` + more + `}`
}

// nodes is a file of nodes.
func nodes(list ...string) string { return `{"nodes": [` + strings.Join(list, ",") + `]}` }

// clusters is the clusters of an instance as it is written.
func clusters(t *testing.T, in *model.Instance) string {
	t.Helper()
	var text strings.Builder
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text.String(), "\"clusters\": [\n")
	list, _, _ := strings.Cut(rest, "\n ]")
	return strings.ReplaceAll(list, "\n  ", "\n")
}

// TestBeginOfAFile: blanks before a file change nothing, one that begins with a mark of the order of bytes is no JSON, and a name that an instance cannot have is written as one that it can.
func TestBeginOfAFile(t *testing.T) {
	if _, _, err := slurm.Read(slurm.Sources{Jobs: source("jobs", queue("")), Nodes: source("nodes", "\ufeff"+small)}, slurm.Options{}); err == nil || !strings.HasPrefix(err.Error(), "nodes: not JSON") {
		t.Error(err)
	}
	for _, begin := range []string{"", "\n "} {
		in, _ := read(t, slurm.Sources{Jobs: source("jobs", queue("")), Nodes: source("nodes", begin+nodes(node(`a\tb`, "p", ""), node(`a\nb`, "p", `, "gres": "gpu:1"`)))}, slurm.Options{})
		if got := clusters(t, in); strings.Count(got, `"id":"a b"`) != 1 || !strings.Contains(got, ` a b"`) {
			t.Errorf("%q: %s", begin, got)
		}
	}
}

// TestPartitionsApart: partitions that share no nodes are clusters, and jobs can run in theirs only.
func TestPartitionsApart(t *testing.T) {
	in, _ := read(t, slurm.Sources{
		Jobs:  source("jobs", queue(`"partition": "p"`, `"partition": "q"`, `"partition": "p,q"`)),
		Nodes: source("nodes", nodes(node("a1", "p", ""), node("a2", "p", ""), node("b1", "q", ""))),
	}, slurm.Options{})
	if got, want := clusters(t, in), `  {"id":"p","machines":[{"id":"a1","processors":4,"memory":90,"features":["partition p"]},{"id":"a2","processors":4,"memory":90,"features":["partition p"]}]},
{"id":"q","machines":[{"id":"b1","processors":4,"memory":90,"features":["partition q"]}]}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for k, want := range []string{`"runtime":{"p":120}`, `"runtime":{"q":120}`, `"runtime":{"p":120,"q":120}`} {
		if got := lines(t, in)[k]; !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestPartitionsThatShareNodes: they are one cluster; the jobs of a partition with some of its nodes only ask for a feature of those.
func TestPartitionsThatShareNodes(t *testing.T) {
	in, _ := read(t, slurm.Sources{
		Jobs:     source("jobs", queue(`"partition": "all"`, `"partition": "fast"`, `"partition": "fast,all", "licenses": "m"`)),
		Nodes:    source("nodes", nodes(node("a1", "all", ""), node("a2", "all fast", ""), node("a3", "all fast", ""))),
		Licences: source("licences", `{"licenses": [{"LicenseName": "m", "Total": 1}]}`),
	}, slurm.Options{})
	if got, want := clusters(t, in), `  {"id":"all+fast","machines":[{"id":"a1","processors":4,"memory":90,"features":["partition all"]},{"id":"a2","processors":4,"memory":90,"features":["partition all","partition fast"]},{"id":"a3","processors":4,"memory":90,"features":["partition all","partition fast"]}]}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for k, want := range []string{"", `"features":[["partition fast"]]`, `"licences":{"m":1}`} {
		if got := lines(t, in)[k]; !strings.Contains(got, want) || want == "" && strings.Contains(got, "licences") {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestGenericResources: GPUs are devices of nodes. Types are resources of their own where a node has several, else features of nodes.
func TestGenericResources(t *testing.T) {
	asks := []string{`"tres_req_str": "cpu=1,node=1,gres/gpu=2,gres/gpu:h100=2"`, `"tres_per_node": "gres:gpu:2", "node_count": 2, "cpus": 4`, `"tres_req_str": "cpu=1,gres/fpga=1"`,
		`"tres_per_task": "gres/gpu:1", "cpus": 4, "cpus_per_task": 2`, `"tres_per_job": "gres:gpu:2", "cpus": 4`, `"tres_per_node": "gres:gpu:h100", "node_count": 1`}
	for _, c := range []struct {
		gres    [2]string
		devices string
		nodes   [2]string
		jobs    []string
	}{
		{[2]string{"gpu:h100:2(S:0-1),gpu:a:1", "gpu:h100:2"}, `["gpu-a","gpu-h100"]`,
			[2]string{`"resources":{"gpu":3,"gpu-a":1,"gpu-h100":2},"features":["gpu:a","gpu:h100","partition p"]`, `"resources":{"gpu":2,"gpu-h100":2},"features":["gpu:h100","partition p"]`},
			[]string{`"resources":{"gpu":2,"gpu-h100":2}}`, `"block":2,"resources":{"gpu":2},"per_machine":1}`, `"queue":"p","user_class":"priority 98"}`, `"block":2,"resources":{"gpu":1}}`,
				`"block":2,"resources":{"gpu":1}}`, `"resources":{"gpu":1,"gpu-h100":1}}`}},
		{[2]string{"gpu:h100:2", "gpu:a:4(S:0)"}, `["gpu"]`, [2]string{`"resources":{"gpu":2},"features":["gpu:h100","partition p"]`, `"resources":{"gpu":4},"features":["gpu:a","partition p"]`},
			[]string{`"resources":{"gpu":2},"features":[["gpu:h100"]]}`, `"block":2,"resources":{"gpu":2},"per_machine":1}`, `"queue":"p","user_class":"priority 98"}`, `"block":2,"resources":{"gpu":1}}`,
				`"block":2,"resources":{"gpu":1}}`, `"resources":{"gpu":1},"features":[["gpu:h100"]]}`}},
	} {
		in, report := read(t, slurm.Sources{
			Jobs:  source("jobs", queue(asks...)),
			Nodes: source("nodes", nodes(node("a1", "p", `, "gres": "`+c.gres[0]+`"`), node("a2", "p", `, "gres": "`+c.gres[1]+`"`), node("b1", "q", ""))),
		}, slurm.Options{})
		var text strings.Builder
		if err := model.WriteInstance(&text, in); err != nil || !strings.Contains(text.String(), `"devices": `+c.devices) {
			t.Errorf("expected devices %s, found %v\n%s", c.devices, err, text.String())
		}
		for k, want := range c.nodes {
			if got := clusters(t, in); !strings.Contains(got, fmt.Sprintf(`{"id":"a%d","processors":4,"memory":90,%s}`, k+1, want)) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		for k, want := range c.jobs {
			if got := lines(t, in)[k]; !strings.HasSuffix(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if got, want := notes(report), "kept 1: the job asks for generic resources that no node of its partition counts: they are left out"; got != want {
			t.Errorf("got\n%s", got)
		}
	}
}

// TestClosedNodes: nodes that take no jobs are not in the instance, however their state is written; those on which jobs run are there for these alone.
func TestClosedNodes(t *testing.T) {
	for _, state := range []string{`"state": ["IDLE", "DRAIN"]`, `"state": "down"`, `"state": ["DOWN"]`, `"state": "idle", "state_flags": ["DRAIN"]`, `"state": ["MIXED", "MAINTENANCE"]`} {
		file := nodes(node("a1", "p", ""), strings.Replace(node("a2", "p", ""), `"state": ["IDLE"]`, state, 1))
		in, report := read(t, slurm.Sources{Jobs: source("jobs", queue(``)), Nodes: source("nodes", file)}, slurm.Options{})
		if in.Processors() != 4 || len(report.Notes) != 1 {
			t.Errorf("%s: %d processors, %v", state, in.Processors(), report)
		}
		in, report = read(t, slurm.Sources{Jobs: source("jobs", queue(``, on("a[1-2]")+`, "cpus": 6`)), Nodes: source("nodes", file)}, slurm.Options{})
		if in.Processors() != 8 || in.Jobs()[0].Min != 6 || len(report.Notes) != 2 || !strings.Contains(clusters(t, in), `{"id":"a2","processors":4,"memory":90,"features":["partition p"],"closed":[{}]}`) {
			t.Errorf("%s: %d processors, jobs %v, %v, %s", state, in.Processors(), lines(t, in), report, clusters(t, in))
		}
	}
	_, _, err := slurm.Read(slurm.Sources{Jobs: source("jobs", queue(on("a1"))), Nodes: source("nodes", nodes(strings.Replace(node("a1", "p", ""), "IDLE", "DOWN", 1)))}, slurm.Options{})
	if err == nil || !strings.Contains(err.Error(), "expected nodes in service") {
		t.Errorf("got %v", err)
	}
}

// TestPartitionsFile: limits where jobs have none, tiers before priorities, exclusive partitions and those that start no jobs; as JSON and as text.
func TestPartitionsFile(t *testing.T) {
	for name, file := range map[string]string{
		"JSON": `{"partitions": [
 {"name": "p", "maximums": {"time": {"set": true, "infinite": false, "number": 60}, "shares": 0}, "priority": {"tier": 1}, "partition": {"state": ["UP"]}},
 {"name": "q", "maximums": {"time": {"set": false, "infinite": true, "number": 0}, "shares": 1}, "priority": {"tier": 2}, "partition": {"state": ["UP"]}},
 {"name": "r", "maximums": {"shares": 1}, "partition": {"state": ["DOWN"]}}]}`,
		"text": "PartitionName=p\n   MaxTime=01:00:00 PriorityTier=1 OverSubscribe=EXCLUSIVE\n   State=UP TotalCPUs=4\nPartitionName=q MaxTime=UNLIMITED PriorityTier=2 OverSubscribe=NO State=UP\n" +
			"PartitionName=r OverSubscribe=NO State=DOWN\n",
	} {
		in, report := read(t, slurm.Sources{
			Jobs:       source("jobs", queue(`"time_limit": null`, `"time_limit": null, "partition": "q"`, `"partition": "r"`, `"partition": "p"`)),
			Nodes:      source("nodes", nodes(node("a1", "p q r", ""))),
			Partitions: source("partitions", file), Reservations: source("reservations", "No reservations in the system\n"),
		}, slurm.Options{})
		if got := strings.Join(lines(t, in), "\n"); got != `{"id":"2","estimate":31536000,"queue":"q","user_class":"tier 2 priority 99"}
{"id":"1","estimate":3600,"queue":"p","user_class":"tier 1 priority 100","exclusive":true}
{"id":"4","estimate":120,"queue":"p","user_class":"tier 1 priority 97","exclusive":true}` {
			t.Errorf("%s: got\n%s", name, got)
		}
		if c := in.UserClasses(); len(c) != 3 || c[2] != (model.UserClass{ID: "tier 2 priority 99", Priority: 2<<32 + 99}) {
			t.Errorf("%s: got %v", name, c)
		}
		if got, want := notes(report), `dropped 1: the job's partition starts no jobs
repaired 1: no time limit: a year is assumed, as Slurm does`; got != want {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestArrays: each task of a pending array is a job. A licence limits how many of them run at once; those that run already count.
func TestArrays(t *testing.T) {
	in, _ := of(t, `"array_job_id": 5, "array_task_string": "2-4%2", "array_max_tasks": 2`, on("n1")+`, "array_job_id": 5, "array_task_id": 1, "array_max_tasks": 2`)
	if got := strings.Join(lines(t, in), "\n"); got != `{"id":"5_1","estimate":60,"licences":{"array 5":1},"queue":"p","running":{"cluster":"p","processors":"0","elapsed":60}}
{"id":"5_2","estimate":120,"licences":{"array 5":1},"queue":"p","user_class":"priority 100"}
{"id":"5_3","estimate":120,"licences":{"array 5":1},"queue":"p","user_class":"priority 100"}
{"id":"5_4","estimate":120,"licences":{"array 5":1},"queue":"p","user_class":"priority 100"}` {
		t.Errorf("got\n%s", got)
	}
	if l := in.Licences(); len(l) != 1 || l[0] != (model.Licence{ID: "array 5", Copies: 2}) {
		t.Errorf("got %v", l)
	}
	in, report := of(t, `"array_job_id": 5, "array_task_string": "1,3,5,70..."`)
	if len(in.Jobs()) != 3 || report.Count(model.ImportKept) != 3 || !strings.Contains(notes(report), "cut short") {
		t.Errorf("got %v, %v", lines(t, in), report)
	}
}

// TestDependencies: which jobs a job waits for, by the text of its dependency. Jobs 1 and 2 wait, 3_1 and 3_2 are an array that waits, 4 runs, 5 has ended, 6 is held.
func TestDependencies(t *testing.T) {
	others := []string{``, ``, `"array_job_id": 3, "array_task_string": "1-2"`, on("n1"), `"job_state": ["COMPLETED"]`, `"hold": true`}
	for _, c := range []struct{ dependency, want, notes string }{
		{"afterok:1(unfulfilled)", `"after":["1"]`, ""},
		{"afterany:1:2(unfulfilled)", `"after":["1","2"]`, ""},
		{"afterok:1(unfulfilled),afterany:4+10(unfulfilled)", `"after":["1","4"]`, ""},
		{"afterok:1(fulfilled),afterok:2(unfulfilled)", `"after":["2"]`, ""},
		{"afterany:3(unfulfilled)", `"after":["3_1","3_2"]`, ""},
		{"afterany:3_*(unfulfilled)", `"after":["3_1","3_2"]`, ""},
		{"afterany:3_2(unfulfilled)", `"after":["3_2"]`, ""},
		{"afterany:5(unfulfilled)", `"queue"`, ""},
		{"afterany:77(unfulfilled)", `"queue"`, "kept 1: the job waits for one that the file does not have: that counts as ended"},
		{"afterok:6(unfulfilled)", "", "dropped 1: the job waits for one that will not start"},
		{"after:1(unfulfilled)", `"queue"`, "kept 1: the job waits for the start of another: an instance cannot express this"},
		{"afternotok:1(unfulfilled)", `"after":["1"]`, "kept 1: the job waits for the failure of another: its end is taken"},
		{"singleton(unfulfilled)", `"queue"`, "kept 1: the job waits for the jobs of the same name and user: an instance cannot express this"},
		{"afterok:1?afterok:2", `"queue"`, "kept 1: the job waits for one of several others: an instance cannot express this"},
		{"expand:1", `"queue"`, "kept 1: a dependency of an unknown kind: an instance cannot express this"},
		{"(null)", `"queue"`, ""},
	} {
		in, report := of(t, append(others, `"job_id": 9, "priority": 1, "dependency": "`+c.dependency+`"`)...)
		list := lines(t, in)
		last := list[len(list)-1]
		if found := strings.Contains(last, `"id":"9"`); found != (c.want != "") || !strings.Contains(last, c.want) || c.want == `"queue"` && strings.Contains(last, "after") {
			t.Errorf("%s: got %s", c.dependency, last)
		}
		rest := strings.NewReplacer("dropped 1: the job has ended\n", "", "dropped 1: pending and held: it starts only when somebody acts", "").Replace(notes(report))
		if got := strings.TrimSpace(rest); got != c.notes {
			t.Errorf("%s: got %s, want %s", c.dependency, got, c.notes)
		}
	}
	in, _ := of(t, `"array_job_id": 3, "array_task_string": "1-2"`, `"array_job_id": 8, "array_task_string": "1-2", "dependency": "aftercorr:3_*(unfulfilled)"`)
	for k, want := range []string{`"after":["3_1"]`, `"after":["3_2"]`} {
		if got := lines(t, in)[2+k]; !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	in, report := of(t, `"hold": true`, `"dependency": "afterok:1"`, `"dependency": "afterok:2"`, `"dependency": "afterok:9"`)
	if len(in.Jobs()) != 1 || !strings.Contains(notes(report), "dropped 2: the job waits for one that will not start") {
		t.Errorf("got %v, %v", lines(t, in), report)
	}
	in, _ = of(t, on("gone1"), `"dependency": "afterany:1"`)
	if in.Jobs()[0].Arrival != 60 {
		t.Errorf("the job waits for one that is left out and may run for 60 s, got an arrival of %v", in.Jobs()[0].Arrival)
	}
}

// bound is what binds a job to its partition.
func bound(j model.JobSpec) model.JobSpec {
	return model.JobSpec{Runtime: j.Runtime, Licences: j.Licences, Features: j.Features, Queue: j.Queue}
}

// TestPartitionsOfAnInstance: a job that is added to a queue is tied to its partition as the jobs of the queue are, and the partitions' limits are those of the file.
func TestPartitionsOfAnInstance(t *testing.T) {
	const parts = "PartitionName=empty State=UP\n\nPartitionName=p MaxTime=30 MaxNodes=2 State=UP\n\nPartitionName=q MaxTime=UNLIMITED MaxNodes=UNLIMITED State=UP\n\n" +
		"PartitionName=r MaxTime=1-00:00:00 State=DOWN PriorityTier=3\n\nPartitionName=apart State=UP PriorityTier=2\n"
	system := nodes(node("a1", "p q", ""), node("a2", "q r", ""), node("b1", "apart", ""), node("b2", "apart", ""))
	in, _ := read(t, slurm.Sources{
		Jobs:  source("jobs", queue(`"partition": "p"`, `"partition": "q"`, `"partition": "apart"`, `"partition": "p,apart"`)),
		Nodes: source("nodes", system), Partitions: source("partitions", parts),
	}, slurm.Options{})
	for k := range in.Jobs() {
		want := in.JobSpec(k)
		got, err := in.InPartition(model.JobSpec{ID: "mine", Estimate: want.Estimate, Queue: want.Queue}, "job.json")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(bound(got), bound(want)) {
			t.Errorf("partition %s: a job of the queue is tied by %+v, one that is added by %+v", want.Queue, bound(want), bound(got))
		}
		if _, err := in.WithJob(got, "job.json"); err != nil {
			t.Error(err)
		}
	}
	want := []model.PartitionSpec{
		{ID: "apart", Clusters: []string{"apart"}, Tier: 2}, {ID: "p", Clusters: []string{"p+q+r"}, Feature: "partition p", Limit: 1800, Machines: 2, Tier: 1},
		{ID: "p,apart", Clusters: []string{"p+q+r", "apart"}, Feature: "partition apart,p", Tier: 2}, {ID: "q", Clusters: []string{"p+q+r"}, Tier: 1},
		{ID: "r", Clusters: []string{"p+q+r"}, Feature: "partition r", Limit: 86400, Closed: true, Tier: 3},
	}
	if got := in.Partitions(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
