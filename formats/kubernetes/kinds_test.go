package kubernetes_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/allot-opt/allot/model"
)

// What a node has of an extended resource in 1 to 64 pieces is devices, what it has more of is an amount, and none is none; whatever the number, the instance is right.
func TestDevicesAreFewPieces(t *testing.T) {
	for _, pieces := range []int64{0, 1, 2, 63, 64, 65, 1000, 1 << 20, 1e12} {
		in, _ := readList(t, list(fmt.Sprintf(`, "x.y/z": "%d"`, pieces), podOf("p", `"containers": [{"resources": {"limits": {"x.y/z": "1"}}}]`, "")))
		starts := starts(t, in)["x/p"] == 0
		devices := slices.ContainsFunc(in.Resources(), func(r model.Resource) bool { return r.ID == "x.y/z" && r.Devices })
		if starts != (pieces > 0) || devices != (pieces > 0 && pieces <= 64) {
			t.Errorf("%d pieces: a pod that needs one starts: %v, they are devices: %v", pieces, starts, devices)
		}
	}
}

// A node is closed in the same way whatever says so: that it is cordoned, or a taint that Kubernetes sets. A pod that runs there runs on.
func TestNodesAreClosedInOneWay(t *testing.T) {
	node := func(spec string) string {
		return `{"kind": "Node", "metadata": {"name": "m"}, "spec": {` + spec + `}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}}`
	}
	read := func(spec string) model.InstanceSpec {
		in, _ := readList(t, list("", node(spec), podOf("runs", `"nodeName": "m"`, `, "status": {"phase": "Running"}`), podOf("waits", "", ""), podOf("also", `"tolerations": [{"operator": "Exists"}]`, "")), "now=1795510800")
		spec2 := in.SystemSpec()
		spec2.Caveats = nil
		for j := range in.Jobs() {
			spec2.Jobs = append(spec2.Jobs, in.JobSpec(j))
		}
		return spec2
	}
	want := read(`"unschedulable": true`)
	if want.Clusters[0].Machines[1].Closed == nil {
		t.Fatalf("not closed: %+v", want.Clusters[0].Machines)
	}
	for _, key := range []string{"node.kubernetes.io/unschedulable", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		for _, effect := range []string{"NoSchedule", "NoExecute"} {
			if diff := cmp.Diff(want, read(fmt.Sprintf(`"taints": [{"key": %q, "effect": %q}]`, key, effect))); diff != "" {
				t.Errorf("%s with %s: %s", key, effect, diff)
			}
		}
	}
}

// Objects of which an instance has nothing are counted by kind, and the first of each kind is named.
func TestOtherKindsAreCounted(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 59))
		count, first, objects := map[string]int{}, map[string]string{}, []string{}
		for k := range 1 + rng.IntN(12) {
			kind := []string{"Service", "Secret", "Ingress", "Event"}[rng.IntN(4)]
			if count[kind]++; count[kind] == 1 {
				first[kind] = fmt.Sprintf("items[%d]", k+1) // behind the node
			}
			objects = append(objects, fmt.Sprintf(`{"kind": %q, "metadata": {"name": "o%d"}}`, kind, k))
		}
		_, report := readList(t, list("", append(objects, podOf("p", "", ""))...))
		for kind, n := range count {
			at := slices.IndexFunc(report.Notes, func(n model.ImportNote) bool { return strings.Contains(n.Reason, "object of kind "+kind+":") })
			if at < 0 || report.Notes[at].Count != n || !strings.Contains(report.Notes[at].First, first[kind]) {
				t.Fatalf("seed %d: %d of kind %s, the first at %s: %+v", seed, n, kind, first[kind], report.Notes)
			}
		}
	}
}

// The warning of pods that are not created yet names three objects at most, in the order of the files and Jobs last, and says of how many more there are pods.
func TestWarningNamesThreeObjects(t *testing.T) {
	const template = `"template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}`
	for jobs := range 6 {
		for sets := range 6 {
			var objects, names []string
			for k := range sets {
				objects = append(objects, fmt.Sprintf(`{"kind": "TrainJob", "metadata": {"name": "t%d", "namespace": "x"}, "spec": {%s}}`, k, template))
				names = append(names, fmt.Sprintf("TrainJob x/t%d: not known how many", k))
			}
			for k := range jobs {
				objects = append(objects, fmt.Sprintf(`{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j%d", "namespace": "x"}, "spec": {%s}}`, k, template))
				names = append(names, fmt.Sprintf("Job x/j%d: 1", k))
			}
			in, _ := readList(t, list("", append(objects, podOf("waits", "", ""))...))
			want := ""
			if len(names) > 0 {
				want = "(" + strings.Join(names[:min(3, len(names))], ", ")
				if more := len(names) - 3; more > 0 {
					want += fmt.Sprintf(", and of %d more", more)
				}
				want += ")"
			}
			if got := strings.Join(in.Caveats(), "; "); !strings.Contains(got, want) || (got == "") != (want == "") {
				t.Errorf("%d Jobs and %d of another kind: %q, want %q", jobs, sets, got, want)
			}
		}
	}
}

