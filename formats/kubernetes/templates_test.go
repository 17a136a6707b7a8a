package kubernetes_test

import (
	"fmt"
	"strings"
	"testing"
)

// Pods that objects describe and that are not created yet are counted, and a warning names some of the objects: all those below have a waiting pod beside them.
func TestPodsThatAreNotCreatedYet(t *testing.T) {
	const template = `"template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}}`
	object := func(kind, name, spec, status string) string {
		return fmt.Sprintf(`{"apiVersion": "%s/v1", "kind": "%s", "metadata": {"name": "%s", "namespace": "x"}, "spec": {%s%s}, "status": {%s}}`, map[string]string{"Job": "batch", "TrainJob": "z"}[kind], kind, name, spec, template, status)
	}
	owned := func(name, kind, owner, labels, rest string) string {
		return strings.Replace(podOf(name, "", rest), `"namespace": "x"`, fmt.Sprintf(`"namespace": "x", "labels": {%s}, "ownerReferences": [{"kind": "%s", "name": "%s", "controller": true}]`, labels, kind, owner), 1)
	}
	const ended = `, "status": {"phase": "Succeeded"}`
	for name, c := range map[string]struct {
		objects []string
		want    string // begin of the warning; empty: none
	}{
		"a Job without pods":             {[]string{object("Job", "j", `"parallelism": 2, "completions": 5, `, "")}, "5 pods that 1 object describe are not in the files (Job x/j: 5)"},
		"a Job of one pod":               {[]string{object("Job", "j", "", "")}, "1 pod that 1 object describe"},
		"a Job some of whose pods ended": {[]string{object("Job", "j", `"completions": 5, "parallelism": 2, `, `"succeeded": 2`), owned("j-1", "Job", "j", "", ""), owned("j-0", "Job", "j", "", ended)}, "2 pods that 1 object describe"},
		"a Job all of whose pods ended":  {[]string{object("Job", "j", `"completions": 2, `, `"succeeded": 2`)}, ""},
		"a Job with pods to spare":       {[]string{object("Job", "j", `"completions": 2, `, `"succeeded": 3`)}, ""},
		"a Job with all its pods":        {[]string{object("Job", "j", "", ""), owned("j-1", "Job", "j", "", "")}, ""},
		"a Job that has ended":           {[]string{object("Job", "j", `"completions": 5, `, `"conditions": [{"type": "Complete", "status": "True"}]`)}, ""},
		"a Job that has failed":          {[]string{object("Job", "j", `"completions": 5, `, `"conditions": [{"type": "Failed", "status": "True"}]`)}, ""},
		"a Job that ended long ago":      {[]string{object("Job", "j", "", `"completionTime": "2026-11-24T09:30:00Z"`)}, ""},
		"a queue of work":                {[]string{object("Job", "j", `"parallelism": 3, `, `"succeeded": 1`)}, ""},
		"a suspended Job":                {[]string{object("Job", "j", `"suspend": true, `, "")}, ""},
		"a Deployment":                   {[]string{object("Deployment", "d", `"replicas": 3, `, ""), owned("p", "ReplicaSet", "d-7f", `"pod-template-hash": "7f"`, "")}, "2 pods that 1 object describe are not in the files (Deployment x/d: 2)"},
		"and its ReplicaSet": {[]string{object("Deployment", "d", `"replicas": 3, `, ""), strings.Replace(object("ReplicaSet", "d-7f", `"replicas": 3, `, ""), `"namespace": "x"`, `"namespace": "x", "ownerReferences": [{"kind": "Deployment", "name": "d"}]`, 1)},
			"3 pods that 1 object describe"},
		"without its Deployment":     {[]string{strings.Replace(object("ReplicaSet", "d-7f", `"replicas": 3, `, ""), `"namespace": "x"`, `"namespace": "x", "ownerReferences": [{"kind": "Deployment", "name": "d"}]`, 1)}, "3 pods that 1 object describe"},
		"a StatefulSet of one":       {[]string{object("StatefulSet", "s", "", "")}, "1 pod that 1 object describe are not in the files (StatefulSet x/s: 1)"},
		"scaled to none":             {[]string{object("StatefulSet", "s", `"replicas": 0, `, "")}, ""},
		"of another kind":            {[]string{object("TrainJob", "t", "", "")}, "pods that 1 object describe are not in the files (TrainJob x/t: not known how many)"},
		"of another kind, with pods": {[]string{object("TrainJob", "t", "", ""), owned("p", "TrainJob", "t", "", "")}, ""},
		"of another kind, of whose suspended Job there are pods": {[]string{object("TrainJob", "t", "", ""), strings.Replace(object("Job", "t-1", `"suspend": true, `, ""), `"namespace": "x"`, `"namespace": "x", "ownerReferences": [{"kind": "TrainJob", "name": "t"}]`, 1),
			owned("p", "Job", "t-1", "", ended)}, ""},
		"deep within":            {[]string{`{"kind": "Deep", "metadata": {"name": "d", "namespace": "x"}, "spec": ` + strings.Repeat(`{"a": [`, 9) + "{" + template + "}" + strings.Repeat("]}", 9) + "}"}, "pods that 1 object describe are not in the files (Deep x/d: not known how many)"},
		"both":                   {[]string{object("TrainJob", "t", "", ""), object("Job", "j", "", "")}, "1 pod that 1 object describe and those of 1 more are not in the files (TrainJob x/t: not known how many, Job x/j: 1)"},
		"many":                   {[]string{object("Job", "a", "", ""), object("Job", "b", "", ""), object("Job", "c", "", ""), object("Job", "d", "", "")}, "4 pods that 4 objects describe are not in the files (Job x/a: 1, Job x/b: 1, Job x/c: 1, and of 1 more)"},
		"an object without pods": {[]string{`{"kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": [{"port": 1}]}}`}, ""},
		"a CronJob and a Job that it made": {[]string{`{"kind": "CronJob", "metadata": {"name": "c", "namespace": "x"}, "spec": {"jobTemplate": {"spec": {` + template + `}}}}`,
			strings.Replace(object("Job", "c-1", "", ""), `"namespace": "x"`, `"namespace": "x", "ownerReferences": [{"kind": "CronJob", "name": "c"}]`, 1), owned("p", "Job", "c-1", "", "")}, ""},
	} {
		in, report := readList(t, list("", append(c.objects, podOf("waits", "", ""))...))
		got := strings.Join(in.Caveats(), "; ")
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: warns %q, want %q", name, got, c.want)
		}
		if c.want != "" && has(report, "not created yet")+has(report, "describes pods") == 0 {
			t.Errorf("%s: %v", name, report)
		}
		if strings.Contains(c.objects[0], "Service") && has(report, "object of kind Service") != 1 {
			t.Errorf("%s: %v", name, report)
		}
	}
}

