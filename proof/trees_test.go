package proof_test

import (
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Two equal clusters of one processor, two jobs of 1: with one job on each mcp is 1/3, as is the bound at a price of 1/3 of each job.
func TestCountsByHand(t *testing.T) {
	in := built(t, model.NewBuilder("counts").Minimise("mcp", 1).Cluster(cluster("c", 1, 1), cluster("d", 1, 1)).Job(job("a", 1, 1), job("b", 1, 1)))
	free := proof.ClusterPrices{Processor: []float64{2}} // the price of idle time and makespan: the jobs pay what the cluster costs
	tree := func(u float64, nodes ...proof.Node) proof.Argument {
		return proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: nodes,
			Prices: []proof.JobPrices{{Jobs: []float64{u, u}, Clusters: []proof.ClusterPrices{free, free}}}}}
	}
	// A job that runs gains its idle time 1 and pays 2, so its cluster costs n·1/3 for each of its n jobs: all on one cluster cost 2·2/3/2, one on
	// each 1/3 each over 2. g(1) = 1/6 − u, g(2) = 4/6 − 2u, and Σu = 2u: the least is 1/3.
	expect(t, in, "mcp", 1.0/3, 0, tree(1.0/6, proof.Node{Prices: []int{0}}))
	expect(t, in, "mcp", 1.0/3, 0, tree(5, proof.Node{Prices: []int{0}}))
	split := &proof.Split{Of: 0, What: "jobs", At: 0, Low: 1, High: 2}
	expect(t, in, "mcp", 1.0/3, 0, tree(1.0/6, proof.Node{Split: split}, proof.Node{Prices: []int{0}}, proof.Node{Prices: []int{0}}))
	for name, by := range map[string]proof.Argument{
		"a leaf is open":     tree(1.0/6, proof.Node{Split: split}, proof.Node{Prices: []int{0}}, proof.Node{}),
		"a leaf is missing":  tree(1.0/6, proof.Node{Split: split}, proof.Node{Prices: []int{0}}),
		"a node is its own":  tree(1.0/6, proof.Node{Split: &proof.Split{What: "jobs", Low: 0, High: 0}}),
		"two parents":        tree(1.0/6, proof.Node{Split: &proof.Split{What: "jobs", Low: 1, High: 1}}, proof.Node{Prices: []int{0}}),
		"no such prices":     tree(1.0/6, proof.Node{Prices: []int{1}}),
		"no such cluster":    tree(1.0/6, proof.Node{Split: &proof.Split{Of: 2, What: "jobs", Low: 1, High: 2}}, proof.Node{Prices: []int{0}}, proof.Node{Prices: []int{0}}),
		"a split of loads":   tree(1.0/6, proof.Node{Split: &proof.Split{What: "load", Low: 1, High: 2}}, proof.Node{Prices: []int{0}}, proof.Node{Prices: []int{0}}),
		"no root":            tree(1.0 / 6),
		"a node without one": tree(1.0/6, proof.Node{Prices: []int{0}}, proof.Node{Prices: []int{0}}),
	} {
		if r := verdict(t.Context(), in, claim(in, "mcp", 0.33, 0, &by)); r.Verdict != proof.Refuted || r.Step == "" {
			t.Errorf("%s: %v", name, r)
		}
	}
	// Without prices of time a cluster that stops at once costs nothing: the makespan of a bucket may be at its begin.
	idle := tree(1.0 / 6)
	idle.Counts.Nodes = []proof.Node{{Prices: []int{0}}}
	none := proof.ClusterPrices{Processor: []float64{0}}
	idle.Counts.Prices[0].Clusters = []proof.ClusterPrices{none, none}
	if r := verdict(t.Context(), in, claim(in, "mcp", 0.01, 0, &idle)); r.Verdict != proof.Refuted {
		t.Errorf("without prices: %v", r)
	}
	expect(t, in, "mcp", 1.0/3, 0, proof.Argument{AreaLevels: &proof.AreaLevels{}})
}

// A box that costs exactly the bound is closed: at numbers that nothing rounds, a bound of the optimum is proved.
func TestCountsProveTheBoundItself(t *testing.T) {
	only := cluster("c", 1, 1)
	only.Weights = &model.WeightsSpec{OverDeadline: new(0.0), Makespan: new(1.0), IdleTime: new(0.0)}
	in := built(t, model.NewBuilder("exact").Minimise("mcp", 1).Cluster(only).Job(job("a", 1, 1)))
	by := proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}},
		Prices: []proof.JobPrices{{Jobs: []float64{1}, Clusters: []proof.ClusterPrices{{Processor: []float64{1}}}}}}}
	for bound, want := range map[float64]proof.Verdict{1: proof.Verified, math.Nextafter(1, 2): proof.Refuted} {
		if r := verdict(t.Context(), in, claim(in, "mcp", bound, 0, &by)); r.Verdict != want {
			t.Errorf("mcp ≥ %v: %v", bound, r)
		}
	}
}

