package slurm_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
)

// A trace says what no policy makes of the tiers of partitions, where its jobs are in several; a partition that states none has tier 1, and one without jobs does not count.
func TestTiersOfATrace(t *testing.T) {
	const usual, none, ranked = "PriorityTier", "no policy does, as the trace does not state the priority of jobs", "of the orders of policies only priority does"
	for _, c := range []struct{ name, tiers, header, cell, want string }{
		{"no priorities", "PriorityTier=5", "", "", none},
		{"priorities", "PriorityTier=5", "|Priority", "|7", ranked},
		{"tier of Slurm", "PriorityTier=1", "", "", ""},
		{"none", "", "", "", ""},
	} {
		conf := "NodeName=a[1-3] CPUs=4\nPartitionName=empty Nodes=ALL PriorityTier=9\nPartitionName=low Nodes=ALL\nPartitionName=top Nodes=ALL " + c.tiers + "\n"
		rows := "JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS" + c.header + "\n1|low|1|2|3|10|4" + c.cell + "\n2|top|1|2|3|10|4" + c.cell + "\n"
		path := saved(t, "slurm.conf", conf)
		in, report, err := with("nodes="+path, "partitions="+path).Read(strings.NewReader(rows), "f")
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(in.Caveats(), "\n")
		if strings.Contains(got, usual) != (c.want != "") || !strings.Contains(got, c.want) || strings.Join(report.Warnings, "\n") != got {
			t.Errorf("%s: found %q, %q", c.name, got, report.Warnings)
		}
		if c.want != "" && !strings.Contains(got, "(5 of top, 1 of low)") {
			t.Errorf("%s: found %q", c.name, got)
		}
	}
}

// A queue says it too: its list and the order priority keep to tiers.
func TestTiersOfAQueue(t *testing.T) {
	for tier, want := range map[string]bool{"PriorityTier=5": true, "PriorityTier=1": false, "": false} {
		in, report := read(t, slurm.Sources{
			Jobs:  source("jobs", queue(`"time_limit": 5, "partition": "low"`, `"time_limit": 5, "partition": "top"`)),
			Nodes: source("nodes", nodes(node("a1", "low top", ""))), Partitions: source("partitions", "PartitionName=top State=UP "+tier+"\nPartitionName=low State=UP\n"),
			Reservations: source("reservations", "No reservations in the system\n"),
		}, slurm.Options{})
		got := strings.Join(in.Caveats(), "\n")
		if strings.Contains(got, "PriorityTier (5 of top, 1 of low)") != want || strings.Join(report.Warnings, "\n") != got {
			t.Errorf("%s: found %q, %q", tier, got, report.Warnings)
		}
		for _, line := range lines(t, in) {
			if strings.Contains(line, "tier ") != want {
				t.Errorf("%s: found %s", tier, line)
			}
		}
	}
}
