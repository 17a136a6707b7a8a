package proof_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Certificates of what power costs are changed in every way: none is verified that states more than the best of all schedules costs.
func TestNoMutatedCertificateOfPowerIsAccepted(t *testing.T) {
	race.OneGoroutine(t)
	objectives := []map[string]float64{{"energy": 1}, {"energy_cost": 1}, {"carbon": 1}, {"energy_cost": 1, "mean_wait": 0.5}}
	var list []claimed
	for seed := uint64(0); len(list) < race.Fewer(30, 10); seed++ {
		plain, unit := modeltest.TinyPower(rand.New(rand.NewPCG(seed, 8118)))
		in, err := plain.WithObjective(objectives[seed%4])
		if err != nil {
			t.Fatal(err)
		}
		least, ok := modeltest.LeastPower(in, unit, 1_500)
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), 1_000_000)
		c := p.Certificate()
		if !ok || p.Owed() != least.Left {
			continue
		}
		if c == nil || len(c.Parts) == 0 || c.Parts[0].By == nil || c.Parts[0].By.PowerPrices == nil {
			continue
		}
		if r := proof.Check(t.Context(), in, c); r.Verdict != proof.Verified {
			t.Fatalf("seed %d: %+v", seed, r)
		}
		list = append(list, claimed{in, c.Bytes(), map[string]float64{"": least.Objective}})
	}
	rng := rand.New(rand.NewPCG(3, 23))
	counts := map[proof.Verdict]int{}
	for range race.Fewer(20_000, 1_000) {
		c := &list[rng.IntN(len(list))]
		text, kind := mutated(t, rng, c)
		read, err := proof.Read(bytes.NewReader(text), "mutated")
		if err != nil {
			continue
		}
		r := proof.Check(t.Context(), c.in, read)
		counts[r.Verdict]++
		if value, _ := read.Bound.Value(); r.Verdict == proof.Verified && value > c.least[""]+1e-9*max(1e-9, math.Abs(c.least[""])) {
			t.Fatalf("%s: %v is verified, a schedule has %v\n%s", kind, value, c.least[""], text)
		}
		if r.Verdict == proof.Refuted && r.Step == "" {
			t.Fatalf("%s: %v", kind, r)
		}
	}
	t.Log(counts)
	if counts[proof.Verified] < race.Fewer(500, 20) || counts[proof.Refuted] < race.Fewer(5_000, 200) {
		t.Errorf("%v: the test says little", counts)
	}
}

