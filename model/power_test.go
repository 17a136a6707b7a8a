package model_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// powerDrawer draws instances with power and schedules of them. Times are quarters.
type powerDrawer struct {
	*rand.Rand
	clock float64
}

func (d *powerDrawer) chance(n int) bool { return d.IntN(n) == 0 }

// quarters is a number of quarters, of at most n.
func (d *powerDrawer) quarters(n int) float64 { return float64(d.IntN(n+1)) / 4 }

// steps draws values by time, the first at the begin.
func (d *powerDrawer) steps(begin float64, value func() float64) [][]float64 {
	list := [][]float64{{begin, value()}}
	for range d.IntN(8) {
		list = append(list, []float64{list[len(list)-1][0] + d.quarters(9) + 0.25, value()})
	}
	return list
}

func (d *powerDrawer) tariff() *model.TariffSpec {
	value := func() float64 { return float64(d.IntN(9)-2) / 10 } // ties are frequent
	t := &model.TariffSpec{}
	if d.chance(5) {
		t.Per = 3.6e6
	}
	if !d.chance(6) {
		t.Price = d.steps(d.clock, value)
	}
	if t.Price == nil || d.chance(2) {
		t.Carbon = d.steps(d.clock, value)
	}
	if d.chance(3) {
		t.Period = 20 + d.quarters(8)
		if d.clock > 0 { // steps of another day, long before
			for _, list := range [][][]float64{t.Price, t.Carbon} {
				for _, s := range list {
					s[0] -= d.clock
				}
			}
		}
	}
	return t
}

func (d *powerDrawer) machine(horizon bool) *model.PowerSpec {
	p := &model.PowerSpec{Idle: float64(d.IntN(5)), Busy: float64(d.IntN(4))}
	way := func() model.WaySpec {
		return model.WaySpec{Time: d.quarters(6), Power: float64(d.IntN(7))}
	}
	for k := range d.IntN(4) {
		p.Off = append(p.Off, model.OffSpec{Name: string(rune('a' + k)), Power: float64(d.IntN(3)), Down: way(), Up: way()})
	}
	switch {
	case len(p.Off) == 0:
	case d.chance(4):
		p.SuspendAfter = new(d.quarters(8))
		if horizon && d.chance(2) {
			p.Begin = p.Off[0].Name
		}
	case horizon && d.chance(2):
		if d.chance(2) {
			p.Begin = p.Off[d.IntN(len(p.Off))].Name
		}
		if p.End = "idle"; d.chance(2) {
			p.End = p.Off[d.IntN(len(p.Off))].Name
		}
	}
	return p
}

func (d *powerDrawer) instance() model.InstanceSpec {
	spec := model.InstanceSpec{Name: "drawn"}
	horizon := !d.chance(4)
	if horizon {
		spec.Horizon = &model.HorizonSpec{From: d.clock, To: d.clock + 8 + d.quarters(40)}
	}
	spec.Tariff = d.tariff()
	for c := range 1 + d.IntN(2) {
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		if d.chance(3) {
			cluster.Allocation = "machine"
		}
		if d.chance(4) {
			cluster.Tariff = d.tariff()
		}
		idle := 0.0
		for g := range 1 + d.IntN(2) {
			m := model.MachineSpec{ID: fmt.Sprint("m", g), Count: 1 + d.IntN(2), Processors: 1 + d.IntN(3)}
			if !d.chance(5) {
				m.Power = d.machine(horizon)
				idle += m.Power.Idle * float64(m.Count)
			}
			cluster.Machines = append(cluster.Machines, m)
		}
		if d.chance(3) {
			cluster.PowerCap = d.steps(d.clock+d.quarters(8), func() float64 { return idle + float64(1+d.IntN(8)) })
		}
		spec.Clusters = append(spec.Clusters, cluster)
	}
	for j := range d.IntN(7) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: d.clock, Work: new(d.quarters(12)), Processors: model.Rigid(1 + d.IntN(2))}
		if d.chance(3) {
			job.Power = new(float64(d.IntN(6)))
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	if horizon {
		for _, metric := range []string{"energy", "energy_cost", "carbon", "peak_power"} {
			if d.chance(3) {
				trial := spec
				trial.Objective = map[string]float64{metric: float64(1 + d.IntN(3))}
				for name, weight := range spec.Objective {
					trial.Objective[name] = weight
				}
				if _, err := model.New(trial); err == nil {
					spec = trial
				}
			}
		}
	}
	return spec
}

