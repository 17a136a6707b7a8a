package slurm_test

import (
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
)

// A job that is added without a queue goes to the default partition.
func TestDefaultPartition(t *testing.T) {
	in, _ := read(t, slurm.Sources{
		Jobs: source("jobs", queue(on("a1"))), Nodes: source("nodes", nodes(node("a1", "low", ""), node("a2", "high", ""))),
		Partitions: source("partitions", "PartitionName=low Nodes=a1 MaxTime=60 State=UP Default=NO\n\nPartitionName=high Nodes=a2 State=UP Default=YES\n"),
	}, slurm.Options{})
	for _, p := range in.Partitions() {
		if p.Default != (p.ID == "high") {
			t.Errorf("%+v", p)
		}
	}
}