// What a certificate of prices of power may not say is refuted where it says it, and what is not covered is not certified.
func TestPowerPricesThatAreRefused(t *testing.T) {
	build := func(change func(s *model.InstanceSpec)) *model.Instance {
		b := model.NewBuilder("refused").Minimise("energy_cost", 1).Minimise("mean_wait", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Power: &model.PowerSpec{Idle: 2, Busy: 1,
			Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}, Up: model.WaySpec{Time: 1}}}}}}})
		b.Job(model.JobSpec{ID: "j", Work: new(2.0)})
		b.Spec().Tariff, b.Spec().Horizon = &model.TariffSpec{Price: [][]float64{{0, 1}, {4, 2}}}, &model.HorizonSpec{To: 8}
		if change != nil {
			change(b.Spec())
		}
		return built(t, b)
	}
	type parts = []proof.Part
	part := func() proof.Part {
		return proof.Part{Metric: "energy_cost", Bound: 1, By: &proof.Argument{PowerPrices: &proof.PowerPrices{Times: []float64{0, 4}, Clusters: [][]float64{{0, 0}}, Cells: 8}}}
	}
	sum := func() proof.Part {
		p := part()
		p.Sum = map[string]float64{"energy_cost": 1, "mean_wait": 1}
		return p
	}
	for name, c := range map[string]struct {
		instance func(s *model.InstanceSpec)
		parts    func() parts
		verdict  proof.Verdict
		step     string
	}{
		"right":             {nil, func() parts { return parts{part()} }, proof.Verified, ""},
		"a right sum":       {nil, func() parts { return parts{sum()} }, proof.Verified, ""},
		"no first time":     {nil, func() parts { p := part(); p.By.PowerPrices.Times[0] = 1; return parts{p} }, proof.Refuted, "parts[0].by.priced_power.times"},
		"times not ascend":  {nil, func() parts { p := part(); p.By.PowerPrices.Times[1] = 0; return parts{p} }, proof.Refuted, "parts[0].by.priced_power.times[1]"},
		"no cluster":        {nil, func() parts { p := part(); p.By.PowerPrices.Clusters = nil; return parts{p} }, proof.Refuted, "parts[0].by.priced_power.clusters"},
		"a price too few":   {nil, func() parts { p := part(); p.By.PowerPrices.Clusters[0] = []float64{0}; return parts{p} }, proof.Refuted, "parts[0].by.priced_power.clusters[0]"},
		"a negative price":  {nil, func() parts { p := part(); p.By.PowerPrices.Clusters[0][1] = -1e-3; return parts{p} }, proof.Refuted, "parts[0].by.priced_power.clusters[0][1]"},
		"no cells":          {nil, func() parts { p := part(); p.By.PowerPrices.Cells = 0; return parts{p} }, proof.Refuted, "parts[0].by.priced_power.cells"},
		"too many cells":    {nil, func() parts { p := part(); p.By.PowerPrices.Cells = 1 << 30; return parts{p} }, proof.NotCertified, "parts[0].by.priced_power"},
		"another metric":    {nil, func() parts { p := part(); p.Metric = "mean_wait"; return parts{p} }, proof.Refuted, "parts[0].by.priced_power"},
		"another weight":    {nil, func() parts { p := sum(); p.Sum["mean_wait"] = 2; return parts{p} }, proof.Refuted, "parts[0].sum"},
		"a foreign metric":  {nil, func() parts { p := sum(); p.Sum["makespan"] = 1; return parts{p} }, proof.Refuted, "parts[0].sum"},
		"without its own":   {nil, func() parts { p := sum(); p.Metric = "carbon"; return parts{p} }, proof.Refuted, "parts[0].sum"},
		"a metric twice":    {nil, func() parts { return parts{sum(), {Metric: "mean_wait"}} }, proof.Refuted, "parts[1].metric"},
		"and before":        {nil, func() parts { return parts{{Metric: "mean_wait"}, sum()} }, proof.Refuted, "parts[1].sum"},
		"a sum by another":  {nil, func() parts { p := sum(); p.By = &proof.Argument{EachAlone: &proof.EachAlone{}}; return parts{p} }, proof.Refuted, "parts[0].sum"},
		"a sum with a step": {nil, func() parts { p := sum(); p.Step = 1; return parts{p} }, proof.Refuted, "parts[0].sum"},
		"a sum that lacks":  {nil, func() parts { p := sum(); p.Lacks = true; return parts{p} }, proof.Refuted, "parts[0].sum"},
		"suspended": {func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Power.SuspendAfter = new(1.0) }, func() parts { return parts{part()} },
			proof.NotCertified, "parts[0].by.priced_power"},
		"a hard deadline": {func(s *model.InstanceSpec) { s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(5.0), true }, func() parts { return parts{sum()} },
			proof.Verified, ""},
		"a job that need not be placed": {func(s *model.InstanceSpec) {
			s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard, s.Objective = new(5.0), true, map[string]float64{"energy_cost": 1, "mean_wait": 1, "unfinished": 1}
		}, func() parts { return parts{sum()} }, proof.NotCertified, "parts[0].by.priced_power"},
		"too long for the horizon": {func(s *model.InstanceSpec) { s.Jobs[0].Work = new(9.0) }, func() parts { return parts{part()} }, proof.NotCertified, "owed"},
		"spread at negative prices": {func(s *model.InstanceSpec) {
			s.Tariff.Price[0][1] = -1
			s.Clusters = append(s.Clusters, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m"}}})
			s.Jobs[0].Span, s.Jobs[0].Processors, s.Jobs[0].Tasks = "grid", model.Rigid(3), 3
		}, func() parts {
			p := part()
			p.By.PowerPrices.Clusters = [][]float64{{0, 0}, {0, 0}}
			return parts{p}
		}, proof.NotCertified, "parts[0].by.priced_power"},
	} {
		in := build(c.instance)
		found := proof.Check(t.Context(), in, &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Bound: model.ProvedBound(1), Parts: c.parts()})
		if found.Verdict != c.verdict || found.Step != c.step {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
