package model_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// parted is an instance of two clusters and four partitions.
func parted(t *testing.T) *model.Instance {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(`{"schema":"allot/instance/1",
		"partitions":[{"id":"normal","clusters":["a"],"limit":100,"machines":2},{"id":"small","clusters":["a"],"feature":"partition small"},
			{"id":"gpu","clusters":["b"],"licence":"partition gpu"},{"id":"down","clusters":["b"],"closed":true},{"id":"any"}],
		"clusters":[{"id":"a","machines":[{"id":"m","count":4,"features":["partition small"]}]},{"id":"b","machines":[{"id":"m","count":2,"licences":["partition gpu"]}]}],
		"jobs":[]}`), "f")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestInPartition: what a job states in each partition, and what is refused there.
func TestInPartition(t *testing.T) {
	in, ten, hundred, thousand := parted(t), new(10.0), new(100.0), new(1000.0)
	for _, c := range []struct {
		job, want model.JobSpec
		err       string
	}{
		{job: model.JobSpec{Estimate: ten}, want: model.JobSpec{Estimate: ten}},
		{job: model.JobSpec{Queue: "any", Work: ten}, want: model.JobSpec{Queue: "any", Work: ten}},
		{job: model.JobSpec{Queue: "normal", Estimate: ten}, want: model.JobSpec{Queue: "normal", Estimate: ten, Runtime: map[string]float64{"a": 10}}},
		{job: model.JobSpec{Queue: "normal"}, want: model.JobSpec{Queue: "normal", Estimate: hundred, Runtime: map[string]float64{"a": 100}}},
		{job: model.JobSpec{Queue: "normal", Estimate: hundred, Work: ten}, want: model.JobSpec{Queue: "normal", Estimate: hundred, Runtime: map[string]float64{"a": 10}}},
		{job: model.JobSpec{Queue: "normal", Runtime: map[string]float64{"a": 5, "b": 3}}, want: model.JobSpec{Queue: "normal", Runtime: map[string]float64{"a": 5}}},
		{job: model.JobSpec{Queue: "small", Estimate: ten, Features: [][]string{{"ib"}}}, want: model.JobSpec{Queue: "small", Estimate: ten, Runtime: map[string]float64{"a": 10}, Features: [][]string{{"ib"}, {"partition small"}}}},
		{job: model.JobSpec{Queue: "gpu", Estimate: ten}, want: model.JobSpec{Queue: "gpu", Estimate: ten, Runtime: map[string]float64{"b": 10}, Licences: map[string]int{"partition gpu": 1}}},
		{job: model.JobSpec{Queue: "long", Estimate: ten}, err: `job.json: queue: expected one of the partitions normal, small, gpu, down, any, found "long"`},
		{job: model.JobSpec{Queue: "down", Estimate: ten}, err: `job.json: queue: expected a partition that starts jobs, found "down", which is not up`},
		{job: model.JobSpec{Queue: "normal", Estimate: thousand}, err: `job.json: estimate: expected at most 100, the limit of partition normal, found 1000`},
		{job: model.JobSpec{Queue: "normal", Work: thousand}, err: `job.json: work: expected at most 100, the limit of partition normal, found 1000`},
		{job: model.JobSpec{Queue: "normal", Runtime: map[string]float64{"a": 1000}}, err: `job.json: runtime: expected at most 100, the limit of partition normal, found 1000`},
		{job: model.JobSpec{Queue: "normal", Estimate: ten, Machines: model.Rigid(3)}, err: `job.json: machines: expected at most 2, the most of partition normal, found 3`},
		{job: model.JobSpec{Queue: "normal", Runtime: map[string]float64{"b": 3}}, err: `job.json: runtime: expected a run time on a cluster of partition normal: a`},
	} {
		got, err := in.InPartition(c.job, "job.json")
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%+v: got %v\nwant %s", c.job, err, c.err)
			}
		case err != nil || !reflect.DeepEqual(got, c.want):
			t.Errorf("%+v: got %+v, %v\nwant %+v", c.job, got, err, c.want)
		}
	}
}

// TestDefaultPartition: a job without a queue goes to the default partition, within its limits; two defaults are a fault.
func TestDefaultPartition(t *testing.T) {
	const text = `{"schema":"allot/instance/1","partitions":[{"id":"p"},{"id":"q","default":true,"limit":9}],"clusters":[{"id":"c","machines":[{"id":"m"}]}],"jobs":[]}`
	in, err := model.ReadInstance(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := in.InPartition(model.JobSpec{ID: "j"}, "job.json"); err != nil || got.Queue != "q" || *got.Estimate != 9 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := in.InPartition(model.JobSpec{ID: "j", Queue: "p", Estimate: new(50.0)}, "job.json"); err != nil || got.Queue != "p" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := in.InPartition(model.JobSpec{ID: "j", Estimate: new(50.0)}, "job.json"); err == nil {
		t.Error("the limit of the default partition does not hold")
	}
	_, err = model.ReadInstance(strings.NewReader(strings.Replace(text, `{"id":"p"}`, `{"id":"p","default":true}`, 1)), "f")
	if err == nil || !strings.Contains(err.Error(), `partitions[1].default: expected one partition at most`) {
		t.Error(err)
	}
}

// TestMovedTo: a job that goes to another partition keeps nothing of its own, and comes back as it was.
func TestMovedTo(t *testing.T) {
	in := parted(t)
	list := []string{"normal", "small", "gpu"}
	for _, from := range list {
		job, err := in.InPartition(model.JobSpec{Queue: from, Estimate: new(10.0), Licences: map[string]int{"matlab": 2}, Features: [][]string{{"ib"}}}, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range list {
			there, err := in.MovedTo(job, to, "")
			if err != nil {
				t.Fatal(err)
			}
			want, err := in.InPartition(model.JobSpec{Queue: to, Estimate: new(10.0), Licences: map[string]int{"matlab": 2}, Features: [][]string{{"ib"}}}, "")
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(there, want) {
				t.Errorf("from %s to %s: got %+v\nwant %+v", from, to, there, want)
			}
		}
	}
}

// TestFaultsOfPartitions: a partition that stands twice, and one of a cluster that is not there.
func TestFaultsOfPartitions(t *testing.T) {
	_, err := model.ReadInstance(strings.NewReader(`{"schema":"allot/instance/1","partitions":[{"id":"p"},{"id":"p","clusters":["x"]}],"clusters":[{"id":"c","machines":[{"id":"m"}]}],"jobs":[]}`), "f")
	if err == nil || !strings.Contains(err.Error(), `partitions[1].id: expected a unique id, found "p" again`) || !strings.Contains(err.Error(), `partitions[1].clusters[0]: expected a cluster, found "x"`) {
		t.Error(err)
	}
}
