package slurm_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// onSystem reads a trace of the given rows on the nodes of a configuration.
func onSystem(t testing.TB, conf string, rows ...string) (*model.Instance, *model.ImportReport, error) {
	t.Helper()
	const header = "JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS|NNodes|ReqTRES|AllocTRES|Constraints"
	return with("nodes="+saved(t, "slurm.conf", conf)).Read(strings.NewReader(header+"\n"+strings.Join(rows, "\n")+"\n"), "f")
}

// TestJobsOnNodes: what a job held becomes a block on each of its nodes, and what cannot be so is counted.
func TestJobsOnNodes(t *testing.T) {
	for _, c := range []struct{ name, row, job, told string }{
		{"one node", "1|cpu|1|2|3|10|4|1|node=1|cpu=4,mem=400M,node=1|", `"processors":4,"runtime":{"cpu":1},"estimate":600,"memory":100,"queue":"cpu","block":4,"recorded":1`, ""},
		{"two nodes", "1|cpu|1|2|3|10|16|2|node=2|cpu=16,node=2|", `"processors":16,"runtime":{"cpu":1},"estimate":600,"queue":"cpu","block":8,"per_machine":1,"recorded":1`, ""},
		{"fewer nodes asked for", "1|cpu|1|2|3|10|16|2|node=1|cpu=16,node=2|", `"processors":16,"runtime":{"cpu":1},"estimate":600,"queue":"cpu","recorded":1`, "kept 1: asked for fewer nodes than it held: its processors lie on any"},
		{"uneven", "1|cpu|1|2|3|10|7|2|node=2|cpu=7,node=2|", `"processors":7,"runtime":{"cpu":1},"estimate":600,"queue":"cpu","recorded":1`, "kept 1: processors that do not divide evenly among its nodes: they lie on any"},
		{"GPUs", "1|gpu|1|2|3|10|8|2|node=2|cpu=8,mem=800M,node=2,gres/gpu=4|", `"processors":8,"runtime":{"gpu":1},"estimate":600,"memory":100,"queue":"gpu","block":4,"resources":{"gpu":2},"per_machine":1,"recorded":1`, ""},
		{"uneven GPUs", "1|gpu|1|2|3|10|8|2|node=2|cpu=8,node=2,gres/gpu=5|", `"block":4,"resources":{"gpu":3},"per_machine":1`, "repaired 1: processors or generic resources that do not divide evenly among its nodes: the part of each node is rounded up"},
		{"GPUs without nodes", "1|gpu|1|2|3|10|8|||cpu=8,gres/gpu=8|", `"block":4,"resources":{"gpu":4},"per_machine":1`, "kept 1: no number of nodes: its generic resources lie on as few as they can"},
		{"a type", "1|gpu|1|2|3|10|2|1|node=1,gres/gpu:h100=1|cpu=2,node=1,gres/gpu=1,gres/gpu:h100=1|", `"resources":{"gpu":1},"features":[["gpu:h100"]]`, ""},
		{"GPUs where there are none", "1|cpu|1|2|3|10|2|1||cpu=2,gres/gpu=1|", `"block":2,"recorded":1`, "kept 1: generic resources that no node of its partition counts: they are left out"},
		{"one of two features", "1|cpu|1|2|3|10|1|1|node=1||old|ib", `"features":[["old","ib"]]`, ""},
		{"features", "1|cpu|1|2|3|10|1|1|node=1||old&ib", `"features":[["old"],["ib"]]`, ""},
		{"strange features", "1|cpu|1|2|3|10|1|1|node=1||[old*2&ib*1]", `"queue":"cpu","recorded":1`, "kept 1: asked for features in a way that an instance cannot express: it runs on any node of its partition"},
		{"no such feature", "1|cpu|1|2|3|10|1|1|node=1||new", `"queue":"cpu","recorded":1`, "kept 1: asked for features that no node of its partition states: it runs on any of them"},
		{"memory of more than a node", "1|cpu|1|2|3|10|8|1|node=1|cpu=8,mem=64G|", `"memory":125,`, "repaired 1: more memory than the nodes of its partition have: the memory of one is taken"},
		{"parts of more than a node", "1|cpu|1|2|3|10|20|1||cpu=20|", `"processors":20,"runtime":{"cpu":1}`, "repaired 1: equal parts fit no nodes: its processors lie on any"},
		{"parts of more than a node, of little memory", "1|cpu|1|2|3|10|20|1||cpu=20,mem=20M|", `"processors":20,"runtime":{"cpu":1},"estimate":600,"memory":1,`, "repaired 1: equal parts fit no nodes: its processors lie on any"},
		{"too wide", "1|cpu|1|2|3|10|40|5||cpu=40|", "", "dropped 1: held more than the nodes of its partition have: the files of the system are of another time, or not whole"},
		{"no such partition", "1|old|1|2|3|10|4|1||cpu=4|", "", "dropped 1: no node is in the job's partition"},
	} {
		in, report, err := onSystem(t, twoPartitions, c.row)
		readertest.Check(t, "f", in, report, err)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := notes(report); got != c.told {
			t.Errorf("%s: got %s\nwant %s", c.name, got, c.told)
		}
		if got := strings.Join(lines(t, in), "\n"); c.job != "" && !strings.Contains(got, c.job) || (c.job == "") != (got == "") {
			t.Errorf("%s: got %s\nwant %s", c.name, got, c.job)
		}
	}
}

