package openb_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/openb"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

const (
	tinyNodes = "sn,cpu_milli,memory_mib,gpu,model\nn0,8000,1024,2,T4\nn1,500,512.5,0,\n"
	tinyPods  = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time,scheduled_time\n" +
		"a,1500,100,1,460,T4|P100,5,30,10\nb,1000,50,0,0,,0,7,\nc,2000,50,2,1000,,1,1,1\n"
)

// file writes a file and returns its path.
func file(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nodes.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads pods with the given nodes.
func read(t testing.TB, nodes, pods string, settings ...string) (*model.Instance, *model.ImportReport, error) {
	t.Helper()
	return readertest.With(openb.NewReader(), append(settings, "nodes="+file(t, nodes))...).Read(strings.NewReader(pods), "pods.csv")
}

func TestConform(t *testing.T) {
	readertest.Conform(t, "openb", tinyPods)
	readertest.Refused(t, openb.NewReader(), "nodes")
	readertest.Refused(t, &openb.Reader{Nodes: "x"}, "cluster")
	readertest.Refused(t, &openb.Reader{Nodes: "x", Cluster: "c", Fill: -1}, "fill")
}

func TestRead(t *testing.T) {
	in, report, err := read(t, tinyNodes, tinyPods)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	want := `{
 "schema": "allot/instance/1",
 "name": "pods",
 "units": {"time":"s","work":"s","memory":"MiB"},
 "devices": ["gpu"],
 "clusters": [
  {"id":"openb","machines":[{"id":"n0","processors":8,"memory":1024,"resources":{"cpu":8,"gpu":2},"features":["T4"]},{"id":"n1","memory":512.5,"resources":{"cpu":0.5}}]}
 ],
 "jobs": [
  {"id":"a","arrival":5,"work":20,"memory":100,"resources":{"cpu":1.5,"gpu":0.46},"features":[["T4","P100"]]},
  {"id":"b","work":7,"memory":50,"resources":{"cpu":1}},
  {"id":"c","arrival":1,"work":0,"memory":50,"resources":{"cpu":2,"gpu":2}}
 ]
}
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	if got, want := report.String(), "pods.csv: openb: read 3 jobs, kept 3\n  kept 1: never scheduled: it counts as running from creation to deletion (first: line 3)"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, nodes, pods, want string }{
		{"no pods", tinyNodes, "", "pods.csv: expected a first row with the names of the columns, found an empty file"},
		{"columns", tinyNodes, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n", "pods.csv: line 1: expected a column creation_time among those of the pods of openb, found none\n" +
			"pods.csv: line 1: expected a column deletion_time among those of the pods of openb, found none"},
		{"numbers", tinyNodes, strings.Replace(tinyPods, "1500", "many", 1), `pods.csv: line 2: cpu_milli: expected a number, found "many"`},
		{"a share of two", tinyNodes, strings.Replace(tinyPods, "2,1000", "2,500", 1), "pods.csv: line 4: gpu_milli: expected at most 1000, and 1000 of several devices, found 500"},
		{"half a device", tinyNodes, strings.Replace(tinyPods, "2,1000", "2.5,1000", 1), "pods.csv: line 4: num_gpu: expected a whole number, found 2.5"},
		{"ends early", tinyNodes, strings.Replace(tinyPods, "5,30,10", "5,9,10", 1), "pods.csv: line 2: deletion_time: expected a time of at least 10, when the pod began, found 9"},
		{"twice", tinyNodes, strings.Replace(tinyPods, "\nb,", "\na,", 1), `pods.csv: line 3: name: expected a unique id, found "a" again`},
		{"a fraction too fine", tinyNodes, strings.Replace(tinyPods, "1500", "1500.0001", 1), "pods.csv: line 2: resources.cpu: expected 0 or a number in [1e-06, 1e+12] with at most six decimals, found 1.5000001"},
	} {
		if _, _, err := read(t, c.nodes, c.pods); err == nil || err.Error() != c.want {
			t.Errorf("%s: got\n%v\nwant\n%s", c.name, err, c.want)
		}
	}
	for _, nodes := range []string{"", "sn,gpu\n", strings.Replace(tinyNodes, "8000", "x", 1), strings.Replace(tinyNodes, "n1", "n0", 1), strings.Replace(tinyNodes, ",2,", ",1.5,", 1)} {
		if _, _, err := read(t, nodes, tinyPods); err == nil || !strings.Contains(err.Error(), "nodes.csv") {
			t.Errorf("%q: %v", nodes, err)
		}
	}
	if _, _, err := read(t, tinyNodes, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nb,1000,50,0,0\n", "fill=1.3"); err == nil || !strings.Contains(err.Error(), "expected pods that need GPUs") {
		t.Error(err)
	}
}

// The trace itself: its published numbers of nodes, GPUs and pods; and pods that fill its GPUs to 130 %.
func TestTrace(t *testing.T) {
	pods, err := filepath.Glob("../../data/openb/pods_*.csv.gz")
	if err != nil || len(pods) != 6 {
		t.Fatal(pods, err)
	}
	for _, path := range pods[:race.Fewer(6, 2)] {
		fill := func(seed string) *model.Instance {
			file, err := model.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			in, _, err := readertest.With(openb.NewReader(), "nodes=../../data/openb/nodes.csv.gz", "fill=1.3", "seed="+seed).Read(file, path)
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
		in := fill("1")
		nodes, gpus := in.Clusters()[0].Machines, model.Amount(0)
		for k := range nodes {
			gpus += nodes[k].Amount(slices.IndexFunc(in.Resources(), func(r model.Resource) bool { return r.Devices }))
		}
		if len(nodes) != 1213 || gpus != 6212*model.WholeAmount {
			t.Fatalf("%s: %d nodes, %v GPUs", path, len(nodes), gpus.Float())
		}
		asked := 0.0
		for k := range in.Jobs() {
			asked += in.Jobs()[k].Work
		}
		if share := asked / 6212; share < 1.3 || share > 1.302 || in.Jobs()[0].Deadline != 1 || !in.Jobs()[0].DeadlineHard || in.Duration(0, 0, model.Processors(0)) != 1 {
			t.Errorf("%s: the pods ask for %v of the GPUs", path, share)
		}
		other := fill("2")
		if other.SHA256() == in.SHA256() || fill("1").SHA256() != in.SHA256() {
			t.Errorf("%s: the order of the pods is not that of the seed", path)
		}
		order := func(in *model.Instance) (ids []string) {
			for _, m := range in.Clusters()[0].Machines {
				ids = append(ids, m.ID)
			}
			return ids
		}
		one, two := order(in), order(other)
		if slices.Equal(one, two) || slices.IsSorted(one) {
			t.Errorf("%s: the order of the nodes is not that of the seed", path)
		}
		slices.Sort(one)
		if slices.Sort(two); !slices.Equal(one, two) || len(slices.Compact(one)) != 1213 {
			t.Errorf("%s: the order changes the nodes", path)
		}
	}
	file, err := model.Open("../../data/openb/pods_default.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, report, err := readertest.With(openb.NewReader(), "nodes=../../data/openb/nodes.csv.gz").Read(file, "pods")
	if err != nil || len(in.Jobs()) != 8152 || report.Kept != 8152 || math.IsInf(in.Jobs()[0].Arrival, 0) {
		t.Error(report, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(tinyPods)
	f.Add(strings.Replace(tinyPods, "1500", "1e18", 1))
	f.Add("name,cpu_milli,memory_mib,num_gpu,gpu_milli\nx,1,1,1,1\n")
	nodes := file(f, tinyNodes)
	f.Fuzz(func(t *testing.T, text string) {
		for _, fill := range []string{"fill=0", "fill=1.3"} {
			in, report, err := readertest.With(openb.NewReader(), "nodes="+nodes, fill).Read(strings.NewReader(text), "x")
			if fill == "fill=0" {
				readertest.Check(t, "x", in, report, err)
			} else if (in == nil) == (err == nil) {
				t.Errorf("an instance %v and an error %v", in != nil, err)
			}
		}
	})
}
