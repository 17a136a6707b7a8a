package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model/budget"
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

// A node takes a name for each of its resources and features, and no fewer than these are.
func TestWordsOfNodes(t *testing.T) {
	for names := range 5 {
		list := strings.Join([]string{"gpu:a:1", "gpu:b:1", "shard:4", "nvme:2"}[:names], ",")
		for features := range 3 {
			n := &node{resources: list}
			for range features {
				n.features = append(n.features, "x,y,z")
			}
			if got, least := wordsOf(n), names+3*features; got < least || got > least+2 {
				t.Errorf("%q and %d times three features: %d words", list, features, got)
			}
		}
	}
}

// A system has as many nodes as the budget of the reading has names for, and no more, however they are written. A node takes its own name and what holds it.
func TestMostNodes(t *testing.T) {
	sinfo := func(text string, faults *lines.Faults) *document { return readSinfo(strings.NewReader(text), faults) }
	conf := func(text string, faults *lines.Faults) *document {
		return readText(Source{strings.NewReader(text), "f"}, nil, faults)
	}
	const nodes, others = 5_000, 20 // others: names that the partition and the lines take, at most
	names := int64(nodes * (1 + budget.NamesOf[node]()))
	for _, c := range []struct {
		name, text string
		read       func(text string, faults *lines.Faults) *document
	}{
		{"sinfo", "NODELIST|PARTITION|CPUS|STATE\na[1-%d]|p*|1|idle\nb1|p*|1|idle\n", sinfo},
		{"slurm.conf", "NodeName=a[1-%d] CPUs=1\nNodeName=b1 CPUs=1\nPartitionName=p Nodes=ALL\n", conf},
	} {
		for _, most := range []int64{names - others, names + others} {
			limits := budget.Usual()
			limits.Names = most
			faults := lines.NewFaultsWithin("f", budget.New(t.Context(), limits, nil))
			doc := c.read(fmt.Sprintf(c.text, nodes-1), faults)
			var passed *budget.Error
			switch err := faults.Err(); {
			case most < names && (!errors.As(err, &passed) || passed.What != "names" || passed.Most != most):
				t.Errorf("%s, %d nodes of %d names: got %v", c.name, nodes, most, err)
			case most > names && (err != nil || len(doc.nodes) != nodes):
				t.Errorf("%s, %d nodes of %d names: %d are read, %v", c.name, nodes, most, len(doc.nodes), err)
			}
		}
	}
}
