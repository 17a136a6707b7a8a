package slurm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nodes and partitions may lie in files that slurm.conf includes: with its defaults, by names relative to it; faults name the file. What is not there is named.
func TestNodesOfIncludedFiles(t *testing.T) {
	const rows = "JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS\n1|p|1|2|3|10|8\n"
	for _, c := range []struct {
		name, conf, nodes, want, note string
		processors                    int
	}{
		{"read", "NodeName=DEFAULT CPUs=8\ninclude parts/nodes.conf\nPartitionName=p Nodes=ALL\n", "NodeName=a[1-3]\nInclude more.conf\n", "", "", 28},
		{"fault", "Include parts/nodes.conf\n", "NodeName=a1 CPUs=8\nNodeName=a2 CPUs=x\n", "parts/nodes.conf: line 2: CPUs", "", 0},
		{"not there", "NodeName=a[1-4] CPUs=8\nInclude none.conf\nPartitionName=p Nodes=ALL\n", "", "", "that the nodes' file includes: it is not read", 32},
		{"itself", "Include slurm.conf\n", "", "slurm.conf: line 1: Include: expected at most 1000 files in the whole reading, found more", "", 0},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "parts"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"slurm.conf": c.conf, "parts/nodes.conf": c.nodes, "parts/more.conf": "NodeName=b1 CPUs=4\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		in, report, err := with("nodes="+filepath.Join(dir, "slurm.conf")).Read(strings.NewReader(rows), "f")
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, expected %q", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := notes(report); c.note == "" && got != "" || !strings.Contains(got, c.note) {
			t.Errorf("%s: notes %q", c.name, got)
		}
		if got := in.Processors(); got != c.processors {
			t.Errorf("%s: %d processors, expected %d", c.name, got, c.processors)
		}
	}
}
