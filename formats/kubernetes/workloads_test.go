package kubernetes_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/model"
)

// workloadOf is a Workload of a queue q that ends its pods after 20 s. The fields stand before those of its specification.
func workloadOf(meta, fields, sets, status string) string {
	return `{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": "w", "namespace": "x"` + meta + `}, "spec": {"queueName": "q", "maximumExecutionTimeSeconds": 20` + fields +
		`, "podSets": [` + sets + `]}` + status + `}`
}

// setOf is a set of pods that ask for some hundredths of a core.
func setOf(name string, count, hundredths int) string {
	return fmt.Sprintf(`{"name": %q, "count": %d, "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "%dm"}}}]}}}`, name, count, 10*hundredths)
}

// ownedBy is the metadata of an object that another one controls.
func ownedBy(kind, name string) string {
	return fmt.Sprintf(`, "ownerReferences": [{"kind": %q, "name": %q, "controller": true}]`, kind, name)
}

// A pod belongs to a Workload by an annotation, by a label, or by what owns both, in each way that Kueue writes. Its Workload then gives it the priority, the
// queue and the limit; and one without its quota stands for its pods.
func TestPodsOfAWorkload(t *testing.T) {
	const reserved = `, "status": {"conditions": [{"type": "QuotaReserved", "status": "True"}]}`
	const class = `{"kind": "WorkloadPriorityClass", "metadata": {"name": "high"}, "value": 7}`
	const queue = `{"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {"resourceGroups": []}}, {"kind": "LocalQueue", "metadata": {"name": "q", "namespace": "x"}, "spec": {"clusterQueue": "q"}}`
	label := func(key, value string) string { return fmt.Sprintf(`, "labels": {%q: %q}`, key, value) }
	ways := map[string]struct{ workload, pod, also string }{
		"annotation":       {"", `, "annotations": {"kueue.x-k8s.io/workload": "w"}`, ""},
		"pod group":        {"", label("kueue.x-k8s.io/pod-group-name", "w"), ""},
		"a Job":            {ownedBy("Job", "j"), ownedBy("Job", "j"), ""},
		"a StatefulSet":    {ownedBy("StatefulSet", "j"), ownedBy("StatefulSet", "j"), ""},
		"the pod":          {ownedBy("Pod", "p"), "", ""},
		"a JobSet":         {ownedBy("JobSet", "s"), label("jobset.sigs.k8s.io/jobset-name", "s"), ""},
		"a Job of another": {ownedBy("TrainJob", "s"), ownedBy("Job", "j"), `{"kind": "Job", "metadata": {"name": "j", "namespace": "x"` + ownedBy("TrainJob", "s") + `}, "spec": {}}`},
		"a RayCluster":     {ownedBy("RayCluster", "s"), label("ray.io/cluster", "s"), ""},
	}
	for _, kind := range []string{"PyTorchJob", "MPIJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob"} {
		ways[kind] = struct{ workload, pod, also string }{ownedBy(kind, "s"), label("training.kubeflow.org/job-name", "s"), ""}
	}
	member := func(meta, spec, status string) string {
		return `{"kind": "Pod", "metadata": {"name": "p", "namespace": "x"` + meta + `}, "spec": {"activeDeadlineSeconds": 50, "containers": [{"resources": {"requests": {"cpu": "2"}}}]` + spec + `}` + status + `}`
	}
	const waits = `{"kind": "Pod", "metadata": {"name": "other", "namespace": "x"}, "spec": {"activeDeadlineSeconds": 9, "priority": 3, "containers": [{"resources": {"requests": {"cpu": "3"}}}]}}`
	texts := func(workload, pod, also string) []string {
		all := []string{queue, class, workload, pod, waits}
		if also != "" {
			all = append(all, also)
		}
		return all
	}
	ids := func(in *model.Instance) string {
		var list []string
		for k := range in.Jobs() {
			j := &in.Jobs()[k]
			list = append(list, fmt.Sprintf("%s×%d %v s %s", j.ID, j.Min, j.Estimate, j.Queue()))
		}
		return strings.Join(list, ", ")
	}
	const other = "x/other×1 9 s "
	for name, way := range ways {
		for _, priority := range []string{`, "priority": 7`, `, "priorityClassRef": {"name": "high"}`, `, "priorityClassName": "high"`} {
			set := setOf("main", 1, 200)
			// It has no quota yet, and its pods wait behind a gate: there is one job for both.
			in, report := readList(t, list("", texts(workloadOf(way.workload, priority, set, ""), member(way.pod, `, "schedulingGates": [{"name": "g"}]`, ""), way.also)...))
			if got := ids(in); got != "x/w×1 20 s q, "+other {
				t.Errorf("%s, without its quota: %s\n%v", name, got, report)
			}
			// It has its quota, and its pods wait for a node: the priority of 7 puts them before the other one.
			in, report = readList(t, list("", texts(workloadOf(way.workload, priority, set, reserved), member(way.pod, "", ""), way.also)...))
			if got := ids(in); got != "x/w×1 20 s q, "+other {
				t.Errorf("%s, with its quota: %s\n%v", name, got, report)
			}
			// Its pods run, for 20 s at most, and their priority of 7 is above that of the other one, which preempts none of them.
			in, report = readList(t, list("", texts(workloadOf(way.workload, priority, set, reserved), member(way.pod, `, "nodeName": "n"`, `, "status": {"phase": "Running"}`), way.also)...))
			if at := starts(t, in); at["x/other"] != 20 || has(report, "above that of pods that run") != 0 {
				t.Errorf("%s, running: %v\n%v", name, at, report)
			}
			// The same of another namespace is another one.
			elsewhere := strings.Replace(workloadOf(way.workload, priority, set, reserved), `"namespace": "x"`, `"namespace": "y"`, 1)
			in, report = readList(t, list("", texts(elsewhere, member(way.pod, `, "nodeName": "n"`, `, "status": {"phase": "Running"}`), way.also)...))
			if at := starts(t, in); at["x/other"] != 50 || at["y/w"] != 0 || has(report, "above that of pods that run") != 2 {
				t.Errorf("%s, of another namespace: %v\n%v", name, at, report)
			}
		}
	}
}

