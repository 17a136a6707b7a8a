package model_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

func TestWithJob(t *testing.T) {
	b := model.NewBuilder("small").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).
		Job(model.JobSpec{ID: "a", Work: new(3.0)}, model.JobSpec{ID: "b", Estimate: new(4.0), After: []string{"a"}})
	b.Spec().Licences = map[string]int{"l": 1}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	job, err := model.ReadJob(strings.NewReader(`{"id": "c", "work": 5, "arrival": 2, "licences": {"l": 1}, "after": ["b"]}`), "job.json")
	if err != nil {
		t.Fatal(err)
	}
	more, err := in.WithJob(*job, "job.json")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(more.Jobs()); n != 3 || len(in.Jobs()) != 2 || more.Jobs()[2].ID != "c" || more.Jobs()[2].After[0] != 1 || more.Jobs()[0].Work != 3 {
		t.Errorf("%d jobs, the last %+v", n, more.Jobs()[n-1])
	}
}

func TestWithJobSaysWhatIsWrong(t *testing.T) {
	in, err := model.NewBuilder("small").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(model.JobSpec{ID: "a", Work: new(3.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"id": "a", "work": 1}`:                 `job.json: id: expected a unique id, found "a" again`,
		`{"id": "b"}`:                            `job.json: expected one of work, runtime and estimate, found none`,
		`{"id": "b", "work": 1, "after": ["x"]}`: `job.json: after[0]: expected the id of a job, found "x"`,
		`{"id": "b", "work": -1}`:                `job.json: work: expected 0 or a number`,
		`{"id": "b", "wurk": 1}`:                 `job.json: wurk: unknown field`,
		`[]`:                                     `job.json: expected an object`,
		``:                                       `job.json: expected a JSON value, found an empty file`,
		`{"id": "b", "work": 1, "runtime":{"z": 1}}`: `job.json: runtime.z: expected the id of a cluster, found "z"`,
	} {
		job, err := model.ReadJob(strings.NewReader(text), "job.json")
		if err == nil {
			_, err = in.WithJob(*job, "job.json")
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