// schedule draws where and when jobs run: anywhere, whatever else runs there.
func (d *powerDrawer) schedule(in *model.Instance) *model.Solution {
	sol := &model.Solution{Jobs: []model.Placement{}}
	for j := range in.Jobs() {
		c := d.IntN(len(in.Clusters()))
		cluster := &in.Clusters()[c]
		n, _ := in.Width(j, c)
		if n > cluster.Processors {
			continue
		}
		set := model.Processors(d.Perm(cluster.Processors)[:n]...)
		start := d.clock + d.quarters(40)
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: cluster.ID, Processors: set, Start: start, End: start + in.Duration(j, c, set)})
	}
	return sol
}

// ofPower are the codes of what a schedule breaks of the rules of power.
func ofPower(report *model.Report) []string {
	codes := []string{}
	for _, v := range report.Violations {
		if code := string(v.Code); (code == "horizon" || code == "power-cap" || code == "asleep") && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}

// Metrics and faults agree with a second evaluator, in Python and in fractions, on thousands of random schedules: prices and carbon that repeat or not, from 0
// and from 2023 on, negative, in kWh; states, rules and jobs of no time.
func TestPowerAgainstSecondEvaluator(t *testing.T) {
	race.OneGoroutine(t)
	python := needs.Program(t, "python3")
	rounds := race.Fewer(uint64(300), 40)
	var input bytes.Buffer
	writer := bufio.NewWriter(&input)
	var reports []model.Report
	var lines [][]byte
	for seed := range rounds {
		d := &powerDrawer{Rand: rand.New(rand.NewPCG(seed, 42))}
		if seed%3 == 0 {
			d.clock = 1_700_000_000
		}
		in, err := model.New(d.instance())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for range 3 {
			sol := d.schedule(in)
			text := json.RawMessage(written(t, in))
			line, err := json.Marshal(nodeCase{&text, sol})
			if err != nil {
				t.Fatal(err)
			}
			reports, lines = append(reports, model.Check(in, sol)), append(lines, line)
			writer.Write(append(line, '\n'))
		}
	}
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, "testdata/power.py")
	var stderr bytes.Buffer
	command.Stdin, command.Stderr = &input, &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	verdicts := json.NewDecoder(bytes.NewReader(output))
	seen := map[string]int{}
	for k := range reports {
		var v struct {
			Energy *float64 `json:"energy"`
			Cost   *float64 `json:"energy_cost"`
			Carbon *float64 `json:"carbon"`
			Peak   *float64 `json:"peak_power"`
			Faults []string `json:"faults"`
		}
		if err := verdicts.Decode(&v); err != nil {
			t.Fatalf("verdict %d: %v", k, err)
		}
		if got := ofPower(&reports[k]); !slices.Equal(got, v.Faults) {
			t.Fatalf("case %d: found %v, the second evaluator %v\n%s", k, got, v.Faults, lines[k])
		}
		for _, code := range v.Faults {
			seen[code]++
		}
		for name, want := range map[string]*float64{"energy": v.Energy, "energy_cost": v.Cost, "carbon": v.Carbon, "peak_power": v.Peak} {
			got, ok := reports[k].Metrics.Get(name)
			if ok != (want != nil) || ok && math.Abs(got-*want) > 1e-9*(1e-3+math.Abs(*want)) {
				t.Fatalf("case %d: %s: found %v %v, the second evaluator %v\n%s", k, name, got, ok, shownNumber(want), lines[k])
			}
			if ok {
				seen[name]++
			}
			if ok && got < 0 {
				seen["negative"]++
			}
		}
	}
	for _, what := range []string{"horizon", "power-cap", "asleep", "energy", "energy_cost", "carbon", "peak_power", "negative"} {
		if seen[what] < len(reports)/25 {
			t.Errorf("%s in only %d of %d cases", what, seen[what], len(reports))
		}
	}
}

func shownNumber(x *float64) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprint(*x)
}

