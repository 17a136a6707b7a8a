package kubernetes_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/kubernetes"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// file is a file of the samples.
func file(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// read reads texts as files.
func read(settings []string, texts ...string) (*model.Instance, *model.ImportReport, error) {
	var sources []formats.Source
	for _, text := range texts {
		sources = append(sources, formats.Source{Reader: strings.NewReader(text), Name: "f.yaml"})
	}
	return readertest.With(kubernetes.NewReader(), settings...).ReadFiles(sources)
}

// starts are the starts of the jobs under EASY, by id; −1: never.
func starts(t *testing.T, in *model.Instance) map[string]float64 {
	t.Helper()
	choice, err := solve.Choose("easy")
	if err != nil {
		t.Fatal(err)
	}
	list, err := whatif.Starts(context.Background(), "easy", choice.Solver.(solve.Policy), in, 1)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for k := range in.Jobs() {
		found[in.Jobs()[k].ID] = -1
		if list[k].Start != nil {
			found[in.Jobs()[k].ID] = *list[k].Start
		}
	}
	return found
}

// TestConform: the parameters are documented and checked.
func TestConform(t *testing.T) {
	readertest.Conform(t, "kubernetes", file(t, "small.yaml"))
	readertest.Refused(t, &kubernetes.Reader{Gangs: "groups"}, "cluster")
	readertest.Refused(t, &kubernetes.Reader{Gangs: "all", Cluster: "c"}, "gangs")
}

// TestFourOnOneNode: two nodes of four GPUs with two busy on each. A pod that needs four on one waits until one node has four, after 40 s.
func TestFourOnOneNode(t *testing.T) {
	in, report, err := read(nil, file(t, "small.yaml"))
	readertest.Check(t, "f.yaml", in, report, err)
	if err != nil {
		t.Fatal(err)
	}
	if at := starts(t, in); at["team-b/four"] != 40 || at["team-b/no-toleration"] != -1 || at["team-a/busy-b"] != 0 {
		t.Errorf("starts %v", at)
	}
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"time_zero": 1795510800`, `"devices": ["nvidia.com/gpu"]`, `"id":"gpu-a","processors":110,"memory":260000,"resources":{"cpu":31.85,"nvidia.com/gpu":4}`,
		// an init container of 2 cores beside none before it, and containers of 0.5 and a sidecar of 0.25: 2 cores; 8G in MiB
		`{"id":"team-b/four","work":3600,"memory":7629.39453125,"user":"team-b","resources":{"cpu":2,"nvidia.com/gpu":4},"features":[["nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB"]]}`,
		`{"id":"team-b/no-toleration","estimate":600,"user":"team-b","resources":{"cpu":0.1},"features":[["no taint"]]}`,
		`"running":{"cluster":"kubernetes","processors":"110","holds":{"gpu-b":{"cpu":8,"nvidia.com/gpu":2}},"devices":{"nvidia.com/gpu":{"gpu-b":"0-1"}},"elapsed":120}`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in\n%s", want, text.String())
		}
	}
}

// TestGangOfEight: a Workload of eight pods is one job. It needs all GPUs, so it starts when both nodes are idle, by its quota and by the label and the toleration
// of its flavor.
func TestGangOfEight(t *testing.T) {
	in, report, err := read(nil, file(t, "small.yaml"), file(t, "kueue.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	gang := &in.Jobs()[2]
	if gang.ID != "team-b/job-gang-1a2b3" || gang.Min != 8 || gang.Estimate != 900 || gang.Queue() != "research" || gang.Group() != "team-b/main" {
		t.Errorf("the job is %+v\n%v", gang, report)
	}
	at := starts(t, in)
	if at[gang.ID] != 100 || at["team-b/four"] != 1000 {
		t.Errorf("starts %v", at)
	}
	small := strings.Replace(file(t, "kueue.yaml"), "nominalQuota: 8", "nominalQuota: 7", 1)
	if in, _, err = read(nil, file(t, "small.yaml"), small); err != nil || starts(t, in)["team-b/job-gang-1a2b3"] != -1 {
		t.Errorf("eight GPUs of a quota of seven: %v", err)
	}
}

// pod makes a list of a node and a pod with the fields given.
func pod(spec string) string {
	return `{"apiVersion": "v1", "kind": "List", "items": [
		{"kind": "Node", "metadata": {"name": "n", "labels": {"zone": "a"}}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}},
		{"kind": "Pod", "metadata": {"name": "p", "namespace": "x"}, "spec": {` + spec + `}}]}`
}

// TestRequirements: what a pod requires of its node decides whether it ever starts.
func TestRequirements(t *testing.T) {
	const affinity = `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [%]}}}, "activeDeadlineSeconds": 9`
	for terms, want := range map[string]float64{
		`{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b", "a"]}]}`:                                                               0,
		`{"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}`:                                                                 -1,
		`{"matchExpressions": [{"key": "rack", "operator": "NotIn", "values": ["a"]}]}`:                                                                 0,
		`{"matchExpressions": [{"key": "zone", "operator": "Exists"}, {"key": "rack", "operator": "DoesNotExist"}]}`:                                    0,
		`{"matchExpressions": [{"key": "rack", "operator": "Exists"}]}`:                                                                                 -1,
		`{"matchExpressions": [{"key": "rack", "operator": "Exists"}]}, {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}`: 0,
		`{"matchExpressions": [{"key": "zone", "operator": "Gt", "values": ["3"]}]}`:                                                                    -1,
		`{}`: -1,
	} {
		in, _, err := read(nil, pod(strings.Replace(affinity, "%", terms, 1)))
		if err != nil {
			t.Fatalf("%s: %v", terms, err)
		}
		if at := starts(t, in)["x/p"]; at != want {
			t.Errorf("%s: starts at %v, want %v", terms, at, want)
		}
	}
}

