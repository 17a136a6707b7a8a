package prove

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// proved is a verified certificate of the objective.
type proved struct {
	by string
	c  *proof.Certificate
}

// judgeRanked compares a schedule with the least objective, metric by metric in the order of their ranks: nothing may be below it, and what is called
// optimal must have it. For exact times there is no tolerance. Else the stated times are off by rounding, which a large weight makes larger
// than the small terms. Then the sum is compared with the least up to what rounding makes of it, and with the other checked schedules up to two
// millionths of its smallest term, see [model.Evaluation.Proves].
func (t *trial) judgeRanked(by string, sol *model.Solution, optimal bool) {
	table := t.small.read(t.in, sol)
	value := t.small.weighted(t.objective, &table)
	slack := t.small.slackOf(t.objective)
	excess := new(big.Rat).Sub(value, t.ranking.least)
	if new(big.Rat).Neg(excess).Cmp(slack) > 0 {
		t.report(by, "schedule", float(value), float(t.ranking.least), "a schedule below the least of all schedules: the checker or this test is wrong: "+t.compared(&table))
	}
	switch {
	case optimal && excess.Cmp(slack) > 0:
		t.report(by, "optimal", float(value), float(t.ranking.least), "says optimal: "+t.compared(&table))
	case optimal:
		t.optima = append(t.optima, optimum{by, value, t.smallest(&table)})
	}
	if t.lowest == nil || value.Cmp(t.lowest) < 0 {
		t.lowest = value
	}
}

// optimum is a schedule that is called optimal: its objective, and the smallest term of it that is not 0.
type optimum struct {
	by              string
	value, smallest *big.Rat
}

// smallest is the smallest weighted metric that is not 0. A metric that is better when high counts by what it lacks.
func (t *trial) smallest(table *timetable) *big.Rat {
	least := new(big.Rat)
	for metric, weight := range t.objective {
		x := t.small.figure(metric, table)
		switch metric {
		case "finished":
			x.Sub(count(len(t.small.jobs)), x)
		case "utilisation":
			x.Sub(count(100), x)
		case "work_done":
			x = new(big.Rat) // whole unless there are hard deadlines, with which it is not drawn
		}
		if x.Mul(x, new(big.Rat).SetFloat64(weight)); x.Sign() > 0 && (least.Sign() == 0 || x.Cmp(least) < 0) {
			least = x
		}
	}
	return least
}

// compared lists the metrics of a timetable beside those of the best, in the order of their ranks.
func (t *trial) compared(table *timetable) string {
	var list []string
	for _, metric := range t.ranking.order {
		list = append(list, fmt.Sprintf("%s %v (least %v)", metric, float(t.small.figure(metric, table)), math.Abs(float(t.ranking.figures[metric]))))
	}
	return strings.Join(list, ", ")
}

// float is the nearest float64, for messages.
func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// compareRanked compares the bounds with the least objective, and each certificate with each planted schedule: "optimal, proved" must not be said of
// one that is not.
func (t *trial) compareRanked() {
	slack := t.small.slackOf(t.objective)
	least, alone := slack.Add(slack, t.ranking.least), map[string]*big.Rat{}
	for metric, x := range t.ranking.alone {
		slack := t.small.slack(metric)
		alone[metric] = slack.Add(slack, x)
	}
	for _, c := range t.claims {
		limit := least
		if c.metric != "" {
			limit = alone[c.metric]
		}
		if c.what != "bound" || math.IsNaN(c.value) || math.IsInf(c.value, 0) {
			continue
		}
		if new(big.Rat).SetFloat64(c.value).Cmp(limit) > 0 {
			t.report(c.by, c.what, c.value, float(limit), fmt.Sprintf("says bound %v; the least is %v %s", c.value, float(limit), c.metric))
		}
	}
	for _, p := range t.proved {
		if value, known := p.c.Bound.Value(); known && new(big.Rat).SetFloat64(value).Cmp(least) > 0 {
			t.report(p.by, "certificate", value, float(least), fmt.Sprintf("a bound of %v is verified; the least is %v", value, float(least)))
		}
	}
	for _, o := range t.optima {
		excess := new(big.Rat).Sub(o.value, t.lowest)
		if excess.Cmp(new(big.Rat).Mul(o.smallest, big.NewRat(2, 1e6))) > 0 {
			t.report(o.by, "optimal", float(o.value), float(t.lowest), fmt.Sprintf("says optimal: %v, and a checked schedule has %v", float(o.value), float(t.lowest)))
		}
	}
	t.tryAsOptimal()
}

// tryAsOptimal offers the planted schedules that are not the best as optimal: to each verified certificate, and to each bound.
func (t *trial) tryAsOptimal() {
	for _, sol := range t.Schedules {
		table := t.small.read(t.in, sol)
		excess := new(big.Rat).Sub(t.small.weighted(t.objective, &table), t.ranking.least)
		if excess.Cmp(t.small.slackOf(t.objective)) <= 0 {
			continue
		}
		evaluation, err := model.Evaluate(t.in, sol)
		if err != nil {
			continue
		}
		for _, c := range t.claims {
			if c.what == "bound" && c.metric == "" && evaluation.Proves(model.ProvedBound(c.value)) {
				t.report(c.by, "optimal", c.value, float(t.ranking.least), "the bound proves a planted schedule optimal: "+t.compared(&table))
			}
		}
		for _, p := range t.proved {
			if out := proof.CheckSolution(context.Background(), t.in, p.c, sol); out.Optimal {
				t.report(p.by, "optimal", evaluation.Objective, float(t.ranking.least), "the certificate proves a planted schedule optimal: "+t.compared(&table))
			}
		}
	}
}