// Where the price may change at each quarter, the way through the states costs as little as any: a programme over quarters of time and all ways finds none that is
// cheaper.
func TestPowerWaysAreTheCheapest(t *testing.T) {
	slept := 0
	for seed := range uint64(400) {
		d := &powerDrawer{Rand: rand.New(rand.NewPCG(seed, 43))}
		const quarters = 60
		p := d.machine(true)
		p.SuspendAfter = nil
		price := make([][]float64, quarters)
		for k := range price {
			price[k] = []float64{float64(k) / 4, float64(d.IntN(9) - 2)}
		}
		spec := model.InstanceSpec{
			Objective: map[string]float64{"energy_cost": 1},
			Tariff:    &model.TariffSpec{Price: price},
			Horizon:   &model.HorizonSpec{To: quarters / 4},
			Clusters:  []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: p}}}},
		}
		sol := &model.Solution{}
		busy := make([]bool, quarters)
		for k, at := 0, d.IntN(12); at < quarters; k++ {
			length := min(d.IntN(8), quarters-at)
			id := fmt.Sprint("j", k)
			spec.Jobs = append(spec.Jobs, model.JobSpec{ID: id, Work: new(float64(length) / 4)})
			sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.Processors(0), Start: float64(at) / 4, End: float64(at+length) / 4})
			for q := at; q < at+length; q++ {
				busy[q] = true
			}
			at += length + d.IntN(25)
		}
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		want := cheapestWay(p, price, busy)
		report := model.Check(in, sol)
		got, known := report.Metrics.Get("energy_cost")
		if known != !math.IsInf(want, 1) || known && got != want {
			t.Fatalf("seed %d: found %v %v, the programme %v", seed, got, known, want)
		}
		if known != report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations)
		}
		if len(p.Off) > 0 && known && want < cheapestWay(&model.PowerSpec{Idle: p.Idle, Busy: p.Busy}, price, busy) {
			slept++
		}
	}
	if slept < 50 {
		t.Errorf("only %d machines sleep", slept)
	}
}

// cheapestWay is the cost of one machine by a programme over quarters of time. A place is a state, or a quarter of a way.
func cheapestWay(p *model.PowerSpec, price [][]float64, busy []bool) float64 {
	state := func(name string) int {
		return 1 + slices.IndexFunc(p.Off, func(o model.OffSpec) bool { return o.Name == name })
	}
	best := map[int]float64{state(p.Begin): 0} // 0: on; k: off
	at := make([]map[int]float64, len(busy)+1)
	for q := range at {
		at[q] = map[int]float64{}
	}
	at[0] = best
	offer := func(q, s int, cost float64) {
		if q <= len(busy) {
			if has, known := at[q][s]; !known || cost < has {
				at[q][s] = cost
			}
		}
	}
	way := func(q, to int, w model.WaySpec, cost float64) {
		n := int(4 * w.Time)
		for k := q; k < q+n; k++ {
			if k >= len(busy) || busy[k] {
				return
			}
			cost += w.Power * price[k][1] / 4
		}
		offer(q+n, to, cost)
	}
	for q := range at {
		for range 3 { // ways of no time
			for s := range len(p.Off) + 1 {
				cost, known := at[q][s]
				if !known {
					continue
				}
				if s > 0 {
					way(q, 0, p.Off[s-1].Up, cost)
					continue
				}
				for k, off := range p.Off {
					way(q, k+1, off.Down, cost)
				}
			}
		}
		if q == len(busy) {
			break
		}
		for s, cost := range at[q] {
			switch {
			case s == 0 && busy[q]:
				offer(q+1, 0, cost+(p.Idle+p.Busy)*price[q][1]/4)
			case s == 0:
				offer(q+1, 0, cost+p.Idle*price[q][1]/4)
			case !busy[q]:
				offer(q+1, s, cost+p.Off[s-1].Power*price[q][1]/4)
			}
		}
	}
	if cost, known := at[len(busy)][state(p.End)]; known {
		return cost
	}
	return math.Inf(1)
}

// What is taken at a low price behind a time of a high one is not lost in the sum of both.
func TestLowPricesBehindHighOnes(t *testing.T) {
	for _, high := range []float64{1, 1e6, 1e9, 1e15} {
		b := model.NewBuilder("dear")
		b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, high}, {0.6, 1}, {1.1, 2}, {1.8, 3}}, Carbon: [][]float64{{0, 2}, {0.3, high}, {0.6, 0.5}, {0.9, 1}, {1.2, 0.5}}}
		b.Spec().Horizon = &model.HorizonSpec{To: 9}
		off := model.OffSpec{Name: "off", Up: model.WaySpec{Time: 0.6}}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 1, Begin: "off", Off: []model.OffSpec{off}}}}})
		b.Job(model.JobSpec{ID: "j", Work: new(1.5)})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, &model.Solution{Jobs: []model.Placement{{Job: "j", Cluster: "c", Processors: model.Processors(0), Start: 0.6, End: 2.1}}})
		if !report.OK() {
			t.Fatal(report.Violations)
		}
		for metric, want := range map[string]float64{"energy_cost": 2.8, "carbon": 0.9} {
			if got, known := report.Metrics.Get(metric); !known || math.Abs(got-want) > 1e-14*want {
				t.Errorf("high price %v: %s: found %v %v, expected %v", high, metric, got, known, want)
			}
		}
	}
}

