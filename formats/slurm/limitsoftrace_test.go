package slurm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
)

// The quality of service high limits its processors, and so hides the same limit of the account, but not that of jobs.
const (
	limitedConf  = "ClusterName=x\nAccountingStorageEnforce=limits\nNodeName=n[1-4] CPUs=16\nPartitionName=p Nodes=ALL\n"
	limitedQOS   = "Name|Priority|Flags|GrpTRES|MaxJobsPU|MaxTRESPU\nhigh|100||cpu=12|2|\nnormal|0||||cpu=20\n"
	limitedAssoc = "Account|User|Share|GrpTRES|GrpJobs|MaxJobs\nroot||1|||\n lab||1|cpu=32|5|\n  lab|ann|1|||3\n  lab|bob|1|||\n"
)

// held are the licences of a job.
func held(in *model.Instance, k int) string {
	var list []string
	for _, need := range in.Jobs()[k].Licences {
		list = append(list, fmt.Sprintf("%s=%d", in.Licences()[need.Licence].ID, need.Copies))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// The tables of sacctmgr beside a trace make the limits licences of its jobs. Each job counts against all of them, for what Slurm counts is what others may not have; one that alone is above a limit is none of its holders.
func TestLimitsOfATrace(t *testing.T) {
	const rows = "JobID|Submit|Start|End|TimelimitRaw|NCPUS|User|Account|Partition|QOS\n" +
		"1|1|2|3|10|8|ann|lab|p|high\n2|1|2|3|10|8|bob|lab|p|normal\n3|1|2|3|10|24|bob|lab|p|normal\n"
	for conf, want := range map[string][]string{
		limitedConf: {
			"QOS high user ann: jobs=1, QOS high: cpu=8, account lab user ann: jobs=1, account lab: cpu=8, account lab: jobs=1",
			"QOS normal user bob: cpu=8, account lab: cpu=8, account lab: jobs=1",
			"account lab: cpu=24, account lab: jobs=1",
		},
		strings.Replace(limitedConf, "limits", "associations", 1): {"", "", ""},
	} {
		var sources []formats.Source
		for name, text := range map[string]string{"sacct.txt": rows, "slurm.conf": conf, "qos.txt": limitedQOS, "assoc.txt": limitedAssoc} {
			sources = append(sources, formats.Source{Reader: strings.NewReader(text), Name: name})
		}
		in, report, err := slurm.NewTraceReader().ReadFiles(sources)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want {
			if got := held(in, k); got != want[k] {
				t.Errorf("job %s: %s, want %s", in.Jobs()[k].ID, got, want[k])
			}
		}
		if said := strings.Contains(report.String(), "it held more than a limit allows"); said != (want[0] != "") {
			t.Error(report)
		}
	}
}

// A running job counts against a limit that an earlier one hides; a waiting one does not look at it.
func TestHiddenLimitsCount(t *testing.T) {
	job := func(id int, rest string) string {
		return fmt.Sprintf(`{"job_id": %d, "user_name": "ann", "account": "lab", "qos": "high", "partition": "p", "cpus": 8, "time_limit": 10, "submit_time": 800, %s}`, id, rest)
	}
	jobs := `{"jobs": [` + job(1, `"job_state": "RUNNING", "nodes": "n1", "start_time": 900`) + "," + job(2, `"job_state": "PENDING", "tasks": 1, "cpus_per_task": 8`) + `]}`
	in, _ := read(t, slurm.Sources{
		Jobs: source("jobs", jobs), Nodes: source("nodes", limitedConf), QOS: source("qos", limitedQOS), Associations: source("assoc", limitedAssoc),
	}, slurm.Options{Now: 1000})
	for k, want := range []string{
		"QOS high user ann: jobs=1, QOS high: cpu=8, account lab user ann: jobs=1, account lab: cpu=8, account lab: jobs=1",
		"QOS high user ann: jobs=1, QOS high: cpu=8, account lab: jobs=1",
	} {
		if got := held(in, k); got != want {
			t.Errorf("job %s: %s, want %s", in.Jobs()[k].ID, got, want)
		}
	}
}
