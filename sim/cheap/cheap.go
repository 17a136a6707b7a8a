// Package cheap keeps jobs out of the queue for a cheaper start: how long a job may wait for one, and which start it waits for.
//
// A job that arrives at a is kept out of the queue until a time from a to a + budget. From then on it is in the queue like any other, at whatever price, so
// it waits for its start at most the budget longer than the queue lets it, and no job that is in the queue waits for one that is not. What a job waits for
// is decided once, at its arrival, and depends on its arrival, its estimate and the tariff alone.
//
// The rules:
//
//   - worth: the start at which the job, by its estimate, is cheapest if it also pays for its wait: an amount for each time waited, the same for every job. So a
//     job that saves little, because it is narrow or short, waits little; of all ways to choose starts for jobs that do not get in each other's way, this one saves
//     most for the same sum of waits. Ours.
//   - quantile: the first time at which the price is at most a quantile, by time, of the prices known at the arrival. Where there is none within the budget,
//     as slot. Thresholds of this kind are used by A. Souza et al. (2023), Ecovisor, ASPLOS, doi:10.1145/3575693.3575709, there to suspend jobs.
//   - slot, window and oracle are those of W. A. Hanafy et al. (2024), Going green for less green
//     (GAIA), ASPLOS, doi:10.1145/3620666.3651374: the time of the lowest price; the start at which the job, by its estimate, costs least; the start at which it
//     costs least by its true run time, which no site knows, to compare with.
//
// Ties go to the earliest time. Deviations from GAIA: there a job starts at the chosen time at once, as machines are rented without limit, and here it joins the
// queue; starts are looked for at the steps of the tariff, and a run time before them, instead of every hour after the arrival, as a cost that is linear
// between these times is least at one of them; the length of a job is its user's estimate instead of the mean of its queue; what lies beyond the known tariff
// counts at the mean of what is known.
package cheap

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim"
)

// Budget is the parameters of a policy that keeps jobs out of the queue for a cheaper start. Policies embed it.
type Budget struct {
	PriceBudget   params.Time `zero:"none" doc:"how long a job may stay out of the queue after its arrival for a cheaper start; needs a tariff"`
	PriceRule     string      `enum:"worth,quantile,slot,window,oracle" zero:"worth" doc:"with price_budget: the start that a job stays out for: the one at which the job costs least by its estimate, its wait included; the first at most a quantile of the known prices; that of the lowest price; the one at which the job costs least by its estimate; the same by its true run time, which no site knows, to compare with"`
	PriceQuantile float64     `range:"[0, 1]" when:"price_rule=quantile" doc:"price_rule quantile: the share of the known time that is cheap enough"`
	PriceWorth    float64     `range:"[0, inf)" when:"price_rule=worth" doc:"price_rule worth: what waiting for a time has to save: so many times what a processor takes in this time at the mean of the known prices"`
	PriceOf       string      `enum:"price,carbon" zero:"price" doc:"with price_budget: what is to be low"`
	TariffKnown   params.Time `doc:"with price_budget: how long ahead the tariff is known"`
}

// DefaultBudget is no budget. A tariff is known for a day ahead, as in a day-ahead market.
func DefaultBudget() Budget {
	return Budget{PriceRule: "worth", PriceWorth: 1, PriceQuantile: 0.3, PriceOf: "price", TariffKnown: "24h"}
}

// errNoTariff is the reason of an instance without a tariff.
var errNoTariff = errors.New("price_budget needs the same tariff for all clusters, with prices (price_of=price) or carbon (price_of=carbon)")

// CheckTariff says why the instance cannot be played with the budget; nil: it can, or there is no budget.
func (b *Budget) CheckTariff(in *model.Instance) error {
	_, err := b.plan(in)
	return err
}

// Deferral is when the jobs of an instance join the queue; nil: at their arrival. It is for an instance that [Budget.CheckTariff] allows.
//
// Complexity: O(n·C + s) once for n jobs, C clusters and s steps of the tariff while jobs arrive, and O(k) a job for k steps in the known time and the run.
func (b *Budget) Deferral(in *model.Instance) func(sim.Deferrable) float64 {
	p, err := b.plan(in)
	if p == nil || err != nil {
		return nil
	}
	return p.until
}

// plan is what the budget needs of an instance; nil: it has no budget.
func (b *Budget) plan(in *model.Instance) (*plan, error) {
	unit := in.Units().Time
	budget, err := b.PriceBudget.In(unit)
	if err != nil {
		return nil, fmt.Errorf("price_budget: %w", err)
	}
	if budget == 0 || len(in.Jobs()) == 0 {
		return nil, nil
	}
	known, err := b.TariffKnown.In(unit)
	switch {
	case err != nil:
		return nil, fmt.Errorf("tariff_known: %w", err)
	case known == 0:
		return nil, errors.New("tariff_known: expected a time above 0")
	}
	list, period, err := b.values(in)
	if err != nil {
		return nil, err
	}
	first, last, ahead := math.Inf(1), math.Inf(-1), known
	for k := range in.Jobs() {
		first, last = min(first, in.Jobs()[k].Arrival), max(last, in.Jobs()[k].Arrival)
		if b.PriceRule != "oracle" {
			continue
		}
		if _, runtime := sim.Lengths(in, k); !math.IsNaN(runtime) {
			ahead = max(ahead, budget+runtime)
		}
	}
	to := math.Nextafter(model.End(last, ahead), math.Inf(1))
	steps, few := model.StepsWithin(list, period, first, to)
	if !few {
		return nil, errors.New("price_budget: the tariff has too many steps while jobs arrive")
	}
	return newPlan(b, budget, known, steps), nil
}

// values are the values that are to be low, and after what time they repeat.
func (b *Budget) values(in *model.Instance) (list []model.Step, period float64, err error) {
	for c := range in.Clusters() {
		t := in.Clusters()[c].Tariff
		if t == nil {
			return nil, 0, errNoTariff
		}
		of := t.Price
		if b.PriceOf == "carbon" {
			of = t.Carbon
		}
		if len(of) == 0 || c > 0 && (period != t.Period || !slices.Equal(list, of)) {
			return nil, 0, errNoTariff
		}
		list, period = of, t.Period
	}
	return list, period, nil
}