// TestRunTimes: an annotation, a history by name and by family, a limit; without them a year, which the first line says.
func TestRunTimes(t *testing.T) {
	history := filepath.Join(t.TempDir(), "h.csv")
	if err := os.WriteFile(history, []byte("namespace,name,runtime\nx,p-abc12,30\nx,p-7,50\nx,p-8,70\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, _, err := read([]string{"history=" + history}, pod(`"activeDeadlineSeconds": 60`))
	if err != nil || in.Jobs()[0].Work != 50 || in.Jobs()[0].Estimate != 60 {
		t.Errorf("work %+v, %v", in, err)
	}
	in, report, err := read(nil, pod(`"nodeSelector": {}`))
	if err != nil || in.Jobs()[0].Estimate != 365*86400 || len(in.Caveats()) != 1 || !strings.HasPrefix(report.String(), "warning: f.yaml: the run times of 1 of 1 waiting jobs are not known") {
		t.Errorf("%v, %v", report, err)
	}
}

// TestLeftOut: what an instance cannot express is counted, and a warning where it touches more than 2 % of the waiting jobs.
func TestLeftOut(t *testing.T) {
	in, report, err := read(nil, pod(`"activeDeadlineSeconds": 60, "topologySpreadConstraints": [{"maxSkew": 1}], "volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]`))
	if err != nil || len(in.Caveats()) != 1 || !strings.HasPrefix(report.String(), "warning: f.yaml: 1 of 1 waiting job (100.0 %) are touched by what the instance leaves out: 1 topology spread") {
		t.Errorf("%v, %v", report, err)
	}
}

// TestFaults: what is wrong is refused with the file and the path.
func TestFaults(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for k := range 9 {
		name, next := string(rune('a'+k)), string(rune('b'+k))
		bomb += next + ": &" + next + " [" + strings.Repeat("*"+name+",", 9) + "*" + name + "]\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", "f.yaml: expected what kubectl get -o json or -o yaml prints, found an empty file"},
		"no objects":    {"hello", "f.yaml: expected an object of Kubernetes, found a text"},
		"a list":        {"[]", "f.yaml: expected an object of Kubernetes, found an array"},
		"no nodes":      {`{"kind": "Service"}`, "f.yaml: expected nodes, as kubectl get nodes,pods -o yaml prints them; found none among 0 pods and 0 Workloads, 1 Service"},
		"cut":           {pod("")[:200], "f.yaml: items[1]: the file ends early"},
		"NaN":           {strings.Replace(pod(""), `"4"`, `"NaN"`, 1), `f.yaml: items[0].status.allocatable.cpu: expected a quantity such as 4, 500m or 16Gi, found "NaN"`},
		"negative":      {strings.Replace(pod(""), `"4"`, `"-4"`, 1), `f.yaml: items[0].status.allocatable.cpu: expected a quantity of at least 0, found "-4"`},
		"huge":          {strings.Replace(pod(""), `"4"`, `"9e99"`, 1), `f.yaml: items[0].status.allocatable.cpu: expected a smaller quantity, found "9e99"`},
		"huge exponent": {strings.Replace(pod(""), `"4"`, `"1e999999999"`, 1), `f.yaml: items[0].status.allocatable.cpu: expected a quantity such as`},
		"twice":         {strings.Replace(pod(""), `"kind": "Pod"`, `"kind": "Node", "status": {"allocatable": {}}`, 1) + strings.Replace(pod(""), `"x"`, `"y"`, 1), `f.yaml: document 2.items[0].metadata.name: expected each node once, found "n" again, which is at items[0] too`},
		"queue twice":   {`{"kind": "List", "items": [{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue", "metadata": {"name": "l", "namespace": "a"}, "spec": {"clusterQueue": "q", "resourceGroups": []}}, {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue", "metadata": {"name": "l", "namespace": "a"}, "spec": {"clusterQueue": "q", "resourceGroups": []}}]}`, `f.yaml: items[1].metadata.name: expected each LocalQueue once, found "a/l" again`},
		"queues twice":  {`{"kind": "List", "items": [{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "metadata": {"name": "l", "namespace": "a"}, "spec": {"clusterQueue": "q", "resourceGroups": []}}, {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "metadata": {"name": "l", "namespace": "a"}, "spec": {"clusterQueue": "q", "resourceGroups": []}}]}`, `f.yaml: items[1].metadata.name: expected each ClusterQueue once, found "l" again`},
		"a field twice": {`{"kind": "Node", "kind": "Node"}`, "f.yaml: kind: expected the field once, found it again"},
		"no name":       {`{"kind": "Node", "metadata": {}, "status": {"allocatable": {}}}`, "f.yaml: metadata.name: expected the field, found none"},
		"deep":          {`{"kind": "Node", "x": ` + strings.Repeat("[", 5000), "f.yaml: x[0][0]"},
		"deep YAML":     {"kind: Node\nx: " + strings.Repeat("[", 20000), "f.yaml: not YAML: exceeded max depth of 10000"},
		"aliases":       {bomb, "f.yaml: "},
		"a time":        {`{"kind": "Node", "metadata": {"name": "n", "creationTimestamp": "yesterday"}, "status": {"allocatable": {}}}`, `f.yaml: metadata.creationTimestamp: expected a time such as 2026-11-24T09:30:00Z, found "yesterday"`},
		"a tab":         {"kind: Node\nitems:\n- a: 1\n\tb: 2\n", "f.yaml: "},
		"an operator":   {pod(`"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Like"}]}]}}}`), "f.yaml: items[1].spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: expected In, NotIn"},
	} {
		_, _, err := read(nil, c.text)
		if wrong := (*model.InputError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got  %.300v\nwant %s", name, err, c.want)
		}
	}
	if _, _, err := read(nil, bomb); !strings.Contains(err.Error(), "expected an object of at most 100000 values, found more") {
		t.Error(err)
	}
}

// TestHoldsLittle: a wrong file, however long, is refused before it fills the memory.
func TestHoldsLittle(t *testing.T) {
	for name, text := range map[string]*readertest.Long{
		"values of YAML": {Head: "kind: Node\nx: [", Body: strings.Repeat("1,", 1000) + "\n", Times: 100_000},
		"values of JSON": {Head: `{"kind": "Node", "x": [1`, Body: strings.Repeat(",1", 1000), Times: 100_000},
	} {
		t.Run(name, func(t *testing.T) {
			readertest.Bounded(t, text, func(r io.Reader) error {
				_, _, err := kubernetes.NewReader().Read(r, "f.yaml")
				return err
			}, "values, found")
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f, "small.yaml"))
	f.Add(file(f, "small.yaml") + "---\n" + file(f, "kueue.yaml"))
	f.Add(pod(`"nodeName": "n", "containers": [{"resources": {"limits": {"memory": "1500m", "x.y/z": "3"}}}]`))
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, text string) {
		in, report, err := kubernetes.NewReader().Read(strings.NewReader(text), "x")
		readertest.Check(t, "x", in, report, err)
	})
}
