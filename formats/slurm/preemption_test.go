package slurm_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
)

// TestPreemptionIsCounted: the waiting jobs that may preempt others are counted by the kind of preemption that the configuration states, and not where there is none.
func TestPreemptionIsCounted(t *testing.T) {
	const tiers = `{"partitions": [{"name": "p", "priority": {"tier": 1}, "nodes": {"configured": "n1,n2"}}, {"name": "top", "priority": {"tier": 5}, "nodes": {"configured": "n2"}},
 {"name": "apart", "priority": {"tier": 9}, "nodes": {"configured": "n3"}}]}`
	const byTier, byQOS = "partition of a higher tier than another", "quality of service that may preempt others"
	for kind, want := range map[string]string{"": "", "(null)": "", "preempt/none": "", "preempt/partition_prio": "kept 2: " + byTier, "preempt/qos": "kept 1: " + byQOS} {
		src := slurm.Sources{
			Jobs:       source("jobs", queue(`"partition": "top"`, `"partition": "p"`, `"partition": "top"`, `"partition": "apart"`, `"qos": "high"`)),
			Nodes:      source("nodes", nodes(`{"name": "n1", "cpus": 4, "state": "idle", "partitions": ["p"]}`, `{"name": "n2", "cpus": 4, "state": "idle", "partitions": ["p", "top"]}`, `{"name": "n3", "cpus": 4, "state": "idle", "partitions": ["apart"]}`)),
			Partitions: source("partitions", tiers), QOS: source("qos", "Name|Preempt\nnormal|\nhigh|normal\n"),
			Config: source("config", "Configuration data as of 2026-11-27T12:00:00\nPreemptMode = REQUEUE\nSLURM_VERSION = 25.11.0\nPreemptType = "+kind+"\n"),
		}
		_, report := read(t, src, slurm.Options{})
		got := notes(report)
		if want != "" && !strings.Contains(got, want) || strings.Contains(got, byTier) != strings.Contains(want, byTier) || strings.Contains(got, byQOS) != strings.Contains(want, byQOS) ||
			strings.Contains(got, "setting PreemptType=") != (want != "") {
			t.Errorf("%q: got\n%s\nexpected %q", kind, got, want)
		}
	}
}
