package solvers_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// decimalTimes are instances whose times are decimals, each with its optimum: rounded, one of them lies on the other side of a step or a closed time.
var decimalTimes = []struct {
	name, instance string
	optimum        float64
}{
	{"moldable within a horizon", `{"clusters":[{"id":"c0","machines":[{"count":2,"id":"m0","power":{"busy":3},"processors":2}]}],"horizon":{"from":0.2,"to":1.3},"jobs":[{"id":"j0","processors":{"max":4,"min":3},"work":0.30000000000000004}],"objective":{"carbon":1},"schema":"allot/instance/1","tariff":{"carbon":[[0,3],[0.5,0],[0.7000000000000001,1]]}}`, 1.2},
	{"jobs of two tasks", `{"schema":"allot/instance/1","clusters":[{"id":"c","machines":[{"id":"m","count":2,"processors":2,"power":{"idle":1,"busy":3}}]}],"horizon":{"from":0.2,"to":1.4000000000000001},"tariff":{"price":[[0.0,5],[0.5,3],[1.0,2]]},"jobs":[{"id":"j0","work":0.30000000000000004,"processors":{"min":2,"max":4}},{"id":"j1","work":0.30000000000000004,"processors":{"min":2,"max":3}},{"id":"j2","work":0.1,"processors":{"min":2,"max":4}}],"objective":{"energy_cost":1}}`, 25.3},
	{"one machine", `{"clusters":[{"id":"c","machines":[{"id":"m","power":{"busy":2,"idle":0},"speed":1}]}],"horizon":{"from":0.001,"to":0.009000000000000001},"jobs":[{"id":"j0","work":0.003}],"objective":{"energy":1},"schema":"allot/instance/1","tariff":{"carbon":[[0,4],[0.004,8],[0.005,0],[0.008,0]],"price":[[0,-3],[0.001,5],[0.004,1],[0.007,1]]}}`, 0.006},
	{"closed times", `{"clusters":[{"id":"c0","machines":[{"closed":[{"to":0.2},{"from":0.6000000000000001,"to":0.9}],"id":"m0"}]}],"jobs":[{"id":"j1","work":0.4},{"after":["j1"],"id":"j2","processors":{"max":2,"min":1},"work":0.5}],"schema":"allot/instance/1"}`, 1.9},
}

// Optima of such instances are proved, and their certificates verified.
func TestCertificatesOfDecimalTimes(t *testing.T) {
	for _, c := range decimalTimes {
		in, err := model.ReadInstance(strings.NewReader(c.instance), c.name)
		if err != nil {
			t.Fatal(err)
		}
		choice, err := solve.Choose("auto")
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{Certify: true, Strict: true, MaxEvals: 300})
		if err != nil || result.Status != model.Optimal || result.Warning != "" {
			t.Errorf("%s: %v %s %s", c.name, err, result.Status, result.Warning)
			continue
		}
		out := proof.CheckSolution(t.Context(), in, result.Certificate, result.Solution)
		if out.Verdict != proof.Verified || !out.Optimal || math.Abs(*out.Objective-c.optimum) > 1e-9*c.optimum {
			t.Errorf("%s: %+v, expected the optimum %v", c.name, out, c.optimum)
		}
	}
}

// At clocks since 1970, in seconds or finer units, a way between states may be shorter than stated, as its ends are rounded: no bound counts on what is lost so. At small clocks nothing is lost.
func TestWaysAtLargeClocks(t *testing.T) {
	tight := 0
	for _, base := range []float64{0, 1764489600, 1764489600000, 1764489600000000} {
		for _, length := range []float64{1e-6, 0.001, 0.1, 0.3, 0.7, 1, 1.1, 60} {
			for _, side := range []string{"down", "up"} {
				text := fmt.Sprintf(`{"schema":"allot/instance/1","objective":{"carbon":1},"tariff":{"carbon":[[0,0.3]]},"horizon":{"from":%[1]v,"to":%[2]v},
					"clusters":[{"id":"c","machines":[{"id":"m","power":{"idle":1,"off":[{"name":"s","%[3]s":{"time":%[4]v,"power":1}}]}}]}],"jobs":[{"id":"j","arrival":%[1]v,"work":0}]}`, base, base+3*length, side, length)
				if base+3*length == base {
					continue
				}
				in, err := model.ReadInstance(strings.NewReader(text), side)
				if err != nil {
					t.Fatal(err)
				}
				choice, err := solve.Choose("fcfs-list")
				if err != nil {
					t.Fatal(err)
				}
				result, err := solve.Run(t.Context(), choice, in, solve.Options{Certify: true, Strict: true})
				if err != nil || result.Warning != "" {
					t.Errorf("%v s %s at %v: %v %s", length, side, base, err, result.Warning)
					continue
				}
				if out := proof.CheckSolution(t.Context(), in, result.Certificate, result.Solution); out.Verdict != proof.Verified {
					t.Errorf("%v s %s at %v: %+v", length, side, base, out)
				} else if out.Optimal {
					tight++
				}
			}
		}
	}
	if tight < 8 {
		t.Errorf("only %d bounds are met", tight)
	}
}
