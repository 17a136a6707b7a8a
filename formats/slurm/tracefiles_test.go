package slurm_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
)

// The files of a system beside a trace, in any order, make the instance that they make as named files. What does not fit together is refused.
func TestTraceBesideItsSystem(t *testing.T) {
	const (
		rows       = "JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS\n1|p|1|2|3|10|8\n2|q|1|2|9|10|4\n"
		nodes      = "NodeName=a1 CPUTot=8 Partitions=p,q State=IDLE\nNodeName=a2 CPUTot=8 Partitions=q State=IDLE\n"
		partitions = "PartitionName=p Nodes=a1 MaxTime=10\nPartitionName=q Nodes=a1,a2 MaxTime=20\n"
		conf       = "ClusterName=x\nInclude parts/nodes.conf\nPartitionName=p Nodes=a1\nPartitionName=q Nodes=ALL\n"
		included   = "NodeName=a[1-2] CPUs=8\n"
	)
	for name, c := range map[string]struct {
		files map[string]string
		order []string
		named []string // parameters that name the files
		want  string   // in the error; empty: none
	}{
		"slurm.conf":      {map[string]string{"sacct.txt": rows, "slurm.conf": conf, "parts/nodes.conf": included}, []string{"slurm.conf", "sacct.txt", "parts/nodes.conf"}, []string{"nodes=slurm.conf"}, ""},
		"scontrol":        {map[string]string{"sacct.txt": rows, "n.txt": nodes, "p.txt": partitions}, []string{"p.txt", "sacct.txt", "n.txt"}, []string{"nodes=n.txt", "partitions=p.txt"}, ""},
		"alone":           {map[string]string{"sacct.txt": rows}, []string{"sacct.txt"}, nil, ""},
		"two traces":      {map[string]string{"sacct.txt": rows, "b.txt": rows}, []string{"sacct.txt", "b.txt"}, nil, "b.txt: expected one trace beside the files of its system, found sacct.txt too"},
		"no trace":        {map[string]string{"n.txt": nodes, "p.txt": partitions}, []string{"n.txt", "p.txt"}, nil, "n.txt: expected what sacct -P prints"},
		"two systems":     {map[string]string{"sacct.txt": rows, "a.conf": included, "b.conf": included}, []string{"sacct.txt", "a.conf", "b.conf"}, nil, "b.conf: expected one file of nodes, found a.conf too"},
		"partitions only": {map[string]string{"sacct.txt": rows, "p.txt": partitions}, []string{"sacct.txt", "p.txt"}, nil, "p.txt: expected a file of nodes beside the trace"},
		"wrong nodes":     {map[string]string{"sacct.txt": rows, "a.conf": "NodeName=a CPUs=x\n"}, []string{"sacct.txt", "a.conf"}, nil, "a.conf: line 1: CPUs"},
		"no such file":    {map[string]string{"sacct.txt": rows, "x.txt": "hello\n"}, []string{"sacct.txt", "x.txt"}, nil, "x.txt: expected JSON, or what scontrol show prints"},
	} {
		t.Run(name, func(t *testing.T) {
			var sources []formats.Source
			for _, file := range c.order {
				sources = append(sources, formats.Source{Reader: strings.NewReader(c.files[file]), Name: file})
			}
			in, report, err := slurm.NewTraceReader().ReadFiles(sources)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, expected %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			if err := os.Mkdir(filepath.Join(folder, "parts"), 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range c.files {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var named []string
			for _, p := range c.named {
				named = append(named, strings.Replace(p, "=", "="+folder+"/", 1))
			}
			want, other, err := with(named...).Read(strings.NewReader(rows), "sacct.txt")
			if err != nil {
				t.Fatal(err)
			}
			if got, expected := asText(t, in), asText(t, want); got != expected {
				t.Errorf("found\n%s\nexpected\n%s", got, expected)
			}
			if report.String() != other.String() {
				t.Errorf("the report is\n%s\nexpected\n%s", report, other)
			}
		})
	}
}

func asText(t *testing.T, in *model.Instance) string {
	t.Helper()
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Parameters that say what the files beside the trace say too are refused.
func TestTraceBesideItsSystemAndParameters(t *testing.T) {
	for _, parameter := range []string{"nodes=n.txt", "partitions=p.txt", "processors=3", "cluster="} {
		_, _, err := with(parameter).ReadFiles(make([]formats.Source, 2))
		if name, _, _ := strings.Cut(parameter, "="); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", parameter, err)
		}
	}
}
