package kubernetes_test

import (
	"fmt"
	"strings"
	"testing"
)

// aNode is a node of 4 cores, with more in its spec, its labels and what it can give.
func aNode(name, spec, labels, gives string) string {
	return fmt.Sprintf(`{"kind": "Node", "metadata": {"name": %q, "labels": {"host": %q%s}}, "spec": {%s}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"%s},
		"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-24T09:00:00Z"}]}}`, name, name, labels, spec, gives)
}

// aPod is a pod that asks for cores for 100 s, with more in its metadata, its spec and its status; without a phase in the status it waits.
func aPod(name, cores, meta, spec, status string) string {
	if !strings.Contains(status, "phase") {
		status = `"phase": "Pending"` + status
	}
	return fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": %q, "namespace": "x", "annotations": {"allot.dev/runtime": "100"}%s}, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": %q}}}]%s}, "status": {%s}}`,
		name, meta, cores, spec, status)
}

// withContainers is a pod whose containers are given whole.
func withContainers(name, containers, spec string) string {
	return fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": %q, "namespace": "x", "annotations": {"allot.dev/runtime": "100"}}, "spec": {"containers": [%s]%s}, "status": {"phase": "Pending"}}`, name, containers, spec)
}

// What nodes and pods say decides when a pod of the name q starts: at 0, at 100 when another ends, or never.
func TestWhatPodsAskFor(t *testing.T) {
	const running, started = `"phase": "Running", "startTime": "2026-11-24T09:00:00Z"`, `, "nodeName": "n"`
	plain := aNode("n", "", "", "")
	ask := func(cpu string) string {
		return `{"name": "c", "resources": {"requests": {"cpu": "` + cpu + `"}, "limits": {"cpu": "9"}}}`
	}
	affinity := func(terms string) string {
		return `, "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [` + terms + `]}}}`
	}
	expression := func(key, operator, values string) string {
		return affinity(`{"matchExpressions": [{"key": "` + key + `", "operator": "` + operator + `", "values": [` + values + `]}]}`)
	}
	labelled := aNode("n", "", `, "zone": "a", "generation": "7"`, "")
	tainted := aNode("n", `"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]`, "", "")
	tolerates := func(text string) string { return `, "tolerations": [{` + text + `}]` }
	for _, c := range []struct {
		name    string
		objects []string
		start   float64
	}{
		{"room", []string{plain, aPod("q", "4", "", "", "")}, 0},
		{"a running pod is in the way", []string{plain, aPod("r", "2", "", started, running), aPod("q", "4", "", "", "")}, 100},
		{"a pod with a node has it, though it has not begun", []string{plain, aPod("r", "2", "", started, ""), aPod("q", "4", "", "", "")}, 100},
		{"an ended pod holds nothing", []string{plain, aPod("r", "4", "", started, `"phase": "Succeeded"`), aPod("f", "4", "", started, `"phase": "Failed"`), aPod("q", "4", "", "", "")}, 0},
		{"a pod of a DaemonSet stays for ever", []string{plain, aPod("d", "1", `, "ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": true, "apiVersion": "apps/v1"}]`, started, running), aPod("q", "4", "", "", "")}, -1},
		{"and leaves the rest", []string{plain, aPod("d", "1", `, "ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": true, "apiVersion": "apps/v1"}]`, started, running), aPod("q", "3", "", "", "")}, 0},
		{"a pod of the kubelet stays for ever", []string{plain, strings.Replace(aPod("m", "1", "", started, running), `"allot.dev/runtime": "100"`, `"kubernetes.io/config.mirror": "x"`, 1), aPod("q", "4", "", "", "")}, -1},
		{"a cordoned node takes nobody", []string{aNode("n", `"unschedulable": true`, "", ""), aPod("q", "1", "", "", "")}, -1},
		{"limits do not count beside requests", []string{plain, withContainers("q", ask("2")+","+ask("2"), "")}, 0},
		{"containers add up", []string{plain, withContainers("q", ask("2")+","+ask("2100m"), "")}, -1},
		{"a limit counts where there is no request", []string{plain, withContainers("q", `{"name": "c", "resources": {"limits": {"cpu": "5"}}}`, "")}, -1},
		{"an init container may need more", []string{plain, withContainers("q", ask("1"), `, "initContainers": [`+ask("5")+`]`)}, -1},
		{"and does not add up with what comes later", []string{plain, withContainers("q", ask("2"), `, "initContainers": [`+ask("4")+`]`)}, 0},
		{"a sidecar adds up", []string{plain, withContainers("q", ask("3"), `, "initContainers": [{"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "2"}}}]`)}, -1},
		{"so does the overhead", []string{plain, aPod("q", "4", "", `, "overhead": {"cpu": "100m"}`, "")}, -1},
		{"a request of the pod counts in place of its containers'", []string{plain, withContainers("q", ask("1"), `, "resources": {"requests": {"cpu": "5"}}`)}, -1},
		{"a limit of the pod does not, where they state requests", []string{plain, withContainers("q", ask("1"), `, "resources": {"limits": {"cpu": "5"}}`)}, 0},
		{"but does where one of them states none", []string{plain, withContainers("q", ask("1")+`, {"name": "d"}`, `, "resources": {"limits": {"cpu": "5"}}`)}, -1},
		{"quantities", []string{plain, aPod("q", "4000m", "", "", "")}, 0},
		{"quantities, a little more", []string{plain, aPod("q", "4001m", "", "", "")}, -1},
		{"exponents", []string{plain, aPod("q", "4e0", "", "", "")}, 0},
		{"parts of a GPU by name", []string{aNode("n", "", "", `, "nvidia.com/mig-1g.5gb": "2"`), withContainers("q", `{"name": "c", "resources": {"limits": {"nvidia.com/mig-1g.5gb": "2"}}}`, "")}, 0},
		{"too many of them", []string{aNode("n", "", "", `, "nvidia.com/mig-1g.5gb": "2"`), withContainers("q", `{"name": "c", "resources": {"limits": {"nvidia.com/mig-1g.5gb": "3"}}}`, "")}, -1},
		{"a selector", []string{labelled, aPod("q", "1", "", `, "nodeSelector": {"zone": "a"}`, "")}, 0},
		{"a selector of another value", []string{labelled, aPod("q", "1", "", `, "nodeSelector": {"zone": "b"}`, "")}, -1},
		{"In", []string{labelled, aPod("q", "1", "", expression("zone", "In", `"b", "a"`), "")}, 0},
		{"In others", []string{labelled, aPod("q", "1", "", expression("zone", "In", `"b", "c"`), "")}, -1},
		{"NotIn", []string{labelled, aPod("q", "1", "", expression("zone", "NotIn", `"b"`), "")}, 0},
		{"NotIn, and it is", []string{labelled, aPod("q", "1", "", expression("zone", "NotIn", `"a"`), "")}, -1},
		{"NotIn a label that is missing", []string{plain, aPod("q", "1", "", expression("zone", "NotIn", `"a"`), "")}, 0},
		{"Exists", []string{labelled, aPod("q", "1", "", expression("zone", "Exists", ""), "")}, 0},
		{"Exists, and does not", []string{plain, aPod("q", "1", "", expression("zone", "Exists", ""), "")}, -1},
		{"DoesNotExist", []string{plain, aPod("q", "1", "", expression("zone", "DoesNotExist", ""), "")}, 0},
		{"DoesNotExist, and does", []string{labelled, aPod("q", "1", "", expression("zone", "DoesNotExist", ""), "")}, -1},
		{"Gt", []string{labelled, aPod("q", "1", "", expression("generation", "Gt", `"6"`), "")}, 0},
		{"Gt the same", []string{labelled, aPod("q", "1", "", expression("generation", "Gt", `"7"`), "")}, -1},
		{"Lt", []string{labelled, aPod("q", "1", "", expression("generation", "Lt", `"10"`), "")}, 0},
		{"Lt a smaller one", []string{labelled, aPod("q", "1", "", expression("generation", "Lt", `"5"`), "")}, -1},
		{"one of two terms", []string{labelled, aPod("q", "1", "", affinity(`{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}, {"matchExpressions": [{"key": "generation", "operator": "Exists"}]}`), "")}, 0},
		{"both parts of a term", []string{labelled, aPod("q", "1", "", affinity(`{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}, {"key": "generation", "operator": "Exists"}]}`), "")}, -1},
		{"a taint", []string{tainted, aPod("q", "1", "", "", "")}, -1},
		{"a taint that is only preferred", []string{strings.Replace(tainted, "NoSchedule", "PreferNoSchedule", 1), aPod("q", "1", "", "", "")}, 0},
		{"tolerated by value", []string{tainted, aPod("q", "1", "", tolerates(`"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"`), "")}, 0},
		{"tolerated with another value", []string{tainted, aPod("q", "1", "", tolerates(`"key": "gpu", "value": "no"`), "")}, -1},
		{"tolerated if it exists", []string{tainted, aPod("q", "1", "", tolerates(`"key": "gpu", "operator": "Exists"`), "")}, 0},
		{"tolerated with another effect", []string{tainted, aPod("q", "1", "", tolerates(`"key": "gpu", "operator": "Exists", "effect": "NoExecute"`), "")}, -1},
		{"everything is tolerated", []string{tainted, aPod("q", "1", "", tolerates(`"operator": "Exists"`), "")}, 0},
	} {
		in, _, err := read(nil, `{"kind": "List", "items": [`+strings.Join(c.objects, ",")+`]}`)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := starts(t, in)["x/q"]; got != c.start {
			t.Errorf("%s: starts at %v, expected %v", c.name, got, c.start)
		}
	}
}

// What an instance cannot express is counted and named.
func TestTolerationsThatCompareAreCounted(t *testing.T) {
	_, report, err := read(nil, `{"kind": "List", "items": [`+aNode("n", "", "", "")+","+aPod("q", "1", "", `, "tolerations": [{"key": "age", "operator": "Gt", "value": "5"}]`, "")+`]}`)
	if err != nil || !strings.Contains(report.String(), "tolerations that compare values") {
		t.Errorf("%v\n%s", err, report)
	}
}
