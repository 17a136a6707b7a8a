package kubernetes_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/kubernetes"
	"github.com/allot-opt/allot/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// list is a list of objects. The first is a node n of 4 cores, 8 GiB, 10 pods and the amounts given.
func list(amounts string, objects ...string) string {
	node := `{"kind": "Node", "metadata": {"name": "n", "labels": {"zone": "a", "size": "5"}}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"` + amounts + `}}}`
	return `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Join(append([]string{node}, objects...), ",\n") + `]}`
}

// podOf is a pod with a run time of 10 s. The rest of the object stands behind its specification.
func podOf(name, spec, rest string) string {
	if spec != "" {
		spec = ", " + spec
	}
	return `{"kind": "Pod", "metadata": {"name": "` + name + `", "namespace": "x"}, "spec": {"activeDeadlineSeconds": 10` + spec + `}` + rest + `}`
}

// has says whether a report has a note with the text, and how often.
func has(report *model.ImportReport, text string) int {
	for _, n := range report.Notes {
		if strings.Contains(n.Reason, text) {
			return n.Count
		}
	}
	return 0
}

// readList reads a list, which must be right.
func readList(t *testing.T, text string, settings ...string) (*model.Instance, *model.ImportReport) {
	t.Helper()
	in, report, err := read(settings, text)
	readertest.Check(t, "f.yaml", in, report, err)
	if err != nil {
		t.Fatal(err)
	}
	return in, report
}

// TestNeeds: what a pod asks for of its node, worked out by hand from the rules of Kubernetes.
func TestNeeds(t *testing.T) {
	const resources = `"resources": {"requests": {%s}, "limits": {%s}}`
	container := func(requests, limits string) string { return `{` + fmt.Sprintf(resources, requests, limits) + `}` }
	sidecar := func(requests string) string {
		return `{"restartPolicy": "Always", ` + fmt.Sprintf(resources, requests, "") + `}`
	}
	for name, c := range map[string]struct {
		spec   string
		want   map[string]float64
		memory float64 // MiB
	}{
		"requests, not limits":                    {`"containers": [` + container(`"cpu": "1"`, `"cpu": "3"`) + `]`, map[string]float64{"cpu": 1}, 0},
		"a limit without a request":               {`"containers": [` + container(`"cpu": "1"`, `"memory": "1Gi", "x.y/gpu": "2"`) + `]`, map[string]float64{"cpu": 1, "x.y/gpu": 2}, 1024},
		"a request of 0 is one":                   {`"containers": [` + container(`"cpu": "0"`, `"cpu": "3"`) + `]`, nil, 0},
		"the sum of the containers":               {`"containers": [` + container(`"cpu": "250m"`, "") + "," + container(`"cpu": "0.5"`, "") + `]`, map[string]float64{"cpu": 0.75}, 0},
		"a larger init container":                 {`"initContainers": [` + container(`"cpu": "2"`, "") + `], "containers": [` + container(`"cpu": "1"`, "") + `]`, map[string]float64{"cpu": 2}, 0},
		"init containers run one by one":          {`"initContainers": [` + container(`"cpu": "2"`, "") + "," + container(`"cpu": "1500m"`, "") + `]`, map[string]float64{"cpu": 2}, 0},
		"each resource by itself":                 {`"initContainers": [` + container(`"cpu": "2"`, "") + `], "containers": [` + container(`"cpu": "1", "memory": "1Mi"`, "") + `]`, map[string]float64{"cpu": 2}, 1},
		"a sidecar beside the containers":         {`"initContainers": [` + sidecar(`"cpu": "1"`) + `], "containers": [` + container(`"cpu": "1"`, "") + `]`, map[string]float64{"cpu": 2}, 0},
		"a sidecar before an init container":      {`"initContainers": [` + sidecar(`"cpu": "1"`) + "," + container(`"cpu": "2"`, "") + `], "containers": [` + container(`"cpu": "1"`, "") + `]`, map[string]float64{"cpu": 3}, 0},
		"a sidecar behind an init container":      {`"initContainers": [` + container(`"cpu": "2"`, "") + "," + sidecar(`"cpu": "1"`) + `], "containers": [` + container(`"cpu": "500m"`, "") + `]`, map[string]float64{"cpu": 2}, 0},
		"overhead":                                {`"overhead": {"cpu": "250m", "memory": "120Mi"}, "containers": [` + container(`"cpu": "1"`, "") + `]`, map[string]float64{"cpu": 1.25}, 120},
		"of the pod as a whole, and its overhead": {`"overhead": {"cpu": "250m"}, ` + fmt.Sprintf(resources, `"cpu": "3"`, "") + `, "containers": [` + container(`"cpu": "1"`, "") + `]`, map[string]float64{"cpu": 3.25}, 0},
		"a MIG slice":                             {`"containers": [` + container("", `"nvidia.com/mig-1g.10gb": "1"`) + `]`, map[string]float64{"nvidia.com/mig-1g.10gb": 1}, 0},
		"storage and large pages in MiB":          {`"containers": [` + container(`"ephemeral-storage": "1500Mi", "hugepages-2Mi": "100Mi"`, "") + `]`, map[string]float64{"ephemeral-storage": 1500, "hugepages-2Mi": 100}, 0},
		"quantities": {`"containers": [` + container(`"cpu": 1e-1, "memory": "1e6", "ephemeral-storage": "12E6", "x.y/gpu": "2000m"`, "") + "," + container(`"cpu": "1", "memory": ".5Ki"`, "") + `]`,
			map[string]float64{"cpu": 1.1, "ephemeral-storage": 12, "x.y/gpu": 2}, (1e6 + 512) / (1 << 20)}, // 12 million bytes are 11.4 MiB, rounded up
	} {
		in, _ := readList(t, list(`, "ephemeral-storage": "100Gi", "hugepages-2Mi": "1Gi", "x.y/gpu": "8", "nvidia.com/mig-1g.10gb": "7"`, podOf("p", c.spec, "")))
		j := &in.Jobs()[0]
		got := map[string]float64{}
		for _, need := range j.Node().Resources {
			got[in.Resources()[need.Resource].ID] = need.Amount.Float()
		}
		if c.want == nil {
			c.want = map[string]float64{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || j.Memory != c.memory {
			t.Errorf("%s: memory %v, want %v; %s", name, j.Memory, c.memory, diff)
		}
	}
}

// TestWhoMayRunWhere: node selectors and required affinity hold together, of several terms one, and taints keep pods off that do not tolerate them.
func TestWhoMayRunWhere(t *testing.T) {
	term := func(expressions ...string) string {
		return `{"matchExpressions": [` + strings.Join(expressions, ",") + `]}`
	}
	is := func(key, operator string, values ...string) string {
		return fmt.Sprintf(`{"key": %q, "operator": %q, "values": ["%s"]}`, key, operator, strings.Join(values, `","`))
	}
	affinity := func(terms ...string) string {
		return `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [` + strings.Join(terms, ",") + `]}}}`
	}
	for name, c := range map[string]struct {
		spec   string
		starts float64
	}{
		"selector":                    {`"nodeSelector": {"zone": "a"}`, 0},
		"selector of another value":   {`"nodeSelector": {"zone": "b"}`, -1},
		"selector and affinity":       {`"nodeSelector": {"zone": "a"}, ` + affinity(term(is("size", "In", "5"))), 0},
		"selector, and not affinity":  {`"nodeSelector": {"zone": "a"}, ` + affinity(term(is("size", "In", "6"))), -1},
		"affinity, and not selector":  {`"nodeSelector": {"zone": "b"}, ` + affinity(term(is("size", "In", "5"))), -1},
		"above":                       {affinity(term(is("size", "Gt", "4"))), 0},
		"not above":                   {affinity(term(is("size", "Gt", "5"))), -1},
		"below":                       {affinity(term(is("size", "Lt", "6"))), 0},
		"below, of no number":         {affinity(term(is("zone", "Lt", "6"))), -1},
		"below, of no label":          {affinity(term(is("rack", "Lt", "6"))), -1},
		"not in, of no label":         {affinity(term(is("rack", "NotIn", "a"))), 0},
		"all of a term":               {affinity(term(is("zone", "In", "a"), is("size", "In", "6"))), -1},
		"one of two terms":            {affinity(term(is("zone", "In", "b")), term(is("size", "In", "5"))), 0},
		"none of two terms":           {affinity(term(is("zone", "In", "b")), term(is("size", "In", "6"))), -1},
		"an empty term and another":   {affinity(`{}`, term(is("zone", "In", "a"))), 0},
		"the name of the node":        {affinity(`{"matchFields": [` + is("metadata.name", "NotIn", "n") + `]}`), -1},
		"preferred affinity is none":  {`"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}}`, 0},
		"more than the node has left": {`"containers": [{"resources": {"requests": {"cpu": "4001m"}}}]`, -1},
	} {
		in, _ := readList(t, list("", podOf("p", c.spec, "")))
		if got := starts(t, in)["x/p"]; got != c.starts {
			t.Errorf("%s: starts at %v, want %v", name, got, c.starts)
		}
	}
	for name, c := range map[string]struct {
		taints, tolerations string
		starts              float64
	}{
		"no toleration":         {`{"key": "k", "value": "v", "effect": "NoSchedule"}`, ``, -1},
		"to prefer not":         {`{"key": "k", "value": "v", "effect": "PreferNoSchedule"}`, ``, 0},
		"the value":             {`{"key": "k", "value": "v", "effect": "NoSchedule"}`, `{"key": "k", "value": "v"}`, 0},
		"another value":         {`{"key": "k", "value": "v", "effect": "NoSchedule"}`, `{"key": "k", "value": "w", "operator": "Equal"}`, -1},
		"any value":             {`{"key": "k", "value": "v", "effect": "NoExecute"}`, `{"key": "k", "operator": "Exists"}`, 0},
		"another effect":        {`{"key": "k", "value": "v", "effect": "NoExecute"}`, `{"key": "k", "operator": "Exists", "effect": "NoSchedule"}`, -1},
		"everything":            {`{"key": "k", "effect": "NoExecute"}, {"key": "l", "effect": "NoSchedule"}`, `{"operator": "Exists"}`, 0},
		"one of two taints":     {`{"key": "k", "effect": "NoExecute"}, {"key": "l", "effect": "NoSchedule"}`, `{"key": "k", "operator": "Exists"}`, -1},
		"a comparison is none":  {`{"key": "k", "value": "5", "effect": "NoSchedule"}`, `{"key": "k", "value": "9", "operator": "Lt"}`, -1},
		"not reachable: closed": {`{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}`, ``, -1},
	} {
		text := strings.Replace(list("", podOf("p", `"tolerations": [`+c.tolerations+`]`, "")), `"status": {"allocatable"`, `"spec": {"taints": [`+c.taints+`]}, "status": {"allocatable"`, 1)
		in, _ := readList(t, text)
		if got := starts(t, in)["x/p"]; got != c.starts {
			t.Errorf("%s: starts at %v, want %v", name, got, c.starts)
		}
	}
}

