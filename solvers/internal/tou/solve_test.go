package tou_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solvers/internal/tou"
)

// drawn is a random instance of few jobs: prices that may be negative or repeat, states of any time, from 0 or from a late clock on.
func drawn(t *testing.T, seed uint64) *model.Instance {
	t.Helper()
	d := rand.New(rand.NewPCG(seed, 44))
	unit := []float64{1, 0.25, 3600}[d.IntN(3)]
	from := []float64{0, 2, 1_700_000_000 / unit}[d.IntN(3)] * unit
	n := 5 + d.IntN(7)
	tariff := &model.TariffSpec{Per: []float64{0, 4, 3.6e6}[d.IntN(3)]}
	steps := n
	if d.IntN(3) == 0 {
		steps = 3 + d.IntN(4)
		tariff.Period = float64(steps) * unit
	}
	for k := range steps {
		x := float64(d.IntN(12) - 3)
		if seed%4 == 0 {
			x /= 10 // no sum of powers of two
		}
		tariff.Price = append(tariff.Price, []float64{from + float64(k)*unit, x})
	}
	power := &model.PowerSpec{Idle: float64(d.IntN(4)), Busy: float64(d.IntN(4))}
	way := func() model.WaySpec {
		return model.WaySpec{Time: float64(d.IntN(4)) * unit, Power: float64(d.IntN(8))}
	}
	names := []string{"idle"}
	for k := range d.IntN(3) {
		power.Off = append(power.Off, model.OffSpec{Name: fmt.Sprint("off", k), Power: float64(d.IntN(2)), Down: way(), Up: way()})
		names = append(names, power.Off[k].Name)
	}
	power.Begin, power.End = names[d.IntN(len(names))], names[d.IntN(len(names))]
	spec := model.InstanceSpec{
		Objective: map[string]float64{"energy_cost": 1 + float64(d.IntN(2))},
		Tariff:    tariff,
		Horizon:   &model.HorizonSpec{From: from, To: from + float64(n)*unit},
		Clusters:  []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: power}}}},
	}
	if d.IntN(4) == 0 {
		spec.Objective["energy"] = 0.5
	}
	for j, left := 0, n; j < 3 && left > 0; j++ {
		length := min(d.IntN(5), left)
		left -= length
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(length) * unit)})
	}
	in, err := model.New(spec)
	if err != nil { // no schedule is right where the horizon is too short for the ways of the machine
		power.End = power.Begin
		in, err = model.New(spec)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// enumerated is the least objective of all schedules that start jobs at limits of intervals; +Inf: none is right.
func enumerated(in *model.Instance, p *tou.Problem) float64 {
	least := math.Inf(1)
	starts := make([]int, len(in.Jobs()))
	used := make([]bool, p.Intervals)
	var place func(j int)
	place = func(j int) {
		if j == len(starts) {
			if report := model.Check(in, p.Solution(in, starts)); report.OK() {
				least = min(least, report.Objective)
			}
			return
		}
		length := int(math.Round(in.Duration(j, 0, model.Processors(0)) / p.Unit))
		for s := 0; s+length <= p.Intervals; s++ {
			free := true
			for t := s; t < s+length; t++ {
				free = free && !used[t]
			}
			if !free {
				continue
			}
			for t := s; t < s+length; t++ {
				used[t] = true
			}
			starts[j] = s
			place(j + 1)
			for t := s; t < s+length; t++ {
				used[t] = false
			}
			if length == 0 {
				break // it makes no difference
			}
		}
	}
	place(0)
	return least
}

// On random small instances the result is that of an enumeration of all schedules, and its certificate is verified; a bound a unit higher is refuted.
func TestSolveAgainstEnumeration(t *testing.T) {
	solved, infeasible, certified, split := 0, 0, 0, 0
	for seed := range uint64(600) {
		in := drawn(t, seed)
		p, err := tou.New(in)
		if errors.Is(err, tou.ErrInfeasible) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		r := tou.Solve(t.Context(), p, tou.Options{})
		want := enumerated(in, p)
		if math.IsInf(want, 1) {
			if infeasible++; !r.Infeasible {
				t.Fatalf("seed %d: found a schedule of %v where there is none", seed, r.Cost)
			}
			continue
		}
		if !r.Done || r.Starts == nil {
			t.Fatalf("seed %d: found %+v, the enumeration %v; %+v", seed, r, want, in.Spec())
		}
		if solved++; r.Evaluations > 100 {
			split++
		}
		report := model.Check(in, p.Solution(in, r.Starts))
		if !report.OK() || math.Abs(report.Objective-want) > 1e-9*math.Abs(want)+1e-12 {
			t.Fatalf("seed %d: found %v %v, the enumeration %v", seed, report.Objective, report.Violations, want)
		}
		bound, known := p.Value(r.Bound).Value()
		if !known || bound > want+1e-9*math.Abs(want) || p.Exact && !report.Proves(p.Value(r.Bound)) {
			t.Fatalf("seed %d: bound %v of %v", seed, bound, want)
		}
		c := p.Certificate(r)
		if c == nil {
			continue
		}
		certified++
		c.Schema, c.InstanceSHA256, c.Objective = proof.Schema, in.SHA256(), in.StatedObjective()
		if found := proof.Check(t.Context(), in, c); found.Verdict != proof.Verified {
			t.Fatalf("seed %d: %+v", seed, found)
		}
		splits(t, in, p, r, c)
		for name, wrong := range map[string]func(c *proof.Certificate, by *proof.TimeOfUse){
			"a higher bound":   func(c *proof.Certificate, by *proof.TimeOfUse) { c.Parts[0].Bound += 1 / p.Scale },
			"a lower scale":    func(c *proof.Certificate, by *proof.TimeOfUse) { by.Scale /= 3; c.Parts[0].Bound += 1 / p.Scale },
			"another unit":     func(c *proof.Certificate, by *proof.TimeOfUse) { by.Unit *= 1.37 },
			"no nodes":         func(c *proof.Certificate, by *proof.TimeOfUse) { by.Nodes = nil },
			"a price too many": func(c *proof.Certificate, by *proof.TimeOfUse) { by.Nodes[len(by.Nodes)-1].Prices = make([]float64, 9) },
		} {
			again := p.Certificate(r)
			again.Schema, again.InstanceSHA256, again.Objective = c.Schema, c.InstanceSHA256, c.Objective
			wrong(again, again.Parts[0].By.TimeOfUse)
			if found := proof.Check(t.Context(), in, again); c.Parts[0].Bound != 0 && found.Verdict == proof.Verified && (name != "a lower scale" || p.Exact) {
				t.Fatalf("seed %d: %s is verified: bound %v, part %+v, scale %v, exact %v, cost %v", seed, name, again.Bound, again.Parts[0], p.Scale, p.Exact, r.Cost)
			}
		}
	}
	if solved < 300 || infeasible < 20 || certified < 200 {
		t.Errorf("only %d solved, %d infeasible, %d certified, %d by a long search", solved, infeasible, certified, split)
	}
}

// splits splits the root of a proof by every interval and limit: the parts cover it, so the bound stays proved, and no more than that.
func splits(t *testing.T, in *model.Instance, p *tou.Problem, r *tou.Result, c *proof.Certificate) {
	t.Helper()
	leaf := c.Parts[0].By.TimeOfUse.Nodes[0]
	if leaf.Low > 0 || c.Parts[0].Bound == 0 {
		return
	}
	for at := range p.Intervals {
		for _, limit := range []bool{false, true} {
			for _, more := range []float64{0, 1} {
				again := p.Certificate(r)
				again.Schema, again.InstanceSHA256, again.Objective = c.Schema, c.InstanceSHA256, c.Objective
				again.Parts[0].By.TimeOfUse.Nodes = []proof.TimeOfUseNode{{At: at, Limit: limit, Low: 1, High: 2}, leaf, leaf}
				again.Parts[0].Bound += more / p.Scale
				found := proof.Check(t.Context(), in, again)
				if more == 0 && found.Verdict != proof.Verified || more > 0 && again.Parts[0].Bound != 0 && found.Verdict == proof.Verified {
					t.Fatalf("split at %d, limit %v, %v units more: %+v", at, limit, more, found)
				}
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	spec := drawn(t, 1).Spec()
	for want, change := range map[string]func(s *model.InstanceSpec){
		"several processors": func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Processors = 2 },
		"instances without a horizon": func(s *model.InstanceSpec) {
			s.Horizon, s.Tariff, s.Objective, s.Clusters[0].Machines[0].Power = nil, nil, nil, nil
		},
		"an objective with makespan":                          func(s *model.InstanceSpec) { s.Objective["makespan"] = 1 },
		"an objective without energy, energy_cost and carbon": func(s *model.InstanceSpec) { s.Objective = map[string]float64{"makespan": 0} },
		"negative weights of the objective":                   func(s *model.InstanceSpec) { s.Objective = map[string]float64{"energy": -1} },
		"jobs that arrive after the horizon begins":           func(s *model.InstanceSpec) { s.Jobs[0].Arrival = s.Horizon.To },
		"power caps":              func(s *model.InstanceSpec) { s.Clusters[0].PowerCap = [][]float64{{0, 1e6}} },
		"jobs of different power": func(s *model.InstanceSpec) { s.Jobs[0].Power = new(77.0) },
		"times that are no multiples of an interval, of which the horizon has at most 2^20": func(s *model.InstanceSpec) { s.Jobs[0].Work = new(0.1) },
	} {
		changed := spec
		changed.Objective = map[string]float64{"energy_cost": 1}
		changed.Jobs = append([]model.JobSpec(nil), spec.Jobs...)
		for k := range changed.Jobs {
			changed.Jobs[k].Work = new(spec.Horizon.To/64 - spec.Horizon.From/64)
		}
		machine := spec.Clusters[0].Machines[0]
		changed.Clusters = []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine}}}
		change(&changed)
		in, err := model.New(changed)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if err := tou.Supports(in); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