// Without a priority of the Workload its pods have their own.
func TestPriorityOfPodsWithoutOneOfTheWorkload(t *testing.T) {
	owned := workloadOf(ownedBy("Job", "j"), "", setOf("main", 1, 200), `, "status": {"conditions": [{"type": "Admitted", "status": "True"}]}`)
	runs := strings.Replace(podOf("p", `"nodeName": "n", "priority": 5`, ""), `"namespace": "x"`, `"namespace": "x"`+ownedBy("Job", "j"), 1)
	for priority, want := range map[int]int{4: 0, 5: 0, 6: 1} {
		_, report := readList(t, list("", owned, runs, podOf("other", fmt.Sprintf(`"priority": %d`, priority), "")))
		if got := has(report, "above that of pods that run"); got != want {
			t.Errorf("priority %d: %d notes, want %d", priority, got, want)
		}
	}
}

// A Workload has a job for each kind of its pods, whatever the order of the sets; sets of no pods change nothing, wherever they stand, and of sets that are
// alike the pods are added up.
func TestSetsOfAWorkload(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 1))
	empty := 0
	for range 200 {
		var sets []string
		want := map[string]int{} // pods by what they ask for, of which the first two kinds are alike
		for k := range 1 + r.IntN(5) {
			count, hundredths := r.IntN(3), 10*(1+r.IntN(3))
			sets = append(sets, setOf(fmt.Sprint("s", k), count, hundredths))
			if count > 0 {
				want[fmt.Sprint(float64(hundredths)/100)] += count
			} else if k < 2 {
				empty++
			}
		}
		in, report := readList(t, list("", workloadOf("", "", strings.Join(sets, ","), "")))
		got := map[string]int{}
		for k := range in.Jobs() {
			j := &in.Jobs()[k]
			got[fmt.Sprint(j.Node().Resources[0].Amount.Float())] += j.Min
		}
		if diff := cmp.Diff(want, got); diff != "" || len(in.Jobs()) != len(want) {
			t.Fatalf("%s\n%v\n%s", strings.Join(sets, "\n"), report, diff)
		}
		if none := has(report, "the Workload has no pods"); none != 1-min(1, len(want)) {
			t.Errorf("%d sets with pods: the report says %d times that there are none", len(want), none)
		}
	}
	if empty < 50 {
		t.Errorf("%d empty sets before others", empty)
	}
}