// TestStates: pods that have ended, that end, that have a node and do not run yet, and nodes that take none.
func TestStates(t *testing.T) {
	const two, now = `"containers": [{"resources": {"requests": {"cpu": "2"}}}]`, "now=1795510800" // 2026-11-24T09:00:00Z
	on := two + `, "nodeName": "n"`
	dated := func(text, fields string) string {
		return strings.Replace(text, `"metadata": {`, `"metadata": {`+fields+`, `, 1)
	}
	waits := podOf("w", `"containers": [{"resources": {"requests": {"cpu": "3"}}}]`, "")
	for name, c := range map[string]struct {
		pod    string
		starts float64 // of a pod of 3 of the node's 4 cores; −1: never
		note   string
	}{
		"ended well":            {podOf("p", on, `, "status": {"phase": "Succeeded"}`), 0, "the pod has ended"},
		"failed":                {podOf("p", on, `, "status": {"phase": "Failed"}`), 0, "the pod has ended"},
		"runs for 4 s":          {podOf("p", on, `, "status": {"phase": "Running", "startTime": "2026-11-24T08:59:56Z"}`), 6, ""},
		"bound and pending":     {podOf("p", on, `, "status": {"phase": "Pending"}`), 10, ""},
		"runs beyond its limit": {podOf("p", on, `, "status": {"phase": "Running", "startTime": "2026-11-24T08:00:00Z"}`), 1, "runs beyond its limit"},
		"ends in 3 s":           {dated(podOf("p", on, `, "status": {"phase": "Running"}`), `"deletionTimestamp": "2026-11-24T09:00:03Z"`), 3, "is being deleted: it ends"},
		"ends in a year":        {dated(podOf("p", on, `, "status": {"phase": "Pending"}`), `"deletionTimestamp": "2027-11-24T09:00:00Z"`), 10, ""},
		"waits and is deleted":  {dated(podOf("p", two, ""), `"deletionTimestamp": "2026-11-24T09:00:03Z"`), 0, "waits and is being deleted"},
		"of a DaemonSet":        {dated(podOf("p", on, ""), `"ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": true}]`), -1, "DaemonSet or of the kubelet"},
		"of one, and waits":     {dated(podOf("p", two, ""), `"ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": true}]`), 0, "DaemonSet that waits"},
		"of the kubelet":        {dated(podOf("p", on, ""), `"annotations": {"kubernetes.io/config.mirror": "x"}`), -1, "DaemonSet or of the kubelet"},
		"on another node":       {podOf("p", strings.Replace(on, `"n"`, `"m"`, 1), ""), 0, "node is not in the files"},
		"gated":                 {podOf("p", two+`, "schedulingGates": [{"name": "g"}]`, ""), 0, "scheduling gates"},
	} {
		in, report := readList(t, list("", c.pod, waits), now)
		if got := starts(t, in)["x/w"]; got != c.starts {
			t.Errorf("%s: starts at %v, want %v", name, got, c.starts)
		}
		if c.note != "" && has(report, c.note) != 1 {
			t.Errorf("%s: no note %q in\n%v", name, c.note, report)
		}
	}
	cordoned := strings.Replace(list("", podOf("p", on, ""), podOf("q", `"tolerations": [{"operator": "Exists"}]`, ""), podOf("w", "", "")), `"status": {"allocatable"`, `"spec": {"unschedulable": true}, "status": {"allocatable"`, 1)
	in, report := readList(t, cordoned, now)
	if at := starts(t, in); at["x/p"] != 0 || at["x/q"] != -1 || at["x/w"] != -1 || has(report, "cordoned): it is closed") != 1 || has(report, "tolerates that a node is cordoned") != 1 {
		t.Errorf("%v\n%v", at, report)
	}
	unready := strings.Replace(list("", waits), `"status": {"allocatable"`, `"status": {"conditions": [{"type": "Ready", "status": "Unknown"}], "allocatable"`, 1)
	if in, report = readList(t, unready); starts(t, in)["x/w"] != -1 || has(report, "is not ready") != 1 {
		t.Errorf("%v", report)
	}
}