// A machine is off to the end of a gap, also where a step of the tariff is that end but for rounding: 7 periods of 3.3 are 23.099999999999998.
func TestNoMachineIsOnBetweenTimesThatAreOne(t *testing.T) {
	for _, last := range []float64{23.1, 7 * 3.3, math.Nextafter(7*3.3, 0)} {
		b := model.NewBuilder("one")
		b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, 4}}, Period: 3.3}
		b.Spec().Horizon = &model.HorizonSpec{To: last}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		b.Cluster(model.ClusterSpec{ID: "asleep", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 90, Off: []model.OffSpec{{Name: "off"}}}}}})
		b.Job(model.JobSpec{ID: "j", Work: new(1.0)})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, &model.Solution{Jobs: []model.Placement{{Job: "j", Cluster: "c", Processors: model.Processors(0), Start: 1, End: 2}}})
		if !report.OK() {
			t.Fatal(report.Violations)
		}
		for _, metric := range []string{"peak_power", "energy", "energy_cost"} {
			if got, known := report.Metrics.Get(metric); !known || got != 0 {
				t.Errorf("horizon to %v: %s: found %v %v, expected 0", last, metric, got, known)
			}
		}
	}
}

// A list repeats at exact times, which float64 numbers seldom are since 1970: what power costs is right to the last digits all the same, also as an exact number.
func TestTariffsRepeatAtExactTimes(t *testing.T) {
	for seed := range race.Fewer(uint64(2000), 400) {
		d := &powerDrawer{Rand: rand.New(rand.NewPCG(seed, 57))}
		clock := []float64{0, 1.7e9, 1.7e12}[d.IntN(3)]
		period := []float64{0.7, 1.1, 2.3, 3.6, 60.1 / 7}[d.IntN(5)]
		first := period * d.Float64()
		list := func() [][]float64 {
			return [][]float64{{first, float64(d.IntN(5))}, {first + period/3, float64(d.IntN(5) - 1)}, {first + period/2, 1e3 * float64(d.IntN(2))}}
		}
		prices, carbon := list(), list()
		b := model.NewBuilder("repeats")
		b.Spec().Tariff = &model.TariffSpec{Price: prices, Carbon: carbon, Period: period}
		from, to := clock+d.quarters(8), clock+4+d.quarters(40)
		b.Spec().Horizon = &model.HorizonSpec{From: from, To: to}
		b.Spec().Objective = map[string]float64{"energy_cost": 1}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 3}}}})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, &model.Solution{Jobs: []model.Placement{}})
		if !report.OK() {
			t.Fatal(report.Violations)
		}
		for metric, list := range map[string][][]float64{"energy_cost": prices, "carbon": carbon} {
			want, size := addedUp(list, period, from, to)
			got, known := report.Metrics.Get(metric)
			if off := new(big.Rat).Sub(exactly([]float64{got}), want.Mul(want, big.NewRat(3, 1))); !known || off.Abs(off).Cmp(exactly([]float64{1e-13 * 3 * size})) > 0 {
				exact, _ := want.Float64()
				t.Fatalf("seed %d, from %v to %v, period %v: %s: found %v, expected %v", seed, from, to, period, metric, got, exact)
			}
		}
	}
}

// addedUp is a list that repeats, added up in exact numbers, and the sum of its magnitudes.
func addedUp(list [][]float64, period, from, to float64) (sum *big.Rat, size float64) {
	sum = new(big.Rat)
	begin, end, round := exactly([]float64{from}), exactly([]float64{to}), exactly([]float64{period})
	turns, _ := new(big.Rat).Quo(new(big.Rat).Sub(begin, exactly([]float64{list[0][0]})), round).Float64()
	for n := int64(turns) - 2; ; n++ {
		shift := new(big.Rat).Mul(big.NewRat(n, 1), round)
		if new(big.Rat).Add(exactly([]float64{list[0][0]}), shift).Cmp(end) >= 0 {
			return sum, size
		}
		for k := range list {
			starts, stops := new(big.Rat).Add(exactly([]float64{list[k][0]}), shift), new(big.Rat).Add(exactly([]float64{list[0][0]}), shift)
			if stops.Add(stops, round); k+1 < len(list) {
				stops.Add(exactly([]float64{list[k+1][0]}), shift)
			}
			if starts.Cmp(begin) < 0 {
				starts = begin
			}
			if stops.Cmp(end) > 0 {
				stops = end
			}
			if passed := new(big.Rat).Sub(stops, starts); passed.Sign() > 0 {
				part, _ := passed.Mul(passed, exactly([]float64{list[k][1]})).Float64()
				sum.Add(sum, passed)
				size += math.Abs(part)
			}
		}
	}
}