// Weights are divided by their exact sum and rounded down. So a weight of 1 out of 1 + 1e-18 is below 1, and a bound of 1 is not proved, although 1 + 1e-18 is 1
// in float64.
func TestWeightsOfCountsRoundDown(t *testing.T) {
	for over, want := range map[float64]proof.Verdict{0: proof.Verified, 1e-18: proof.Refuted} {
		only := cluster("c", 1, 1)
		only.Weights = &model.WeightsSpec{OverDeadline: &over, Makespan: new(1.0), IdleTime: new(0.0)}
		in := built(t, model.NewBuilder("part").Minimise("mcp", 1).Cluster(only).Job(job("a", 1, 1)))
		by := proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}},
			Prices: []proof.JobPrices{{Jobs: []float64{1}, Clusters: []proof.ClusterPrices{{Processor: []float64{1}}}}}}}
		if r := verdict(t.Context(), in, claim(in, "mcp", 1, 0, &by)); r.Verdict != want {
			t.Errorf("1 of 1 + %v: %v", over, r)
		}
	}
}

// The worked instance of the G/G/1 allocation: 1/3 is optimal, two tasks on the first machine and the third on the second.
func TestLevelsByHand(t *testing.T) {
	in, err := model.ReadInstanceFile("../examples/ggone.json")
	if err != nil {
		t.Fatal(err)
	}
	zero := make([]float64, len(in.Jobs()))
	tree := func(loads ...proof.Loads) proof.Argument {
		return proof.Argument{Levels: &proof.Levels{Prices: [][]float64{zero}, Nodes: []proof.Node{{Prices: []int{0}, Loads: loads}}}}
	}
	// At prices of 0 the loads 2 and 1 cost least: the first machine takes t2 for nothing and t3 for 1/6, the second t2 for nothing again.
	expect(t, in, "qos_penalty", 1.0/6, 0, tree())
	// With these loads t1 costs 1/3 at least, wherever it is. All others cost more: 2.45 at 3 and 0, and the second machine takes no three.
	expect(t, in, "qos_penalty", 1.0/3, 0, tree(proof.Loads{At: []int{2, 1}, Places: []float64{0, 0}}))
	expect(t, in, "qos_penalty", 1.0/3, 0, tree(proof.Loads{At: []int{2, 1}, Places: []float64{5, 5}}))
	for name, by := range map[string]proof.Argument{
		"other loads":       tree(proof.Loads{At: []int{3, 0}, Places: []float64{0, 0}}),
		"prices that waste": tree(proof.Loads{At: []int{2, 1}, Places: []float64{0, 5}}),
		"too few places":    tree(proof.Loads{At: []int{2, 1}, Places: []float64{0}}),
	} {
		if r := verdict(t.Context(), in, claim(in, "qos_penalty", 0.3, 0, &by)); r.Verdict != proof.Refuted || !strings.Contains(r.Step, "loads") {
			t.Errorf("%s: %v", name, r)
		}
	}
	split := tree(proof.Loads{At: []int{2, 1}, Places: []float64{0, 0}})
	split.Levels.Nodes = append([]proof.Node{{Split: &proof.Split{Of: 0, What: "load", At: 2, Low: 1, High: 2}}}, split.Levels.Nodes[0], proof.Node{Prices: []int{0}})
	expect(t, in, "qos_penalty", 1.0/3, 0, split)
}