// TestNow: time 0 is the latest time of the files, or as asked.
func TestNow(t *testing.T) {
	text := list("", podOf("p", `"nodeName": "n"`, `, "status": {"startTime": "2026-11-24T09:00:00Z"}`))
	for setting, elapsed := range map[string]float64{"now=0": 0, "now=1795510804": 4, "now=1795510000": 0} {
		in, _ := readList(t, text, setting)
		if got := in.Jobs()[0].Node().Running.Elapsed; got != elapsed {
			t.Errorf("%s: elapsed %v, want %v", setting, got, elapsed)
		}
	}
}

// TestGangs: which pods are one job.
func TestGangs(t *testing.T) {
	member := func(name, meta, spec string) string {
		return strings.Replace(podOf(name, spec, ""), `"metadata": {`, `"metadata": {`+meta+`, `, 1)
	}
	group := func(key, name string) string { return fmt.Sprintf(`"labels": {%q: %q}`, key, name) }
	const job = `"ownerReferences": [{"kind": "Job", "name": "j", "controller": true}]`
	for name, c := range map[string]struct {
		objects  []string
		settings []string
		want     string // id × pods of each job
		note     string
	}{
		"scheduler plugins":  {[]string{member("a", group("scheduling.x-k8s.io/pod-group", "g"), ""), member("b", group("scheduling.x-k8s.io/pod-group", "g"), "")}, nil, "x/g×2", ""},
		"Volcano":            {[]string{member("a", `"annotations": {"scheduling.k8s.io/group-name": "g"}`, ""), member("b", `"annotations": {"scheduling.k8s.io/group-name": "g"}`, "")}, nil, "x/g×2", ""},
		"two groups":         {[]string{member("a", group("scheduling.x-k8s.io/pod-group", "g"), ""), member("b", group("scheduling.x-k8s.io/pod-group", "h"), "")}, nil, "x/g×1 x/h×1", ""},
		"pods of a Job":      {[]string{member("a", job, ""), member("b", job, "")}, nil, "x/a×1 x/b×1", ""},
		"pods of a Job, too": {[]string{member("a", job, ""), member("b", job, "")}, []string{"gangs=jobs"}, "x/j×2", ""},
		"a JobSet":           {[]string{member("a", group("jobset.sigs.k8s.io/jobset-name", "s"), ""), member("b", group("jobset.sigs.k8s.io/jobset-name", "s"), "")}, []string{"gangs=jobs"}, "x/s×2", ""},
		"two kinds of pods": {[]string{member("a", group("scheduling.x-k8s.io/pod-group", "g"), ""), member("b", group("scheduling.x-k8s.io/pod-group", "g"), `"containers": [{"resources": {"requests": {"cpu": "1"}}}]`)},
			nil, "x/g×1 x/g#2×1", "ask for different things"},
		"fewer will do": {[]string{`{"kind": "PodGroup", "metadata": {"name": "g", "namespace": "x"}, "spec": {"minMember": 1}}`, member("a", group("scheduling.x-k8s.io/pod-group", "g"), ""), member("b", group("scheduling.x-k8s.io/pod-group", "g"), "")},
			nil, "x/g×2", "may start with fewer pods"},
		"all of them": {[]string{`{"kind": "PodGroup", "metadata": {"name": "g", "namespace": "x"}, "spec": {"minMember": 2}}`, member("a", group("scheduling.x-k8s.io/pod-group", "g"), ""), member("b", group("scheduling.x-k8s.io/pod-group", "g"), "")},
			nil, "x/g×2", ""},
		"a manifest comes last": {[]string{member("z", `"creationTimestamp": "2026-11-24T09:00:00Z"`, ""), member("a", `"creationTimestamp": null`, "")}, nil, "x/z×1 x/a×1", ""},
	} {
		in, report := readList(t, list("", c.objects...), c.settings...)
		var got []string
		for k := range in.Jobs() {
			got = append(got, fmt.Sprintf("%s×%d", in.Jobs()[k].ID, in.Jobs()[k].Min))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
		if c.note != "" && has(report, c.note) == 0 || c.note == "" && len(report.Warnings) > 0 {
			t.Errorf("%s: note %q, got\n%v", name, c.note, report)
		}
	}
}

// TestCircumstances: what the instance leaves out is counted and named.
func TestCircumstances(t *testing.T) {
	const rule = `"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]`
	for spec, want := range map[string]string{
		`"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedule"}]`:                                                                 "topology spread that is required",
		`"topologySpreadConstraints": [{"whenUnsatisfiable": "ScheduleAnyway"}]`:                                                                "topology spread that is preferred",
		`"affinity": {"podAffinity": {` + rule + `}}`:                                                                                           "affinity to other pods that is required",
		`"affinity": {"podAntiAffinity": {` + rule + `}}`:                                                                                       "anti-affinity to other pods that is required",
		`"affinity": {"podAntiAffinity": {` + strings.Replace(rule, "required", "preferred", 1) + `}}`:                                          "anti-affinity to other pods that is preferred",
		`"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchFields": []}}]}}`: "preferred node affinity",
		`"volumes": [{"name": "v", "ephemeral": {}}]`:                                                                                           "claims of volumes",
		`"resourceClaims": [{"name": "gpu"}]`:                                                                                                   "claims of devices",
		`"containers": [{"ports": [{"hostPort": 80}]}]`:                                                                                         "a port of the node",
		`"hostNetwork": true, "containers": [{"ports": [{"containerPort": 80}]}]`:                                                               "a port of the node",
		`"schedulerName": "volcano"`:                                                                                                            "another scheduler than the default one",
		`"priority": 5`:                                                                                                                         "its priority is above that of pods that run",
	} {
		in, report := readList(t, list("", podOf("r", `"nodeName": "n"`, ""), podOf("p", spec, "")))
		if has(report, want) != 1 || len(in.Caveats()) != 1 || !strings.Contains(in.Caveats()[0], want) {
			t.Errorf("%s: no %q in\n%v", spec, want, report)
		}
	}
	if _, report := readList(t, list("", podOf("r", `"nodeName": "n"`, ""), podOf("p", `"priority": 5, "preemptionPolicy": "Never"`, ""))); len(report.Warnings) > 0 {
		t.Errorf("who preempts nobody: %v", report)
	}
	if _, report := readList(t, list("", podOf("p", "", `, "status": {"nominatedNodeName": "n"}`))); has(report, "makes room for it") != 1 {
		t.Errorf("a nominated node: %v", report)
	}
}

// TestHistories: run times of ended pods and Jobs as kubectl prints them, by the name of the owner.
func TestHistories(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.json")
	ended := `{"kind": "List", "items": [
		{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "p-1", "namespace": "x"}, "status": {"startTime": "2026-11-24T08:00:00Z", "completionTime": "2026-11-24T08:00:30Z"}},
		{"kind": "Pod", "metadata": {"name": "p-1-abc", "namespace": "x", "ownerReferences": [{"kind": "Job", "name": "p-1", "controller": true}]}, "spec": {}, "status": {"phase": "Succeeded", "startTime": "2026-11-24T08:00:00Z", "containerStatuses": [{"state": {"terminated": {"finishedAt": "2026-11-24T09:00:00Z"}}}]}},
		{"kind": "Pod", "metadata": {"name": "p-2", "namespace": "x"}, "spec": {}, "status": {"phase": "Succeeded", "startTime": "2026-11-24T08:00:00Z", "containerStatuses": [{"state": {"terminated": {"finishedAt": "2026-11-24T08:00:50Z"}}}]}},
		{"kind": "Pod", "metadata": {"name": "p-3", "namespace": "x"}, "spec": {}, "status": {"phase": "Failed", "startTime": "2026-11-24T08:00:00Z", "containerStatuses": [{"state": {"terminated": {"finishedAt": "2026-11-24T08:00:01Z"}}}]}}]}`
	if err := os.WriteFile(path, []byte(ended), 0o600); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(list("", podOf("p", "", "")), `"activeDeadlineSeconds": 10`, "", 1)
	if in, _ := readList(t, text, "history="+path); in.Jobs()[0].Work != 30 { // of 30 and 50 the lower median; what failed tells nothing, and the Job speaks for its pod
		t.Errorf("work %v", in.Jobs()[0].Work)
	}
	annotated := strings.Replace(text, `"name": "p"`, `"annotations": {"my/time": "1h30m"}, "name": "p"`, 1)
	if in, _ := readList(t, annotated, "history="+path, "runtime_annotation=my/time"); in.Jobs()[0].Work != 5400 {
		t.Errorf("work %v", in.Jobs()[0].Work)
	}
	wrong := strings.Replace(annotated, "1h30m", "soon", 1)
	if _, _, err := read([]string{"runtime_annotation=my/time"}, wrong); err == nil || err.Error() != `f.yaml: items[1]: annotation my/time: expected a run time in seconds or such as 1h30m, found "soon"` {
		t.Error(err)
	}
}

// TestKueue: flavors, cohorts and pods of Workloads.
func TestKueue(t *testing.T) {
	queue := func(name, cohort string, flavors ...string) string {
		var list []string
		for _, f := range flavors {
			flavor, amounts, _ := strings.Cut(f, ":")
			nominal, borrowing, limited := strings.Cut(amounts, "+")
			if limited {
				borrowing = `, "borrowingLimit": "` + borrowing + `"`
			}
			list = append(list, fmt.Sprintf(`{"name": %q, "resources": [{"name": "cpu", "nominalQuota": %q%s}]}`, flavor, nominal, borrowing))
		}
		return fmt.Sprintf(`{"kind": "ClusterQueue", "metadata": {"name": %q}, "spec": {"cohortName": %q, "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [%s]}]}},
			{"kind": "LocalQueue", "metadata": {"name": %[1]q, "namespace": "x"}, "spec": {"clusterQueue": %[1]q}}`, name, cohort, strings.Join(list, ","))
	}
	load := func(name, queue, set, status string) string {
		return fmt.Sprintf(`{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": %q, "namespace": "x"}, "spec": {"queueName": %q, "maximumExecutionTimeSeconds": 10,
			"podSets": [{"name": "main", %s, "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}}]}%s}`, name, queue, set, status)
	}
	const two, flavor = `"count": 2`, `{"kind": "ResourceFlavor", "metadata": {"name": "f"}, "spec": {"nodeLabels": {"zone": "%s"}}}`
	for name, c := range map[string]struct {
		objects []string
		want    map[string]float64
		note    string
	}{
		"one after the other":         {[]string{queue("q", "", "f:2"), load("a", "q", two, ""), load("b", "q", two, "")}, map[string]float64{"x/a": 0, "x/b": 10}, ""},
		"too small a quota":           {[]string{queue("q", "", "f:1"), load("a", "q", two, "")}, map[string]float64{"x/a": -1}, ""},
		"borrowed":                    {[]string{queue("q", "c", "f:1"), queue("r", "c", "f:1"), load("a", "q", two, "")}, map[string]float64{"x/a": 0}, "may borrow from its cohort"},
		"no more than the cohort has": {[]string{queue("q", "c", "f:1"), queue("r", "c", "f:1"), load("a", "q", `"count": 3`, "")}, map[string]float64{"x/a": -1}, "may borrow from its cohort"},
		"a limit of borrowing":        {[]string{queue("q", "c", "f:1+0"), queue("r", "c", "f:1"), load("a", "q", two, "")}, map[string]float64{"x/a": -1}, "quota that is lent"},
		"lent, and got back later":    {[]string{queue("q", "c", "f:1"), queue("r", "c", "f:1"), load("a", "q", two, ""), load("b", "r", `"count": 1`, "")}, map[string]float64{"x/a": 0, "x/b": 10}, "may borrow from its cohort"},
		"a flavor of its nodes":       {[]string{fmt.Sprintf(flavor, "a"), queue("q", "", "f:4"), load("a", "q", two, "")}, map[string]float64{"x/a": 0}, ""},
		"a flavor of other nodes":     {[]string{fmt.Sprintf(flavor, "b"), queue("q", "", "f:4"), load("a", "q", two, "")}, map[string]float64{"x/a": -1}, ""},
		"several flavors":             {[]string{queue("q", "", "f:1", "g:1"), load("a", "q", two, ""), load("b", "q", `"count": 1`, "")}, map[string]float64{"x/a": 0, "x/b": 10}, "may take one of several flavors"},
		"fewer pods will do":          {[]string{queue("q", "", "f:2"), load("a", "q", two+`, "minCount": 1`, "")}, map[string]float64{"x/a": 0}, "may start with fewer pods"},
		"ended":                       {[]string{queue("q", "", "f:2"), load("a", "q", two, `, "status": {"conditions": [{"type": "Finished", "status": "True"}]}`), load("b", "q", two, "")}, map[string]float64{"x/b": 0}, "the Workload has ended"},
		"a queue that is stopped":     {[]string{strings.Replace(queue("q", "", "f:2"), `"clusterQueue": "q"`, `"clusterQueue": "q", "stopPolicy": "Hold"`, 1), load("a", "q", two, "")}, map[string]float64{}, "queue is stopped"},
		"no such queue":               {[]string{load("a", "z", two, "")}, map[string]float64{"x/a": 0}, "is not in the files"},
		"a Workload of another group": {[]string{strings.Replace(load("a", "q", two, ""), "kueue.x-k8s.io/v1beta2", "scheduling.k8s.io/v1alpha1", 1), podOf("p", "", "")}, map[string]float64{"x/p": 0}, "object of kind scheduling.k8s.io/v1alpha1 Workload"},
	} {
		in, report := readList(t, list("", c.objects...))
		if diff := cmp.Diff(c.want, starts(t, in)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if c.note != "" && has(report, c.note) == 0 || c.note == "" && len(report.Warnings) > 0 {
			t.Errorf("%s: note %q, got\n%v", name, c.note, report)
		}
	}
}

// TestQueues: each ClusterQueue of the files is a partition, in which its Workloads wait, whatever LocalQueue they came by; a queue that is not in the files is none.
func TestQueues(t *testing.T) {
	queue := func(name, policy string) string {
		return fmt.Sprintf(`{"kind": "ClusterQueue", "metadata": {"name": %q}, "spec": {"resourceGroups": []%s}}`, name, policy)
	}
	local := func(namespace, name, of string) string {
		return fmt.Sprintf(`{"kind": "LocalQueue", "metadata": {"name": %q, "namespace": %q}, "spec": {"clusterQueue": %q}}`, name, namespace, of)
	}
	load := func(namespace, name, queue string) string {
		return fmt.Sprintf(`{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": %q, "namespace": %q}, "spec": {"queueName": %q, "maximumExecutionTimeSeconds": 10,
			"podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}}]}}`, name, namespace, queue)
	}
	in, _ := readList(t, list("", queue("prod", ""), queue("batch", `, "stopPolicy": "Hold"`), queue("dev", ""), local("x", "fast", "prod"), local("y", "main", "prod"), local("x", "slow", "dev"), local("x", "lost", "gone"),
		load("x", "a", "fast"), load("y", "b", "main"), load("x", "c", "slow"), load("x", "d", "lost"), podOf("e", "", "")))
	want := []model.PartitionSpec{{ID: "batch", Closed: true}, {ID: "dev"}, {ID: "prod"}}
	if diff := cmp.Diff(want, in.Partitions()); diff != "" {
		t.Error(diff)
	}
	got := map[string][2]string{}
	for k := range in.Jobs() {
		got[in.Jobs()[k].ID] = [2]string{in.Jobs()[k].Queue(), in.Jobs()[k].Group()}
	}
	if diff := cmp.Diff(map[string][2]string{"x/a": {"prod", "x/fast"}, "y/b": {"prod", "y/main"}, "x/c": {"dev", "x/slow"}, "x/d": {"x/lost"}, "x/e": {}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestReport: the whole report and the whole instance of the samples.
func TestReport(t *testing.T) {
	in, report, err := read(nil, file(t, "small.yaml"), file(t, "kueue.yaml"), list("", podOf("old", "", `, "status": {"phase": "Succeeded"}`), podOf("spread", `"topologySpreadConstraints": [{}]`, "")))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	fmt.Fprintln(&got, report)
	if err := model.WriteInstance(&got, in); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "report.txt")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(file(t, "report.txt"), got.String()); diff != "" {
		t.Errorf("%s; -update rewrites it\n%s", path, diff)
	}
}

// TestHostile: whatever the value of a field is, an error names the file and the path. Each field of the samples in turn has each of some values.
func TestHostile(t *testing.T) {
	values := []string{`null`, `true`, `-1`, `1e300`, `""`, `"x"`, `"1e99"`, `[]`, `[null]`, `{}`, `{"a": {}}`, `"\u0000"`}
	text := list(`, "x.y/gpu": "8"`, podOf("p", `"containers": [{"resources": {"limits": {"x.y/gpu": "1"}}}], "nodeSelector": {"zone": "a"}, "tolerations": [{"key": "k", "operator": "Exists"}], "priority": 1, "nodeName": "n"`,
		`, "status": {"phase": "Running", "startTime": "2026-11-24T09:00:00Z"}`))
	fields := slices.Collect(strings.SplitSeq(text, `"`))
	wrong := 0
	for k := 1; k < len(fields); k += 2 { // what stands between two quotation marks
		for _, value := range values {
			rest := strings.Join(fields[k+1:], `"`)
			changed := strings.Join(fields[:k], `"`) + value + rest
			if strings.HasPrefix(rest, ": ") { // the name of a field: its value is changed if it is a text
				continue
			}
			in, report, err := read(nil, changed)
			readertest.Check(t, "f.yaml", in, report, err)
			if err != nil {
				wrong++
				if !strings.HasPrefix(err.Error(), "f.yaml: ") {
					t.Errorf("%s in the place of %q: %v", value, fields[k], err)
				}
			}
		}
	}
	if wrong < 100 {
		t.Errorf("%d of the texts are wrong", wrong)
	}
	for levels, want := range map[int]bool{90: false, 110: true} {
		for _, deep := range []string{strings.Repeat(`{"a": `, levels) + "1" + strings.Repeat("}", levels), strings.Repeat("[", levels) + strings.Repeat("]", levels)} {
			_, _, err := read(nil, list("", podOf("p", `"x": `+deep, "")))
			if got := err != nil && strings.Contains(err.Error(), "expected at most 100 levels, found more"); got != want {
				t.Errorf("%d levels: %v", levels, err)
			}
		}
	}
}

// FuzzHistory: any file of run times is read or refused.
func FuzzHistory(f *testing.F) {
	f.Add("namespace,name,runtime\nx,p-abc12,30\n")
	f.Add("name,runtime\np,-1\n")
	f.Add(`{"kind": "Job", "metadata": {"name": "p"}, "status": {"startTime": "2026-11-24T08:00:00Z", "completionTime": "2026-11-24T08:00:30Z"}}`)
	f.Add("apiVersion: batch/v1\nkind: Job\nmetadata: {name: p}\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "h")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := kubernetes.NewReader()
		r.History = path
		in, report, err := r.Read(strings.NewReader(list("", podOf("p", "", ""))), "x")
		if err == nil {
			readertest.Check(t, "x", in, report, nil)
		}
	})
}
