package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// written is what WriteInstance writes.
func written(t rapid.TB, in *model.Instance) string {
	t.Helper()
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// hashed is the SHA-256 of a text in hexadecimal.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// reread reads a text that was written.
func reread(t rapid.TB, text string) *model.Instance {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(text), "written")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return in
}

// same says whether two instances have the same attributes, NaN and all.
func same(a, b *model.Instance) bool {
	return reflect.DeepEqual(a.Units(), b.Units()) && reflect.DeepEqual(a.ObjectiveTerms(), b.ObjectiveTerms()) && a.StatedWeights() == b.StatedWeights() &&
		reflect.DeepEqual(a.UserClasses(), b.UserClasses()) && reflect.DeepEqual(a.Licences(), b.Licences()) &&
		a.Queueing() == b.Queueing() && reflect.DeepEqual(a.Workflows(), b.Workflows()) && a.Name() == b.Name() &&
		reflect.DeepEqual(a.Tariff(), b.Tariff()) && a.Features() == b.Features() && a.Processors() == b.Processors() && a.FirstArrival() == b.FirstArrival() &&
		sameClusters(a, b) && sameJobs(a, b)
}

// sameClusters compares clusters and what they can run.
func sameClusters(a, b *model.Instance) bool {
	if !reflect.DeepEqual(a.Clusters(), b.Clusters()) {
		return false
	}
	for c := range a.Clusters() {
		for l := range a.Licences() {
			copiesA, ownA := a.Pool(c, l)
			copiesB, ownB := b.Pool(c, l)
			if copiesA != copiesB || ownA != ownB {
				return false
			}
		}
	}
	return true
}

// sameJobs compares jobs by all that the rest of the program sees of them: fields, successors and times.
func sameJobs(a, b *model.Instance) bool {
	if len(a.Jobs()) != len(b.Jobs()) {
		return false
	}
	equal := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	for j := range a.Jobs() {
		p, q := a.Jobs()[j], b.Jobs()[j]
		for c := range a.Clusters() {
			if a.CannotRun(j, c) != b.CannotRun(j, c) || !equal(a.Busy(j, c, 2, 3), b.Busy(j, c, 2, 3)) {
				return false
			}
		}
		if p.User() != q.User() || p.Group() != q.Group() || p.Queue() != q.Queue() {
			return false
		}
		if !equal(p.Estimate, q.Estimate) || p.StatesRuntimes() != q.StatesRuntimes() || !reflect.DeepEqual(a.Successors(j), b.Successors(j)) {
			return false
		}
		pv, qv := reflect.ValueOf(p), reflect.ValueOf(q)
		for _, f := range reflect.VisibleFields(pv.Type()) {
			if f.IsExported() && !f.Anonymous && f.Name != "Estimate" && !reflect.DeepEqual(pv.FieldByIndex(f.Index).Interface(), qv.FieldByIndex(f.Index).Interface()) {
				return false
			}
		}
	}
	return true
}

// checkRoundTrip demands that writing and reading lose nothing and that the hash is that of what is written.
func checkRoundTrip(t *rapid.T, g modeltest.Generator) {
	in := g.Instance(t)
	text := written(t, in)
	if in.SHA256() != hashed(text) {
		t.Fatalf("SHA256 of a built instance is not that of what is written:\n%s", text)
	}
	again := reread(t, text)
	if again.SHA256() != in.SHA256() {
		t.Fatalf("SHA256 differs after reading:\n%s", text)
	}
	if !same(in, again) {
		t.Fatalf("the instance that is read is not the one written:\n%s", text)
	}
	if twice := written(t, again); twice != text {
		t.Fatalf("written first\n%s\nand then\n%s", text, twice)
	}
}

func TestInstanceRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, modeltest.Generator{Features: modeltest.AllFeatures}) })
}

func TestInstanceRoundTripOfWildNumbersAndNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrip(t, modeltest.Generator{Features: modeltest.AllFeatures | modeltest.NodeFeatures | modeltest.PowerFeatures, Wild: true})
	})
}

func TestSolutionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := modeltest.Generator{Features: modeltest.AllFeatures | modeltest.NodeFeatures | modeltest.PowerFeatures, Wild: rapid.Bool().Draw(t, "wild")}
		in := g.Instance(t)
		sol := drawSolution(t, in)
		if bound := rapid.Float64().Draw(t, "bound"); bound != 0 {
			sol.Bound = model.ProvedBound(bound)
		}
		var first, second bytes.Buffer
		if err := model.WriteSolution(&first, sol); err != nil {
			t.Fatal(err)
		}
		again, err := model.ReadSolution(bytes.NewReader(first.Bytes()), "written")
		if err != nil {
			t.Fatalf("%v\n%s", err, first.String())
		}
		if !reflect.DeepEqual(sol, again) {
			t.Fatalf("wrote\n%+v\nread\n%+v", sol, again)
		}
		if err := model.WriteSolution(&second, again); err != nil || first.String() != second.String() {
			t.Fatalf("written first\n%s\nand then (%v)\n%s", first.String(), err, second.String())
		}
		if a, b := model.Check(in, sol), model.Check(in, again); !reflect.DeepEqual(a.Violations, b.Violations) || a.Objective != b.Objective || !reflect.DeepEqual(a.Metrics, b.Metrics) {
			t.Fatalf("checked first\n%+v\nand then\n%+v", a, b)
		}
	})
}

// What equals its default is left out, and a file that states it is the same instance.
func TestCanonicalFormLeavesOutDefaults(t *testing.T) {
	in := reread(t, `{"schema": "allot/instance/1", "objective": {"makespan": 1}, "weights": {"makespan": 1}, "units": {}, "licences": {},
		"clusters": [{"id": "c", "allocation": "processor", "machines": [{"id": "m", "count": 1, "processors": 1, "speed": 1, "cost": 0}]}],
		"jobs": [{"id": "j", "arrival": 0, "processors": {"min": 1, "max": 1}, "tasks": 1, "work": 3, "work_cv": 0, "reference_speed": 1,
			"span": "cluster", "memory": 0, "deadline_hard": false, "after": []}]}`)
	want := `{
 "schema": "allot/instance/1",
 "clusters": [
  {"id":"c","machines":[{"id":"m"}]}
 ],
 "jobs": [
  {"id":"j","work":3}
 ]
}
`
	if got := written(t, in); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The instance must not change when its maker goes on working with the spec.
func TestInstanceSharesNothingWithItsSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := modeltest.Generator{Features: modeltest.AllFeatures}.Spec(t)
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		before := written(t, in)
		scramble(reflect.ValueOf(&spec).Elem())
		if after := written(t, in); after != before {
			t.Fatalf("before\n%s\nafter\n%s", before, after)
		}
	})
}

// scramble overwrites every number and text that can be reached, and empties every map.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scramble(v.Elem())
		}
	case reflect.Struct:
		for k := range v.NumField() {
			scramble(v.Field(k))
		}
	case reflect.Slice:
		for k := range v.Len() {
			scramble(v.Index(k))
		}
	case reflect.Map:
		v.Clear()
	case reflect.Float64:
		v.SetFloat(-7)
	case reflect.Int:
		v.SetInt(-7)
	case reflect.String:
		v.SetString("scrambled")
	}
}

func TestScatteredProcessorsAreReadBack(t *testing.T) {
	b := model.NewBuilder("scattered").
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 60000}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0), Processors: model.Rigid(30000)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int, 30000)
	for k := range ids {
		ids[k] = 2 * k
	}
	sol := &model.Solution{Jobs: []model.Placement{{Job: "a", Cluster: "c", Processors: model.Processors(ids...), End: 1}}}
	var text bytes.Buffer
	if err := model.WriteSolution(&text, sol); err != nil {
		t.Fatal(err)
	}
	again, err := model.ReadSolution(&text, "scattered.json")
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, again); !report.OK() {
		t.Error(report.Violations[0])
	}
}

// TestUsersGroupsAndQueues: any names go through a file, and jobs of the same ones share them, so that a job is one pointer larger only.
func TestUsersGroupsAndQueues(t *testing.T) {
	names := rapid.SampledFrom([]string{"", "a", "b", "größe", " ", "\"\u2028\n"})
	rapid.Check(t, func(t *rapid.T) {
		work := 1.0
		b := model.NewBuilder("names").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		var want [][3]string
		for k := range rapid.IntRange(1, 5).Draw(t, "jobs") {
			n := [3]string{names.Draw(t, "user"), names.Draw(t, "group"), names.Draw(t, "queue")}
			want = append(want, n)
			b.Job(model.JobSpec{ID: strconv.Itoa(k), Work: &work, User: n[0], Group: n[1], Queue: n[2]})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		again := reread(t, written(t, in))
		for k := range want {
			for _, j := range []*model.Job{&in.Jobs()[k], &again.Jobs()[k]} {
				if got := [3]string{j.User(), j.Group(), j.Queue()}; got != want[k] {
					t.Fatalf("got %q, want %q", got, want[k])
				}
			}
			if s := in.JobSpec(k); [3]string{s.User, s.Group, s.Queue} != want[k] {
				t.Fatalf("got %+v, want %q", s, want[k])
			}
		}
	})
}
