package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/internal/race"
)

// Words of slurm.conf are key=value, with blanks around =, or quotes around the value; what is none is refused.
func TestConfWords(t *testing.T) {
	for _, wrong := range []string{"=2", "= 2", "A", "A 2", `"A"=2`, "A=2 =4", "A=2 x", "A=", `A="2`, "A = ", "=", `A="" B=2`, "A=2\t=3"} {
		if words, err := confWords(wrong); err == nil {
			t.Errorf("%s: read as %v", wrong, words)
		}
		if _, err := readConf("ClusterName=c\n" + wrong + "\n"); err == nil || !strings.HasPrefix(err.Error(), "slurm.conf: line 2: ") {
			t.Errorf("%s: got %v", wrong, err)
		}
	}
	for right, want := range map[string][]confWord{
		"": nil, "  ": nil, "A=2": {{"a", "A", "2"}}, " A\t=  2 ": {{"a", "A", "2"}}, `A="b c"D==e f=g=h`: {{"a", "A", "b c"}, {"d", "D", "=e"}, {"f", "f", "g=h"}},
		`A=b"c" d="=2 "`: {{"a", "A", `b"c"`}, {"d", "d", "=2 "}},
	} {
		if words, err := confWords(right); err != nil || !slices.Equal(words, want) {
			t.Errorf("%s: got %q, %v, want %q", right, words, err, want)
		}
	}
}

// A system has as many nodes as a hostlist may stand for, and no more, however they are written.
func TestMostNodes(t *testing.T) {
	race.OneGoroutine(t)
	sinfo := func(text string, faults *lines.Faults) *document { return readSinfo(strings.NewReader(text), faults) }
	conf := func(text string, faults *lines.Faults) *document {
		return readText(Source{strings.NewReader(text), "f"}, nil, faults)
	}
	for _, c := range []struct {
		name, text string
		read       func(text string, faults *lines.Faults) *document
	}{
		{"sinfo", "NODELIST|PARTITION|CPUS|STATE\na[1-%d]|p*|1|idle\nb1|p*|1|idle\n", sinfo},
		{"slurm.conf", "NodeName=a[1-%d] CPUs=1\nNodeName=b1 CPUs=1\nPartitionName=p Nodes=ALL\n", conf},
	} {
		for _, nodes := range []int{maxHosts - 1, maxHosts} {
			faults := lines.NewFaults("f")
			doc := c.read(fmt.Sprintf(c.text, nodes), faults)
			switch err := faults.Err(); {
			case nodes == maxHosts && (err == nil || !strings.Contains(err.Error(), fmt.Sprintf("expected at most %d nodes, found more", maxHosts))):
				t.Errorf("%s, %d nodes: got %v", c.name, nodes+1, err)
			case nodes < maxHosts && (err != nil || len(doc.nodes) != nodes+1):
				t.Errorf("%s, %d nodes: %d are read, %v", c.name, nodes+1, len(doc.nodes), err)
			}
		}
	}
}