func TestInfeasible(t *testing.T) {
	b := model.NewBuilder("full").Minimise("qos_penalty", 1)
	q := &model.QueueSpec{ServiceRate: 0.5}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Queue: q}, {ID: "n", Queue: q}}})
	for k := range 9 {
		b.Job(job(string(rune('a'+k)), 1, 1))
	}
	b.Spec().Queueing = &model.QueueingSpec{Rate: 0.9, Period: 10}
	in := built(t, b)
	c := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: map[string]float64{"qos_penalty": 1}}
	for _, i := range []struct {
		proof.Infeasible
		want proof.Verdict
	}{
		{proof.Infeasible{Condition: "room", Most: 8, Needed: 9}, proof.Verified}, // μ·T is 5 for each machine, which stays stable with 4 tasks
		{proof.Infeasible{Condition: "room", Most: 8, Needed: 8}, proof.Refuted},
		{proof.Infeasible{Condition: "room", Most: 10, Needed: 9}, proof.Refuted},
		{proof.Infeasible{Condition: "rate", Most: 1, Needed: 0.9}, proof.Refuted},
	} {
		c.Infeasible = &i.Infeasible
		if r := verdict(t.Context(), in, c); r.Verdict != i.want {
			t.Errorf("%v: %v", i, r)
		}
	}
	b.Job(job("y", 1, 1), job("z", 1, 1))
	b.Spec().Queueing.Rate = 1.1
	in = built(t, b)
	c.InstanceSHA256 = in.SHA256()
	for _, i := range []struct {
		proof.Infeasible
		want proof.Verdict
	}{
		{proof.Infeasible{Condition: "room", Most: 8, Needed: 11}, proof.Verified},
		{proof.Infeasible{Condition: "room", Most: 10, Needed: 11}, proof.Refuted},
		{proof.Infeasible{Condition: "room", Most: 8, Needed: 12}, proof.Refuted},
		{proof.Infeasible{Condition: "rate", Most: 1, Needed: 1.1}, proof.Verified},
		{proof.Infeasible{Condition: "rate", Most: 1.05, Needed: 1.1}, proof.Refuted},
	} {
		c.Infeasible = &i.Infeasible
		if r := verdict(t.Context(), in, c); r.Verdict != i.want {
			t.Errorf("%v: %v", i, r)
		}
	}
}

// Where the rate of arrivals exceeds that of the jobs only because both are stated with nine digits, there is no idle rate. A machine that serves just the rate
// of arrivals then stays stable, so the instance is not infeasible.
func TestRatesOfNineDigitsAreNotInfeasible(t *testing.T) {
	for _, digits := range []float64{1e-12, 5e-10, 1e-8} {
		b := model.NewBuilder("digits").Minimise("qos_penalty", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Queue: &model.QueueSpec{ServiceRate: 1}}}})
		b.Job(job("a", 1, 4))
		b.Spec().Jobs[0].Deadline = new(1.0)
		b.Spec().Queueing = &model.QueueingSpec{Rate: 1, Period: 1 + digits}
		in := built(t, b)
		sol := &model.Solution{Jobs: []model.Placement{{Job: "a", End: 4, Cluster: "c", Processors: model.Processors(0)}}}
		found := model.Check(in, sol)
		if !found.OK() || math.IsInf(found.Objective, 1) != (digits > 1e-9) {
			t.Fatalf("%v: %v costs %v", digits, found.Violations, found.Objective)
		}
		c := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: map[string]float64{"qos_penalty": 1}, Infeasible: &proof.Infeasible{Condition: "rate", Most: 1, Needed: 1}}
		if r := proof.Check(t.Context(), in, c); (r.Verdict == proof.Verified) != math.IsInf(found.Objective, 1) {
			t.Errorf("%v: %v, and a schedule costs %v", digits, r, found.Objective)
		}
	}
}

// A machine whose rate is just that of its tasks is not stable. A task without limits costs nothing there in any other eyes, and the bound would be 0.
func TestLevelsLeaveOutMachinesThatAreJustFull(t *testing.T) {
	b := model.NewBuilder("full").Minimise("qos_penalty", 1)
	zero, one, two := 0.0, 1.0, 2.0
	queue := func(rate float64) *model.QueueSpec {
		return &model.QueueSpec{ServiceRate: rate, ArrivalVariance: &two, ServiceVariance: &zero}
	}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Queue: queue(0.5)}, {ID: "n", Queue: queue(1.0 / 6)}}})
	late := job("b", 1, 4)
	late.Deadline = &one
	b.Job(job("a", 1, 1), late)
	b.Spec().Queueing = &model.QueueingSpec{Rate: 1.0 / 3, Period: 6}
	in := built(t, b)
	// m has both tasks: its rate is 1/3, its wait (1/3)/(1 − 2/3) = 1, and the penalty of the second 1 + 4 − 1. Alone there it would wait 1/4.
	expect(t, in, "qos_penalty", 4, 0, proof.Argument{Levels: &proof.Levels{Prices: [][]float64{{0, 0}}, Nodes: []proof.Node{{Prices: []int{0}}}}})
}
