package slurm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// sitedTrace is a trace read with files of its site, which are texts, and written and read again, so that what a site states travels.
func sitedTrace(t *testing.T, rows string, files slurm.Files) *model.Instance {
	t.Helper()
	reader := slurm.NewTraceReader()
	reader.Files, reader.Open = files.Texts()
	in, _, err := reader.Read(strings.NewReader("JobID|User|Account|Partition|QOS|Priority|Submit|Start|End|TimelimitRaw|NCPUS|NNodes\n"+rows), "t")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	again, err := model.ReadInstance(&text, "t.json")
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// twoJobs arrive one after the other while a third holds the node.
const twoJobs = "1|a|p|cpu|normal||10|10|1000|60|4|1\n2|a|p|cpu|normal||20|1000|1060|10|4|1\n3|b|q|gpu|high||30|1060|1120|10|4|1\n"

const siteNodes = "NodeName=n1 CPUs=4\nPartitionName=cpu Nodes=n1 MaxTime=60\nPartitionName=gpu Nodes=n1 MaxTime=60 PriorityJobFactor=10\n"

// The policy of a site is that of its settings, and an instance states it as a choice that every command takes; where nobody knows it, that is said.
func TestPolicyOfASite(t *testing.T) {
	const multi, version = "PriorityType=priority/multifactor\n", "Configuration data as of x\nSLURM_VERSION = "
	for _, c := range []struct {
		name, conf, priority, want string
		assumed                    bool
	}{
		{"no file", "", "", "", false},
		{"only nodes", "-", "", "backfill", true},
		{"only nodes and priorities", "-", "5", "backfill:order=priority", true},
		{"basic", "PriorityType=priority/basic\nSchedulerParameters=bf_interval=60,bf_max_job_user=20\n", "5", "backfill:interval=60:tests_user=20", false},
		{"before 23.11", version + "22.05.8\n", "", "backfill", false},
		{"since 23.11", version + "23.11.1\n", "", "backfill:order=slurm:weight_age=0:weight_share=0:weight_size=0", false},
		{"weights", multi + "PriorityWeightAge=10\nPriorityWeightQOS=7\nPriorityMaxAge=1-0\n", "", "backfill:order=slurm:weight_age=10:weight_share=0:weight_size=0:weight_quality=7:max_age=86400", false},
		{"without slurmdbd", multi + "AccountingStorageType=accounting_storage/none\nPriorityWeightAge=10\nPriorityWeightFairshare=10\nPriorityWeightJobSize=3\n", "", "backfill:order=slurm:weight_age=0:weight_share=0:weight_size=3", false},
		{"builtin", "SchedulerType=sched/builtin\nPriorityType=priority/basic\n", "", "fcfs", false},
		{"no backfill", "SchedulerParameters=bf_interval=-1\nPriorityType=priority/basic\n", "", "fcfs", false},
		{"a plugin nobody has", "PriorityType=priority/own\n", "5", "backfill:order=priority", false},
	} {
		files := slurm.Files{SlurmConf: c.conf}
		if c.conf == "-" {
			files = slurm.Files{Nodes: siteNodes}
		}
		in := sitedTrace(t, strings.ReplaceAll(twoJobs, "||", "|"+c.priority+"|"), files)
		policy, assumed := in.Policy()
		if policy != c.want || assumed != c.assumed {
			t.Errorf("%s: got %q, assumed %v, want %q, %v", c.name, policy, assumed, c.want, c.assumed)
		}
		if policy == "" {
			continue
		}
		choice, err := solve.Choose(policy)
		if err == nil {
			_, err = solve.Run(t.Context(), choice, in, solve.Options{Seed: 1})
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What the order slurm counts by beside its parameters travels with the instance: the factor of a partition, the priority of a quality of service and the shares of accounts change who
// starts first, and without the file or the weight they do not.
func TestSiteTravels(t *testing.T) {
	const multi = siteNodes + "PriorityType=priority/multifactor\n"
	const qos = "Name|Priority|UsageFactor\nnormal|0|1\nhigh|10|1\n"
	const shares = "Account|User|ParentName|Share\nroot|||1\np||root|1\np|a||1\nq||root|9\nq|b||1\n"
	for _, c := range []struct {
		name  string
		files slurm.Files
		first string
	}{
		{"no weight", slurm.Files{SlurmConf: multi, QOS: qos}, "2"},
		{"partition", slurm.Files{SlurmConf: multi + "PriorityWeightPartition=100\n"}, "3"},
		{"quality", slurm.Files{SlurmConf: multi + "PriorityWeightQOS=100\n", QOS: qos}, "3"},
		{"quality that no file states", slurm.Files{SlurmConf: multi + "PriorityWeightQOS=100\n"}, "2"},
		{"shares", slurm.Files{SlurmConf: multi + "PriorityWeightFairshare=1000\n", Assoc: shares}, "3"},
	} {
		in := sitedTrace(t, twoJobs, c.files)
		policy, _ := in.Policy()
		choice, err := solve.Choose(policy)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		first, at := "", 1e9
		for _, p := range result.Solution.Jobs {
			if p.Job != "1" && p.Start < at {
				first, at = p.Job, p.Start
			}
		}
		if first != c.first {
			text, _ := json.Marshal(in.Site())
			t.Errorf("%s: job %s starts first, want %s; the site is %s", c.name, first, c.first, text)
		}
	}
}

// slurm.conf gives machines, partitions and policy; --nodes and --partitions go before it. A site's policy is put on an instance that has its machines, and nothing else of it changes.
func TestMachinesOfASite(t *testing.T) {
	conf := siteNodes + "PriorityType=priority/basic\n"
	in := sitedTrace(t, twoJobs, slurm.Files{SlurmConf: conf})
	if len(in.Partitions()) != 2 || in.Processors() != 4 {
		t.Errorf("got %v on %d processors", in.Partitions(), in.Processors())
	}
	in = sitedTrace(t, twoJobs, slurm.Files{SlurmConf: conf, Nodes: "NodeName=n1 Arch=x CPUTot=8 State=IDLE\n   Partitions=cpu,gpu\n"})
	if len(in.Partitions()) != 2 || in.Processors() != 8 {
		t.Errorf("with nodes: got %v on %d processors", in.Partitions(), in.Processors())
	}
	plain := sitedTrace(t, twoJobs, slurm.Files{})
	files, open := slurm.Files{SlurmConf: conf}.Texts()
	sited, err := files.Onto(plain, open)
	if err != nil {
		t.Fatal(err)
	}
	if policy, _ := sited.Policy(); policy != "backfill" || sited.Processors() != plain.Processors() || len(sited.Partitions()) != 0 {
		t.Errorf("got policy %q on %d processors", policy, sited.Processors())
	}
	if same, err := (slurm.Files{}).Onto(plain, nil); err != nil || same != plain {
		t.Errorf("without files: another instance, %v", err)
	}
	if _, err := (slurm.Files{QOS: "x"}).Onto(plain, nil); err == nil || !strings.Contains(err.Error(), "slurm-conf") {
		t.Errorf("got %v", err)
	}
}

// A job that names no limit has what Slurm sets: UNLIMITED is a year, at most MaxTime; Partition_Limit, and nothing, is DefaultTime, else MaxTime, else a year. Both importers do the same, no
// estimate is the time that a job ran, and the share of such jobs is a caveat.
func TestAbsentLimits(t *testing.T) {
	const minute, year = 60, 365 * 24 * 3600
	for _, c := range []struct {
		partition, limit string
		want             float64
	}{
		{"", "UNLIMITED", year}, {"", "Partition_Limit", year}, {"", "", year}, {"MaxTime=600", "UNLIMITED", 600 * minute}, {"MaxTime=600", "Partition_Limit", 600 * minute}, {"MaxTime=600", "", 600 * minute},
		{"MaxTime=600 DefaultTime=30", "UNLIMITED", 600 * minute}, {"MaxTime=600 DefaultTime=30", "Partition_Limit", 30 * minute}, {"MaxTime=600 DefaultTime=30", "", 30 * minute},
		{"DefaultTime=30", "UNLIMITED", year}, {"DefaultTime=30", "", 30 * minute}, {"MaxTime=UNLIMITED DefaultTime=NONE", "", year}, {"MaxTime=600 DefaultTime=30", "45", 45 * minute},
	} {
		conf := "NodeName=n1 CPUs=4 State=UNKNOWN\nPartitionName=p Nodes=n1 " + c.partition + "\n"
		in := sitedTrace(t, "1|a|p|p|normal||10|10|100|"+c.limit+"|4|1\n", slurm.Files{Nodes: conf})
		if got := in.Jobs()[0].Estimate; got != c.want {
			t.Errorf("sacct: %q in a partition with %q: %v, want %v", c.limit, c.partition, got, c.want)
		}
		said := strings.Join(in.Caveats(), "; ")
		if strings.Contains(said, "1 of 1 job (100.0 %) name no time limit") != (c.limit != "45") {
			t.Errorf("sacct: %q: caveats %q", c.limit, said)
		}
		limit := `{"set": false, "infinite": false, "number": 0}`
		switch c.limit {
		case "UNLIMITED":
			limit = `{"set": true, "infinite": true, "number": 0}`
		case "45":
			limit = `{"set": true, "infinite": false, "number": 45}`
		}
		queue := `{"meta": {"slurm": {"release": "24.05.3"}}, "last_update": 1000, "jobs": [{"job_id": 1, "job_state": ["PENDING"], "user_name": "a", "partition": "p", "cpus": {"set": true, "number": 4},
			"node_count": {"set": true, "number": 1}, "tasks": {"set": true, "number": 1}, "cpus_per_task": {"set": true, "number": 4}, "submit_time": {"set": true, "number": 900}, "priority": {"set": true, "number": 5}, "time_limit": ` + limit + `}]}`
		live, _, err := slurm.Read(slurm.Sources{Jobs: slurm.Source{Reader: strings.NewReader(queue), Name: "q"}, Nodes: slurm.Source{Reader: strings.NewReader(conf), Name: "n"}}, slurm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := live.Jobs()[0].Estimate; got != c.want {
			t.Errorf("squeue: %q in a partition with %q: %v, want %v", c.limit, c.partition, got, c.want)
		}
	}
	in := sitedTrace(t, "1|a|p|p|normal||10|10|100|Partition_Limit|4|1\n", slurm.Files{})
	if got := in.Jobs()[0].Estimate; got != year {
		t.Errorf("without nodes: %v", got)
	}
}

// Limits hold for a trace whether the tables are named by options or stand beside it as files.
func TestLimitsByOptions(t *testing.T) {
	const rows = "JobID|User|Account|Partition|QOS|State|Submit|Start|End|TimelimitRaw|NCPUS|NNodes\n1|ann|lab|p|high|COMPLETED|1|2|90|10|4|1\n2|bob|lab|p|high|COMPLETED|5|90|180|10|4|1\n"
	const qos = "Name|Priority|UsageFactor|GrpTRES|MaxTRESPU|MaxJobsPU\nhigh|10|1.000000|cpu=6||1\n"
	const assoc = "Cluster|Account|User|Partition|ParentName|Share|Priority|GrpJobs|GrpTRES\nc|root||||1|||\nc|lab|||root|1||1|\nc|lab|ann|||1|||\nc|lab|bob|||1|||\n"
	for _, c := range []struct {
		enforce string
		want    []string
	}{
		{"AccountingStorageEnforce=limits,safe\n", []string{"QOS high: cpu", "QOS high user ann: jobs", "account lab: jobs"}},
		{"AccountingStorageEnforce=associations\n", nil},
	} {
		conf := "ClusterName=x\n" + c.enforce + "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=ALL\n"
		files := []string{"slurm_conf=" + saved(t, "slurm.conf", conf), "qos=" + saved(t, "qos.txt", qos), "assoc=" + saved(t, "assoc.txt", assoc)}
		in, _, err := with(files...).Read(strings.NewReader(rows), "f")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range in.Licences() {
			names = append(names, l.ID)
		}
		for _, name := range c.want {
			if !slices.Contains(names, name) {
				t.Errorf("%s: no %q among %q", c.enforce, name, names)
			}
		}
		if c.want == nil && len(names) > 0 {
			t.Errorf("%s: %q", c.enforce, names)
		}
		beside, _, err := slurm.NewTraceReader().ReadFiles([]formats.Source{
			{Reader: strings.NewReader(rows), Name: "f"}, {Reader: strings.NewReader(conf), Name: "slurm.conf"},
			{Reader: strings.NewReader(qos), Name: "qos.txt"}, {Reader: strings.NewReader(assoc), Name: "assoc.txt"},
		})
		if err != nil {
			t.Fatal(err)
		}
		var other []string
		for _, l := range beside.Licences() {
			other = append(other, l.ID)
		}
		if !slices.Equal(names, other) {
			t.Errorf("%s: by options %q, by files %q", c.enforce, names, other)
		}
	}
}

// A file that can be read once only, such as a pipe, tells all that it has: slurm.conf nodes and policy, a table priorities and limits.
func TestSiteFilesAreReadOnce(t *testing.T) {
	texts := map[string]string{
		"conf": "ClusterName=x\nAccountingStorageEnforce=limits\nNodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=ALL\n",
		"qos":  "Name|Priority|UsageFactor|GrpTRES\nhigh|10|1.000000|cpu=6\n",
	}
	reader := slurm.NewTraceReader()
	reader.Files, reader.Open = slurm.Files{SlurmConf: "conf", QOS: "qos"}, func(name string) (io.ReadCloser, error) {
		text := texts[name]
		texts[name] = ""
		return io.NopCloser(strings.NewReader(text)), nil
	}
	in, _, err := reader.Read(strings.NewReader("JobID|User|Account|Partition|QOS|State|Submit|Start|End|TimelimitRaw|NCPUS|NNodes\n1|a|b|p|high|COMPLETED|1|2|90|10|4|1\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if policy, _ := in.Policy(); in.Processors() != 8 || !strings.HasPrefix(policy, "backfill") || len(in.Licences()) == 0 {
		t.Errorf("%d processors, %s, %v", in.Processors(), policy, in.Licences())
	}
}