// A taint that only asks pods to go elsewhere is counted.
func TestTaintThatPrefers(t *testing.T) {
	node := `{"kind": "Node", "metadata": {"name": "n2"}, "spec": {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}}`
	if in, report := readList(t, list("", node, podOf("p", "", ""))); has(report, "PreferNoSchedule") != 1 || len(in.Caveats()) > 0 {
		t.Errorf("%v, %v", report, in.Caveats())
	}
}

// A node without room for any pod is closed, and one that is full is open.
func TestNodesWithoutRoom(t *testing.T) {
	for pods, c := range map[string]struct{ busy, closed int }{"0": {0, 1}, "1": {3, 0}, "2": {2, 0}, "3": {2, 0}, "4": {0, 0}} {
		objects := []string{`{"kind": "Node", "metadata": {"name": "n2"}, "status": {"allocatable": {"cpu": "4", "pods": "` + pods + `"}}}`, podOf("waits", "", "")}
		for k := range c.busy {
			objects = append(objects, podOf(string(rune('a'+k)), `"nodeName": "n2"`, `, "status": {"phase": "Running", "startTime": "2026-11-24T09:00:00Z"}`))
		}
		in, report := readList(t, list("", objects...))
		if units, want := in.Clusters()[0].Machines[1].Units, max(1, c.busy, int(pods[0]-'0')); units != want {
			t.Errorf("%s pods, %d run: %d processors, expected %d", pods, c.busy, units, want)
		}
		if got := len(in.Clusters()[0].Machines[1].Closed()); got != c.closed || has(report, "without room for any pod") != c.closed {
			t.Errorf("%s pods, %d run: %d closed times, %v", pods, c.busy, got, report)
		}
	}
}
