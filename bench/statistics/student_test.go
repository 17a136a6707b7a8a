package statistics

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Student's t and the standard deviation are those of gonum to the last bit.
func TestStudentIsThatOfGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		degrees, x := math.Exp(6*rng.Float64()-1), 8*rng.NormFloat64()
		if rng.IntN(2) == 0 {
			degrees = math.Ceil(degrees)
		}
		student := distuv.StudentsT{Sigma: 1, Nu: degrees}
		if found, want := StudentTail(x, degrees), student.Survival(x); found != want {
			t.Errorf("tail above %v at %v degrees: %v, expected %v", x, degrees, found, want)
		}
		if found, want := StudentTail(x, degrees), student.CDF(-x); found != want {
			t.Errorf("tail above %v at %v degrees: %v, expected %v", x, degrees, found, want)
		}
		confidence := rng.Float64()
		if found, want := studentWidth(confidence, degrees), -student.Quantile((1-confidence)/2); found != want {
			t.Errorf("width of %v at %v degrees: %v, expected %v", confidence, degrees, found, want)
		}
		sample := make([]float64, 2+rng.IntN(40))
		for i := range sample {
			sample[i] = x + math.Exp(rng.NormFloat64())
		}
		if found, want := deviation(sample), stat.StdDev(sample, nil); found != want {
			t.Errorf("deviation of %v: %v, expected %v", sample, found, want)
		}
	}
	if StudentTail(0, 3) != 0.5 {
		t.Error("Student's t is not symmetric")
	}
}