// The warning names what touches most jobs first, six kinds at most, and says how many more there are.
func TestWarningNamesTheMostFirst(t *testing.T) {
	kinds := []string{
		`"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedule"}]`, `"topologySpreadConstraints": [{"whenUnsatisfiable": "ScheduleAnyway"}]`, `"volumes": [{"name": "v", "ephemeral": {}}]`,
		`"resourceClaims": [{"name": "gpu"}]`, `"containers": [{"ports": [{"hostPort": 80}]}]`, `"schedulerName": "volcano"`,
		`"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}`,
		`"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}`,
	}
	r := rand.New(rand.NewPCG(57, 2))
	for number := 1; number <= len(kinds); number++ {
		var pods []string
		var counts []int
		for k, kind := range r.Perm(len(kinds))[:number] {
			counts = append(counts, 1+r.IntN(5))
			for n := range counts[k] {
				pods = append(pods, podOf(fmt.Sprint("p", k, "-", n), kinds[kind], ""))
			}
		}
		r.Shuffle(len(pods), func(a, b int) { pods[a], pods[b] = pods[b], pods[a] })
		_, report := readList(t, list("", pods...))
		if len(report.Warnings) != 1 {
			t.Fatalf("%d kinds: %v", number, report)
		}
		_, said, _ := strings.Cut(report.Warnings[0], "leaves out: ")
		parts := strings.Split(said, "; ")
		slices.SortFunc(counts, func(a, b int) int { return b - a })
		for k, part := range parts {
			want := ""
			switch {
			case k < 6:
				want = fmt.Sprintf("%d ", counts[k])
			case k == 6:
				want = fmt.Sprintf("and %d more", number-6)
			}
			if want == "" || !strings.HasPrefix(part, want) {
				t.Errorf("%d kinds: part %d is %q, want %q…", number, k, part, want)
			}
		}
		if len(parts) != min(number, 7) {
			t.Errorf("%d kinds: %q", number, parts)
		}
	}
}

// What touches 2 % of the jobs is counted, and what touches more is warned of.
func TestWhatTouchesFewJobs(t *testing.T) {
	for jobs, warns := range map[int]bool{49: true, 50: false} {
		pods := []string{podOf("odd", `"schedulerName": "volcano"`, "")}
		for k := 1; k < jobs; k++ {
			pods = append(pods, podOf(fmt.Sprint("p", k), "", ""))
		}
		_, report := readList(t, list("", pods...))
		if got := strings.Contains(strings.Join(report.Warnings, ""), "are touched by what the instance leaves out"); got != warns || has(report, "another scheduler") != 1 {
			t.Errorf("1 of %d jobs: %v", jobs, report)
		}
	}
}

// A list is the same in JSON and in each form of YAML; where it has a kind such as PodList, its objects need none.
func TestListsInEachForm(t *testing.T) {
	nodes := `{"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}`
	var pods []string
	for k := range 3 {
		pods = append(pods, strings.Replace(podOf(fmt.Sprint("p", k), `"containers": [{"resources": {"requests": {"cpu": "3"}}}]`, ""), `"kind": "Pod", `, "", 1))
	}
	forms := map[string]func(kind string, objects ...string) string{
		"JSON": func(kind string, objects ...string) string {
			return `{"apiVersion": "v1", "kind": "` + kind + `", "metadata": {}, "items": [` + strings.Join(objects, ", ") + `]}`
		},
		"YAML in the form of JSON": func(kind string, objects ...string) string {
			return "# as JSON\n" + `{"apiVersion": "v1", "kind": "` + kind + `", "items": [` + strings.Join(objects, ", ") + `]}`
		},
		"YAML": func(kind string, objects ...string) string {
			return "apiVersion: v1\nkind: " + kind + "\nmetadata:\n  resourceVersion: \"\"\nitems:\n- " + strings.Join(objects, "\n- ") + "\n"
		},
		"YAML with other dashes": func(kind string, objects ...string) string {
			return "---\nkind: " + kind + "  \napiVersion: v1\nitems:\n\n# a remark\n  - " + strings.Join(objects, "\n  - ") + "\nmetadata: {}\n...\n"
		},
		"YAML with a kind in quotes": func(kind string, objects ...string) string {
			return "kind: \"" + kind + "\"\nitems:\n- " + strings.Join(objects, "\n- ") + "\n"
		},
		"YAML with a remark behind the kind": func(kind string, objects ...string) string {
			return "kind: " + kind + " # of them\nitems:\n- " + strings.Join(objects, "\n- ") + "\n"
		},
	}
	written := func(in *model.Instance) string {
		var text bytes.Buffer
		if err := model.WriteInstance(&text, in); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	want := ""
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		in, report, err := read(nil, forms[name]("NodeList", nodes), forms[name]("PodList", pods...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := written(in); want == "" {
			want = got
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s\n%v", name, diff, report)
		}
		if len(in.Jobs()) != 3 || starts(t, in)["x/p2"] != 20 {
			t.Errorf("%s: %v", name, starts(t, in))
		}
	}
}
