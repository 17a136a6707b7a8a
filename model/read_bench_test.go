package model_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/model"
)

// BenchmarkReadInstance reads 100,000 jobs.
func BenchmarkReadInstance(b *testing.B) {
	build := model.NewBuilder("bench").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 1000}}})
	for k := range 100_000 {
		build.Job(model.JobSpec{ID: "job-" + strconv.Itoa(k), Arrival: 1.5e9 + float64(k), Work: new(float64(k%977) + 0.25), Processors: model.Rigid(1 + k%64),
			Estimate: new(3600.0), Deadline: new(2e9)})
	}
	in, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := model.ReadInstance(bytes.NewReader(text.Bytes()), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadSolution reads 100,000 placements.
func BenchmarkReadSolution(b *testing.B) {
	sol := &model.Solution{}
	for k := range 100_000 {
		sol.Jobs = append(sol.Jobs, model.Placement{Job: "job-" + strconv.Itoa(k), Cluster: "c", Processors: model.Processors(k%64, k%64+1, 99), Start: float64(k), End: float64(k) + 0.125})
	}
	var text bytes.Buffer
	if err := model.WriteSolution(&text, sol); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := model.ReadSolution(bytes.NewReader(text.Bytes()), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}