// Whole numbers are taken from their least to their largest, and refused beyond, field by field.
func TestWholeNumbersAtTheirLimits(t *testing.T) {
	const template = `"template": {"spec": {"containers": []}}`
	const pods = 1 << 20
	workload := func(fields, set string) string {
		return `{"kind": "Workload", "metadata": {"name": "w", "namespace": "x"}, "spec": {"queueName": "q"` + fields + `, "podSets": [{` + set + `, ` + template + `}]}}`
	}
	for name, c := range map[string]struct {
		least, most int64
		object      string
	}{
		"priority of a class":      {-1 << 31, 1 << 31, `{"kind": "WorkloadPriorityClass", "metadata": {"name": "c"}, "value": %d}`},
		"priority of a Workload":   {-1 << 31, 1 << 31, workload(`, "priority": %d`, `"count": 1`)},
		"limit of a Workload":      {0, 1 << 31, workload(`, "maximumExecutionTimeSeconds": %d`, `"count": 1`)},
		"pods of a set":            {0, pods, workload("", `"count": %d`)},
		"least pods of a set":      {0, pods, workload("", `"count": 1, "minCount": %d`)},
		"least pods of a group":    {0, pods, `{"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "x"}, "spec": {"minMember": %d}}`},
		"priority of a pod":        {-1 << 31, 1 << 31, podOf("o", `"priority": %d`, "")},
		"limit of a pod":           {0, 1e12, `{"kind": "Pod", "metadata": {"name": "o", "namespace": "x"}, "spec": {"activeDeadlineSeconds": %d}}`},
		"replicas of a Deployment": {0, pods, `{"kind": "Deployment", "metadata": {"name": "d", "namespace": "x"}, "spec": {"replicas": %d, ` + template + `}}`},
		"completions of a Job":     {0, pods, `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "x"}, "spec": {"completions": %d, ` + template + `}}`},
		"parallelism of a Job":     {0, pods, `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "x"}, "spec": {"parallelism": %d, ` + template + `}}`},
	} {
		for n, right := range map[int64]bool{c.least - 1: false, c.least: true, c.least + 1: true, c.most - 1: true, c.most: true, c.most + 1: false} {
			_, _, err := read(nil, list("", fmt.Sprintf(c.object, n), podOf("p", "", "")))
			if refused := err != nil && strings.Contains(err.Error(), "whole number"); refused == right {
				t.Errorf("%s of %d: %v", name, n, err)
			}
		}
	}
}

// A field that stands twice, however deep, is the one fault of the text: nothing behind it is read.
func TestAFieldTwiceIsTheOnlyFault(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 60))
		text, path := `{"a": 1, "a": [2, {"b": 3}]}`, "a"
		for range rng.IntN(6) {
			if rng.IntN(2) == 0 {
				text, path = `{"c": `+text+`, "d": "e"}`, "c."+path
				continue
			}
			text, path = `[`+text+`, "f"]`, "[0]."+path
		}
		item := 1 + rng.IntN(2)
		objects := []string{fmt.Sprintf(`{"kind": "Service", "x": %s, "y": 1}`, text), podOf("q", "", "")}
		if item == 2 {
			objects[0], objects[1] = objects[1], objects[0]
		}
		want := strings.ReplaceAll(fmt.Sprintf("f.yaml: items[%d].x.%s: expected the field once, found it again", item, path), ".[", "[")
		_, _, err := read(nil, list("", objects...))
		if err == nil || err.Error() != want {
			t.Fatalf("seed %d: got %v\nwant %s", seed, err, want)
		}
	}
}

// What is not YAML in one line is refused with the line of the file that a parser of the whole file names.
func TestDamagedYAMLNamesTheLine(t *testing.T) {
	lines := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 61))
		text := "apiVersion: v1\nkind: List\nitems:\n"
		if rng.IntN(3) == 0 {
			text = "kind: Service\n"
		}
		for k := range 1 + rng.IntN(4) {
			if strings.HasPrefix(text, "kind") {
				text += fmt.Sprintf("field%d: 1\n", k)
			} else {
				text += fmt.Sprintf("- kind: Service\n  metadata:\n    name: s%d\n", k)
			}
		}
		rows := strings.SplitAfter(text, "\n")
		at := rng.IntN(len(rows) - 1)
		rows[at] = strings.TrimSuffix(rows[at], "\n") + []string{": x", "\n  *"}[rng.IntN(2)] + "\n"
		text = strings.Join(rows, "")
		var n yaml.Node
		whole := yaml.Unmarshal([]byte(text), &n)
		_, _, err := read(nil, text)
		if whole == nil || err == nil {
			continue
		}
		var line int
		if _, scanned := fmt.Sscanf(strings.TrimPrefix(whole.Error(), "yaml: "), "line %d:", &line); scanned != nil || !strings.Contains(err.Error(), "not YAML") {
			continue
		}
		lines++
		if !strings.HasSuffix(err.Error(), fmt.Sprintf("at line %d", line)) {
			t.Errorf("seed %d: %v, the parser of the whole says %v\n%s", seed, err, whole, text)
		}
	}
	if lines < 50 {
		t.Errorf("%d damaged texts", lines)
	}
}
