package solvers_test

import (
	"bytes"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// machines is a cluster of n processors at one speed.
func machines(id string, n int, speed float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: n, Speed: speed}}}
}

// built is the built instance.
func built(t testing.TB, b *model.Builder) *model.Instance {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// encoded is a solution as bytes.
func encoded(t *testing.T, result solve.Result) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := model.WriteSolution(&text, result.Solution); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}
