package workload_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/workload"
)

func TestMuscleWorkloadFollowsTheRecipe(t *testing.T) {
	in, err := with(workload.Default[workload.Muscle](), func(x *workload.Muscle) { x.Jobs = 20000 }).Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[int]int{}
	below10 := 0
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		sizes[j.Max]++
		if j.Work < 5 || j.Work > 100 {
			t.Fatalf("job %s: execution time %v outside [5, 100]", j.ID, j.Work)
		}
		if j.Work < 10 {
			below10++
		}
		// C1 is the slowest cluster, so the longest execution time is that on C1.
		if ratio := j.Deadline/j.Work - 1; ratio < -1e-12 || ratio > 5+1e-12 {
			t.Fatalf("job %s: deadline ratio %v outside [0, 5]", j.ID, ratio)
		}
	}
	for size := 1; size <= 10; size++ {
		if n := sizes[size]; n < 1800 || n > 2200 {
			t.Errorf("%d of 20000 jobs of size %d, expected about 2000", n, size)
		}
	}
	// Eq. 4: P(x < 10) = (1 − (5/10)^1.1)/(1 − (5/100)^1.1).
	want := (1 - math.Pow(0.5, 1.1)) / (1 - math.Pow(0.05, 1.1))
	if got := float64(below10) / 20000; math.Abs(got-want) > 0.015 {
		t.Errorf("P(x < 10) = %v, expected %v", got, want)
	}
	if w := in.Clusters()[0].Weights; w != (model.Weights{OverDeadline: 4, Makespan: 3, IdleTime: 1}) {
		t.Errorf("weights %v", w)
	}
}

// Normal sizes lie around the middle of the range with a standard deviation near a quarter of it, a little less because those outside are drawn again.
func TestMuscleNormalSizes(t *testing.T) {
	in, err := with(workload.Default[workload.Muscle](), func(x *workload.Muscle) { x.Jobs, x.Sizes, x.MinSize, x.MaxSize = 20000, "normal", 1, 41 }).Generate(3)
	if err != nil {
		t.Fatal(err)
	}
	sum, squares := 0.0, 0.0
	for k := range in.Jobs() {
		size := float64(in.Jobs()[k].Max)
		if size < 1 || size > 41 {
			t.Fatalf("a job of size %v", size)
		}
		sum += size
		squares += size * size
	}
	mean := sum / 20000
	if deviation := math.Sqrt(squares/20000 - mean*mean); math.Abs(mean-21) > 0.3 || deviation < 8.3 || deviation > 9.3 { // cut at ±2 it is 0.88·10
		t.Errorf("mean %v and deviation %v, want 21 and 8.8", mean, deviation)
	}
}

func TestMuscleWorkloadIsDeterministic(t *testing.T) {
	var texts [2]bytes.Buffer
	for k := range texts {
		in, err := with(workload.Default[workload.Muscle](), func(x *workload.Muscle) { x.Rate, x.Sizes, x.MaxSize = 0.5, "log", 56 }).Generate(7)
		if err != nil {
			t.Fatal(err)
		}
		if err := model.WriteInstance(&texts[k], in); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("the same seed gives two instances")
	}
}