// TestPartitionsOfATrace: partitions that share nodes are one cluster, whose nodes tell by features which of them have them.
func TestPartitionsOfATrace(t *testing.T) {
	in, _, err := onSystem(t, "NodeName=a[1-3] CPUs=4\nPartitionName=all Nodes=ALL\nPartitionName=fast Nodes=a[2-3] MaxTime=1:00:00",
		"1|all|1|2|3|10|4|1||cpu=4|", "2|fast|1|2|3||4|1||cpu=4|")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := clusters(t, in), `  {"id":"all+fast","machines":[{"id":"a1","processors":4},{"id":"a[2-3]","count":2,"processors":4,"features":["partition fast"]}]}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := lines(t, in)[1], `{"id":"2","processors":4,"work":1,"estimate":3600,"queue":"fast","block":4,"features":[["partition fast"]],"recorded":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	same, err := in.InPartition(model.JobSpec{Queue: "fast", Work: new(1.0), Estimate: new(3600.0)}, "")
	if err != nil || !slices.EqualFunc(same.Features, in.JobSpec(1).Features, slices.Equal) {
		t.Errorf("a job that is added to the partition: %+v, %v", same, err)
	}
}

// TestMixedTypes: where a node has GPUs of several types, each type is a resource of its own beside their sum, for traces as for queues.
func TestMixedTypes(t *testing.T) {
	in, report, err := onSystem(t, "NodeName=a[1-2] CPUs=4 Gres=gpu:x:2,gpu:y:1\nPartitionName=p Nodes=ALL", "1|p|1|2|3|10|2|1|node=1,gres/gpu:x=1|cpu=2,node=1,gres/gpu=1,gres/gpu:x=1|",
		"2|p|1|2|3|10|2|1|node=1,gres/gpu=3|cpu=2,node=1,gres/gpu=3,gres/gpu:x=2,gres/gpu:y=1|")
	if err != nil || len(report.Notes) > 0 {
		t.Fatal(err, report)
	}
	if got := clusters(t, in); !strings.Contains(got, `"resources":{"gpu":3,"gpu-x":2,"gpu-y":1}`) {
		t.Errorf("got %s", got)
	}
	for k, want := range []string{`"resources":{"gpu":1,"gpu-x":1},`, `"resources":{"gpu":3},`} {
		if got := lines(t, in)[k]; !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestConf: comments, lines that go on, defaults, ranges, sets of nodes, small letters, and what is counted.
func TestConf(t *testing.T) {
	const conf = `# a comment with NodeName=x9
ClusterName=site   # another
SelectTypeParameters=CR_Core
PreemptType=preempt/qos
Include /etc/slurm/more.conf
nodename=DEFAULT Sockets=2 CoresPerSocket=4 \
  ThreadsPerCore=2 \
  RealMemory=1000 State=UNKNOWN
NodeName=a[01-02],b1 Features=old
NodeName=a03 CPUs=6 CoreSpecCount=1 State=DOWN Reason="no power"
NodeName=f1 State=FUTURE
NodeSet=olds Feature=old
PartitionName=DEFAULT MaxTime=1-0 PriorityTier=2
PartitionName=p Nodes=olds,a03 QOS=part
`
	in, report, err := onSystem(t, conf, "1|p|1|2|3||16|1||cpu=16,mem=9G|")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := clusters(t, in), `  {"id":"p","machines":[{"id":"a[01-02],b1","count":3,"processors":16,"features":["old"]},{"id":"a03","processors":4}]}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := notes(report), `kept 1: node down, drained or otherwise closed now: it counts as in service for all of the trace, as no file says since when it is closed
repaired 1: node of the future: it is left out of the instance
kept 1: file that the nodes' file includes: it is not read, so give it in place of that line
kept 1: setting PreemptType=preempt/qos: the policies preempt no job
kept 1: setting SelectTypeParameters=CR_Core: memory is not allocated, so it is not taken into account
kept 1: partition with a quality of service, whose limits are in no file
repaired 1: no time limit: that of its partition is taken (DefaultTime, else MaxTime), else a year, as Slurm does`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFaultsOfConf: what is wrong is refused with the file and the line.
func TestFaultsOfConf(t *testing.T) {
	for _, c := range []struct{ conf, want string }{
		{"", "slurm.conf: expected the JSON of a Slurm command, found an empty file"},
		{"nonsense", "slurm.conf: expected JSON, or what scontrol show prints of nodes, partitions, reservations or licences, or slurm.conf"},
		{"PartitionName=p Nodes=a1", "slurm.conf: expected a list nodes, as scontrol show nodes --json prints it; found none"},
		{"\nNodeName=a[1-", "slurm.conf: line 2: NodeName: expected a ] at the end of \"[1-\""},
		{"NodeName= CPUs=3", "slurm.conf: line 1: NodeName: expected a name such as cn1 or cn[001-050], found none"},
		{"NodeName=a1 CPUs=x", `slurm.conf: line 1: CPUs: expected a number, found "x"`},
		{"NodeName=a1 \\\n RealMemory=-4", `slurm.conf: line 2: RealMemory: expected a whole number in [0, 2147483647], found "-4"`},
		{"NodeName=a[1-99999999]", "slurm.conf: line 1: NodeName: expected at most 40,000,000 names in the whole reading, found more"},
		{"NodeName=a1\nNodeName=a1\nPartitionName=p Nodes=a1", `slurm.conf: line 2: expected each node once, found "a1" again`},
		{"NodeName=a1\nPartitionName=p Nodes=a[", "slurm.conf: partitions[0].nodes: expected a ] at the end of"},
		{"NodeName=a1\nPartitionName=p Nodes=a1 MaxTime=soon", `slurm.conf: line 2: MaxTime: expected a time limit in minutes or such as 1-12:30:00, found "soon"`},
		{"NodeName=a1\nPartitionName=p Nodes=b1", "slurm.conf: nodes: expected nodes in service, found 1, all down, drained or without a partition"},
	} {
		_, _, err := onSystem(t, c.conf, "1|p|1|2|3|10|4|1|||")
		var wrong *model.InputError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got  %v\nwant %s", c.conf, err, c.want)
		}
	}
	readertest.Refused(t, &slurm.TraceReader{Cluster: "c", Files: slurm.Files{Partitions: "p"}}, "nodes")
	readertest.Refused(t, &slurm.TraceReader{Cluster: "c", Files: slurm.Files{Nodes: "n"}, Processors: 4}, "processors")
	const plain = "       JobID  Partition               Submit \n------------ ---------- -------------------- \n1 cpu 2025-05-20T10:00:00\n"
	if _, _, err := with().Read(strings.NewReader(plain), "f"); err == nil || !strings.Contains(err.Error(), "f: line 1: expected columns apart by |, found columns apart by blanks, which cut long values: use sacct -P, as in: sacct -P -D -a") {
		t.Errorf("got %v", err)
	}
	if _, _, err := with().Read(strings.NewReader("JobID|Submit|Start|End|NCPUS|JobName|State\n1|1|2|3|4|a|b|COMPLETED\n"), "f"); err == nil || !strings.Contains(err.Error(), "f: line 2: expected 7 cells apart by |, found 8: a constraint, name or comment with a | in it moves the cells behind it") {
		t.Errorf("got %v", err)
	}
}

// TestMergedPartitions: without the nodes the first line of the report says what is merged, and how to do better.
func TestMergedPartitions(t *testing.T) {
	const table = "JobID|Partition|Submit|Start|End|NCPUS\n1|cpu|1|2|9|4\n2|gpu|1|5|9|3\n3|cpu|1|9|12|6\n"
	in, report, err := with().Read(strings.NewReader(table), "f")
	if err != nil {
		t.Fatal(err)
	}
	const want = "partitions cpu (at most 6 at one time), gpu (at most 3 at one time) are merged into one pool of 7 processors, and GPUs, memory and nodes are left out; give --nodes and --partitions"
	if first, _, _ := strings.Cut(report.String(), "\n"); !strings.HasPrefix(first, "warning: f: "+want) {
		t.Errorf("got %s", first)
	}
	if c := in.Caveats(); len(c) != 2 || !strings.HasPrefix(c[0], want) {
		t.Errorf("got %q", c)
	}
}

// TestFewTouched: what touches 2 % of the jobs is in the last lines, what touches more in the first.
func TestFewTouched(t *testing.T) {
	for touched, want := range map[int]string{2: "", 3: "warning: f: 3 of 100 jobs (3.0 %) are touched by what the instance leaves out: 3 ran in a reservation\n"} {
		var table strings.Builder
		table.WriteString("JobID|Submit|Start|End|NCPUS|TimelimitRaw|Reservation\n")
		for k := range 100 {
			table.WriteString(strings.Repeat("1", k+1) + "|1|2|3|4|5|" + map[bool]string{true: "maint"}[k < touched] + "\n")
		}
		_, report, err := with().Read(strings.NewReader(table.String()), "f")
		if err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(report.String(), "f: sacct"); first != want {
			t.Errorf("%d jobs: got %q, want %q", touched, first, want)
		}
	}
}

// TestRecordedRunsOnTheirNodes: runs of a real Slurm with its nodes.
func TestRecordedRunsOnTheirNodes(t *testing.T) {
	for _, name := range []string{"22.05-right", "22.05-early", "22.05-arrays"} {
		folder := filepath.Join(realdata.Root(t), "slurm", name)
		source := file(t, folder, "jobcomp.txt")
		in, report, err := with("nodes="+filepath.Join(folder, "sinfo.json"), "partitions="+filepath.Join(folder, "partitions.txt")).Read(source.Reader, "jobcomp.txt")
		readertest.Check(t, "jobcomp.txt", in, report, err)
		if err != nil {
			t.Fatal(err)
		}
		if report.Kept != report.Read || len(report.Warnings) != map[string]int{"22.05-arrays": 1}[name] || len(in.Clusters()) != 1 {
			t.Errorf("%s: got %v", name, report)
		}
	}
}

// TestNodesInEachForm: what scontrol show node and partition print, the same on one line, and slurm.conf state the same system.
func TestNodesInEachForm(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := model.NewBuilder("x")
		b.Spec().Devices = []string{"gpu"}
		for k, id := range []string{"cpu", "gpu"}[:rapid.IntRange(1, 2).Draw(r, "clusters")] {
			m := model.MachineSpec{ID: id + "[08-12]", Count: 5, Processors: rapid.IntRange(1, 64).Draw(r, "processors"), Memory: new(float64(rapid.IntRange(1, 4000).Draw(r, "memory")))}
			if k == 1 {
				m.Resources, m.Features = map[string]float64{"gpu": float64(rapid.IntRange(1, 8).Draw(r, "gpus"))}, []string{"a100", "ib"}
			}
			b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{m}})
		}
		in, err := b.Job(model.JobSpec{ID: "1", Work: new(1.0), Queue: "cpu"}).Build()
		if err != nil {
			r.Fatal(err)
		}
		var nodes, partitions, conf bytes.Buffer
		for _, err := range []error{slurm.WriteNodes(&nodes, in), slurm.WritePartitions(&partitions, in), slurm.WriteConf(&conf, in)} {
			if err != nil {
				r.Fatal(err)
			}
		}
		if strings.Count(partitions.String(), " TotalNodes=5 ") != len(in.Clusters()) {
			r.Errorf("partitions:\n%s", partitions.String())
		}
		oneLine := strings.ReplaceAll(nodes.String(), "\n   ", " OS=Linux 5.10 #1 SMP ")
		const job = "JobID|Partition|Submit|Start|End|NCPUS\n1|cpu|1|2|3|1\n"
		want := ""
		for k, files := range [][2]string{{nodes.String(), partitions.String()}, {oneLine, partitions.String()}, {nodes.String(), ""}, {conf.String(), ""}} {
			reader := with("nodes=" + saved(t, "nodes", files[0]))
			if files[1] != "" {
				reader.Partitions = saved(t, "partitions", files[1])
			}
			read, _, err := reader.Read(strings.NewReader(job), "f")
			if err != nil {
				r.Fatal(err)
			}
			got := clusters(t, read)
			if k == 0 {
				if want = clusters(t, in); got != want {
					r.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
			if got != want {
				r.Errorf("form %d: got\n%s\nwant\n%s", k, got, want)
			}
		}
	})
}

// TestSinfo: the table of sinfo states nodes with all their partitions.
func TestSinfo(t *testing.T) {
	const header = "NODELIST|PARTITION|CPUS|MEMORY|GRES|AVAIL_FEATURES|STATE|TIMELIMIT\n"
	in, report, err := onSystem(t, header+"a1|all*|8|1000|(null)|(null)|idle|infinite\na2|all*|8|1000|gpu:h100:4(S:0-1)|ib|drained*|infinite\na2|fast|8|1000|gpu:h100:4(S:0-1)|ib|drained*|1:00:00\n",
		"1|all|1|2|3|10|4|1||cpu=4|", "2|fast|1|2|3||4|1||cpu=4,gres/gpu=2|ib")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := clusters(t, in), `  {"id":"all+fast","machines":[{"id":"a1","processors":8,"memory":1000},{"id":"a2","processors":8,"memory":1000,"resources":{"gpu":4},"features":["gpu:h100","ib","partition fast"]}]}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := lines(t, in)[1], `"estimate":3600,"queue":"fast","block":4,"resources":{"gpu":2},"features":[["partition fast"],["ib"]],"recorded":1}`; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := notes(report); !strings.HasPrefix(got, "kept 1: node down, drained or otherwise closed now") {
		t.Errorf("got %s", got)
	}
	for text, want := range map[string]string{
		"NODELIST|PARTITION\n":           `slurm.conf: line 1: expected a column CPUS, as sinfo -N -o "%N|%P|%c|%m|%G|%f|%T|%l" prints it, found none`,
		header + "a1|p\n":                "slurm.conf: line 2: expected 8 cells apart by |, found 2",
		header + "a1|p|64+|1|||idle|1\n": `slurm.conf: line 2: CPUS: expected a number, found "64+"`,
		header + "a[|p|64|1|||idle|1\n":  `slurm.conf: line 2: NODELIST: expected a ] at the end of "["`,
		header + "a1|p|64|1|||idle|x\n":  `slurm.conf: line 2: TIMELIMIT: expected a time limit`,
		header:                           "slurm.conf: nodes: expected nodes in service, found 0",
	} {
		if _, _, err := onSystem(t, text, "1|p|1|2|3|10|4|1|||"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestWriteAccounting: what no sacct could print is refused.
func TestWriteAccounting(t *testing.T) {
	for _, c := range []struct {
		unit string
		job  model.JobSpec
		want string
	}{
		{"slots", model.JobSpec{ID: "a", Work: new(1.0)}, `sacct: expected a unit of time that has a length, such as s, min or h, found units.time "slots"`},
		{"h", model.JobSpec{ID: "a", Arrival: 1e7, Work: new(1.0)}, `sacct: expected times of at most 9e+09 s, found that job "a" arrives at 3.6e+10`},
		{"s", model.JobSpec{ID: "a", Arrival: 1e10, Work: new(1.0)}, `sacct: expected times of at most 9e+09 s, found that job "a" arrives at 1e+10`},
	} {
		b := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(c.job)
		b.Spec().Units = &model.Units{Time: c.unit}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if err := slurm.WriteAccounting(io.Discard, in, &model.Solution{}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	in, err := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Resources: map[string]float64{"disk": 9, "gpu": 4}}}}).
		Job(model.JobSpec{ID: "asks", Work: new(1.0), Processors: model.Rigid(4), Block: 2, Memory: 100.3, Resources: map[string]float64{"gpu": 0.5, "disk": 4}}, model.JobSpec{ID: "a|b", Work: new(61.0), Estimate: new(61.0)}, model.JobSpec{ID: "never", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	sol := &model.Solution{Jobs: []model.Placement{{Job: "a|b", Cluster: "c", Processors: model.NewProcessorSet(model.Range{}), Start: 5, End: 66}}}
	if err := slurm.WriteAccounting(&out, in, sol); err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(out.String(), "\n")
	if want := "asks||||normal|0|CANCELLED|2026-01-05T00:00:00|2026-01-05T00:00:00|None|None|UNLIMITED|4|0|cpu=4,mem=402M,node=0,gres/disk=8,gres/gpu=1|cpu=4,mem=402M,node=0,gres/disk=8,gres/gpu=1\n" +
		"a_b|||c|normal|0|COMPLETED|2026-01-05T00:00:00|2026-01-05T00:00:00|2026-01-05T00:00:05|2026-01-05T00:01:06|2|1|1|cpu=1,node=1|cpu=1,node=1\n" +
		"never||||normal|0|CANCELLED|2026-01-05T00:00:00|2026-01-05T00:00:00|None|None|UNLIMITED|1|0|cpu=1,node=0|cpu=1,node=0\n"; rows != want {
		t.Errorf("got\n%s\nwant\n%s", rows, want)
	}
}

// FuzzTraceOnNodes feeds anything to the readers of nodes, of partitions and of a trace.
func FuzzTraceOnNodes(f *testing.F) {
	const table = "JobID|Partition|Submit|Start|End|NCPUS|NNodes|AllocTRES|Constraints|QOS|Priority\n1|cpu|1|2|3|4|2|cpu=4,mem=3G,gres/gpu=3|a&b|high|3\n2|gpu|1|2|5|9||gres/gpu:x=2||low|\n"
	f.Add([]byte(twoPartitions), []byte(""), []byte(table))
	f.Add([]byte("NodeName=c1 CPUTot=4 CPUEfctv=3\n   Gres=gpu:4(S:0-1) Partitions=cpu,gpu\n   State=IDLE*+DRAIN Reason=x CPUTot=9"), []byte("PartitionName=cpu\n Nodes=c1 QoS=N/A"), []byte(table))
	f.Add([]byte("nodename=DEFAULT \\\nCPUs=2\nNodeSet=s Nodes=a1\nNodeName=a1\nInclude x\nPartitionName=cpu Nodes=s,ALL"), []byte(""), []byte(table))
	f.Add([]byte("NODELIST|PARTITION|CPUS|MEMORY|GRES|STATE\na[1-2]|cpu*|8|1000|gpu:h100:4|idle\na1|gpu|8|1000||down*"), []byte(""), []byte(table))
	f.Fuzz(func(t *testing.T, nodes, partitions, trace []byte) {
		folder := t.TempDir()
		path := func(name string, text []byte) string {
			at := filepath.Join(folder, name)
			if err := os.WriteFile(at, text, 0o600); err != nil {
				t.Fatal(err)
			}
			return at
		}
		reader := with("nodes=" + path("nodes", nodes))
		if len(partitions) > 0 {
			reader.Partitions = path("partitions", partitions)
		}
		in, report, err := reader.Read(bytes.NewReader(trace), "f")
		if err == nil {
			readertest.Check(t, "f", in, report, err)
		}
	})
}
