package gate

import (
	"math"
	"testing"
)

func TestGateLetsNoNumberOutOfFailedArithmetic(t *testing.T) {
	for _, wrong := range []Sum{{Value: math.NaN()}, {Value: math.Inf(1)}, {Value: math.Inf(-1)}, {Value: 1e305}, {Value: 5, Size: math.Inf(1)}, {Value: 5, Size: math.NaN(), Terms: 1}} {
		g := &Gate{}
		if g.Prove(wrong); g.Bound().Known() {
			t.Errorf("%+v went through as %v", wrong, g.Bound())
		}
		g = &Gate{}
		g.Prove(Sum{Value: 3})
		g.Prove(wrong)
		g.Prove(Sum{Value: 7}) // whatever comes after a failure is not to be trusted
		if value, ok := g.Bound().Value(); !ok || value != 3 {
			t.Errorf("after %+v: %v, %t, expected the last good value, 3", wrong, value, ok)
		}
	}
}

func TestGateRoundsByMagnitudesNotByTheResult(t *testing.T) {
	var s Sum
	for _, x := range []float64{0.1, 0.2, 1e9, -0.3, -1e9} { // makes 0, and something else in float64
		s.Add(x)
	}
	g := &Gate{}
	g.Prove(s)
	if value, ok := g.Bound().Value(); !ok || value > 0 || value < -1e-5 {
		t.Errorf("proves %v (%t) of a sum of 0 that comes to %v", value, ok, s.Value)
	}
}
