//go:build highs && cgo

package milp

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/allot-opt/allot/model"
)

func init() {
	readBack = func(t *testing.T, m *Model, mps, lp []byte) {
		t.Helper()
		if m.Variables() == 0 {
			return // formats and readers differ on what an empty model is
		}
		want, err := Solve(context.Background(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want.Status != model.Optimal && want.Status != model.Infeasible {
			t.Fatalf("the model itself: %+v", want)
		}
		for name, text := range map[string][]byte{"m.mps": mps, "m.lp": lp} {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			status, objective, err := solveFile(path)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			infeasible := status == highsInfeasible
			if infeasible != (want.Status == model.Infeasible) || !infeasible && math.Abs(objective-want.Objective) > 1e-6*max(1, math.Abs(want.Objective)) {
				t.Errorf("%s: status %d, %v; expected %s, %v\n%s", name, status, objective, want.Status, want.Objective, text)
			}
		}
	}
}
