package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Verdict is what the checker says of a certificate.
type Verdict string

// The three verdicts.
const (
	Verified     Verdict = "verified"      // the bound holds
	Refuted      Verdict = "refuted"       // the certificate does not prove its bound
	NotCertified Verdict = "not certified" // there is nothing to check, or the checker does not cover the instance
)

// Report is the outcome of a check.
type Report struct {
	Verdict Verdict `json:"verdict"`
	Step    string  `json:"step,omitempty"`   // the step that fails, as a path in the certificate
	Reason  string  `json:"reason,omitempty"` // why
}

// stepError is a step of a certificate that fails.
type stepError struct {
	Step   string
	Reason string
	Doubt  bool // the step may be right: the checker does not cover it
}

func (e *stepError) Error() string {
	if e.Step == "" {
		return e.Reason
	}
	return e.Step + ": " + e.Reason
}

// refute says that a step fails.
func refute(step, format string, args ...any) error {
	return &stepError{Step: step, Reason: fmt.Sprintf(format, args...)}
}

// doubt says that a step cannot be checked.
func doubt(step, format string, args ...any) error {
	return &stepError{Step: step, Reason: fmt.Sprintf(format, args...), Doubt: true}
}

// report turns an error into a report.
func report(err error) Report {
	var e *stepError
	switch {
	case err == nil:
		return Report{Verdict: Verified}
	case errors.As(err, &e) && e.Doubt:
		return Report{NotCertified, e.Step, e.Reason}
	case errors.As(err, &e):
		return Report{Refuted, e.Step, e.Reason}
	}
	return Report{Verdict: Refuted, Reason: err.Error()}
}

// Check verifies a certificate of the instance and its objective. A certificate of another objective proves nothing of this one: the verdict is
// [NotCertified]. To check it give it the instance with that objective, see [model.Instance.WithObjective]. Where ctx ends first the verdict is
// [NotCertified] too.
func Check(ctx context.Context, in *model.Instance, c *Certificate) Report {
	return report(check(ctx, in, c))
}

// check verifies a certificate.
func check(ctx context.Context, in *model.Instance, c *Certificate) error {
	if c.InstanceSHA256 != in.SHA256() {
		return refute("instance_sha256", "the certificate is of another instance: expected %s", in.SHA256())
	}
	if len(c.Objective) == 0 {
		return refute("objective", "expected at least one metric")
	}
	if err := checkNumbers(c); err != nil {
		return err
	}
	if _, err := in.WithObjective(c.Objective); err != nil {
		return refute("objective", "%v", err)
	}
	if !sameObjective(c.Objective, in.StatedObjective()) {
		return doubt("objective", "the certificate is of the objective %s, not of %s: it proves nothing here", weighted(c.Objective), weighted(in.StatedObjective()))
	}
	if held := in.Features() & model.Commitments; held != 0 {
		return doubt("", "instances with %s are not covered", held)
	}
	if c.Infeasible != nil {
		if c.Bound.Known() || len(c.Parts)+len(c.Choices) > 0 {
			return refute("infeasible", "expected no bound beside it")
		}
		f := newFacts(ctx, in)
		if f.cut {
			return doubt("", "the check was cut off")
		}
		return checkInfeasible(f, c.Infeasible)
	}
	bound, known := c.Bound.Value()
	switch {
	case !known && c.NotCertified == "":
		return refute("bound", "expected a number")
	case !known:
		return doubt("not_certified", "%s", c.NotCertified)
	}
	err := checkSum(ctx, in, c, bound)
	if err == nil && (c.NotCertified != "" || c.Stated.Known()) {
		return doubt("not_certified", "%s; verified is a bound of %v", c.NotCertified, bound)
	}
	return err
}

// sameObjective says whether two objectives have the same weights. A weight of 0 counts for nothing.
func sameObjective(a, b map[string]float64) bool {
	for metric := range a {
		if a[metric] != b[metric] {
			return false
		}
	}
	for metric := range b {
		if a[metric] != b[metric] {
			return false
		}
	}
	return true
}

// weighted shows an objective in JSON, shortened.
func weighted(objective map[string]float64) string {
	text, _ := json.Marshal(objective) // its weights are finite, see check
	const most = 120
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// checkSum verifies the parts, and that their weighted sum is at least the bound. A metric of positive weight without a part is at
// least 0, if it cannot be negative; one of negative weight is at most its largest value, less what a part says that it lacks.
func checkSum(ctx context.Context, in *model.Instance, c *Certificate, bound float64) error {
	f := newFacts(ctx, in)
	if f.cut {
		return doubt("", "the check was cut off")
	}
	if err := f.exclude(c.OwedBy); err != nil {
		return err
	}
	switch {
	case c.Owed > f.owed:
		return refute("owed", "only %d jobs are proved to be owed, not %d", f.owed, c.Owed)
	case c.Owed < f.owed: // what it says is true, but of no schedule
		return doubt("owed", "every schedule owes at least %d jobs, and the bound is of those that owe %d", f.owed, c.Owed)
	}
	switch {
	case len(c.Choices) == 0:
		return f.addUp(c.Parts, bound, "")
	case len(c.Parts) > 0:
		return refute("parts", "expected no parts beside choices")
	}
	return f.eachChoice(c, bound)
}

// addUp verifies the parts, and that their weighted sum is at least the bound.
func (f *facts) addUp(list []Part, bound float64, at string) error {
	in := f.in
	parts := map[string]*Part{}
	var open error
	for k := range list {
		p, step := &list[k], fmt.Sprintf("%sparts[%d]", at, k)
		if parts[p.Metric] != nil {
			return refute(step+".metric", "expected each metric once, found %s again", p.Metric)
		}
		parts[p.Metric] = p
		if p.Sum != nil {
			if err := f.covers(p, parts, step); err != nil {
				return err
			}
		}
		err := f.checkPart(p, step)
		var e *stepError
		if errors.As(err, &e) && e.Doubt {
			open = err // a later part may still be wrong
		} else if err != nil {
			return err
		}
	}
	sum := new(big.Rat)
	for _, term := range in.ObjectiveTerms() {
		weight, part := number(term.Weight), parts[term.Metric]
		signed := in.MayBeNegative(term.Metric)
		if part != nil && part.Sum != nil {
			if part.Metric == term.Metric {
				sum.Add(sum, number(part.Bound))
			}
			continue
		}
		counts := part != nil && (part.Bound > 0 || signed) && part.Lacks == (term.Weight < 0)
		switch {
		case term.Weight < 0:
			most, ok := f.most(term.Metric)
			if !ok {
				return doubt("objective", "%s has no largest value that is known", term.Metric)
			}
			if counts {
				most.Sub(most, number(part.Bound))
			}
			sum.Add(sum, most.Mul(most, weight))
		case counts:
			sum.Add(sum, weight.Mul(weight, number(part.Bound)))
		case signed && term.Weight > 0:
			return refute(at+"parts", "expected a part of %s, which may be negative", term.Metric)
		}
	}
	if sum.Cmp(number(bound)) < 0 {
		return refute(at+"bound", "the parts add up to %s only", decimal(sum))
	}
	return open
}

// Together are the metrics of which prices of processor time and power bound a sum. See [Listed] for another list.
var Together = []string{"carbon", "energy", "energy_cost", "mean_response", "mean_wait", "over_deadline"}

// covers makes the part that of each metric of its sum, of which the weights are those of the objective.
func (f *facts) covers(p *Part, parts map[string]*Part, step string) error {
	if p.Lacks || p.Step != 0 || p.By == nil || p.By.PowerPrices == nil && p.By.ListSchedules == nil {
		return refute(step+".sum", "expected an argument for sums of metrics")
	}
	together := Together
	if p.By.PowerPrices == nil {
		together = Listed
	}
	if _, listed := p.Sum[p.Metric]; !listed {
		return refute(step+".sum", "expected the metric of the part, %s", quoted(p.Metric))
	}
	weights := map[string]float64{}
	for _, term := range f.in.ObjectiveTerms() {
		weights[term.Metric] = term.Weight
	}
	for _, metric := range slices.Sorted(maps.Keys(p.Sum)) {
		if weight := p.Sum[metric]; !slices.Contains(together, metric) || !(weight > 0) || weights[metric] != weight {
			return refute(step+".sum", "expected weights of the objective, of metrics that can be bounded together, found %v of %s", weight, quoted(metric))
		}
		if parts[metric] != nil && parts[metric] != p {
			return refute(step+".sum", "expected each metric once, found %s again", metric)
		}
		parts[metric] = p
	}
	return nil
}

// checkPart verifies the bound of one metric, or of a sum.
func (f *facts) checkPart(p *Part, step string) error {
	if p.Sum == nil && p.Bound <= 0 && !f.in.MayBeNegative(p.Metric) {
		return nil // the metric is not negative
	}
	if p.By == nil {
		return doubt(step+".by", "nothing to check: method %s gives no certificate", quoted(p.Method))
	}
	goal := number(p.Bound)
	if p.Step != 0 && p.Lacks {
		return refute(step+".step", "what a metric lacks is not known to be a multiple of a step")
	}
	if p.Step != 0 {
		raised, err := f.goal(p, step)
		if err != nil {
			return err
		}
		goal = raised
	}
	return f.prove(p, goal, step+".by")
}

// prove verifies that the metric of the part, or what it lacks, is at least the goal; where the goal says more, that it exceeds the goal.
func (f *facts) prove(p *Part, goal *big.Rat, step string) error {
	metric, by := p.Metric, p.By
	kinds := []struct {
		set    bool
		name   string
		metric string // empty: any that the kind knows
		check  func(step string) error
	}{
		{by.CriticalPath != nil, "critical_path", "makespan", func(s string) error { return f.atLeast(goal, s)(f.criticalPath(by.CriticalPath, s)) }},
		{by.Area != nil, "area", "makespan", func(s string) error { return f.atLeast(goal, s)(f.area(by.Area, s)) }},
		{by.Pigeonhole != nil, "pigeonhole", "makespan", func(s string) error { return f.atLeast(goal, s)(f.pigeonhole(by.Pigeonhole, s)) }},
		{by.Energetic != nil, "energetic", "makespan", func(s string) error { return f.atLeast(goal, s)(f.energetic(by.Energetic, s)) }},
		{by.Moldable != nil, "moldable", "makespan", func(s string) error { return f.atLeast(goal, s)(f.moldable(by.Moldable, s)) }},
		{by.Windows != nil, "windows", "makespan", func(s string) error { return f.atLeast(goal, s)(f.windows(by.Windows, s)) }},
		{by.EachAlone != nil, "each_alone", "", func(s string) error { return f.atLeast(goal, s)(f.eachAlone(metric, s)) }},
		{by.TimePrices != nil, "prices_over_time", "", func(s string) error { return f.timePrices(metric, by.TimePrices, goal, s) }},
		{by.AreaLevels != nil, "area_levels", "mcp", func(s string) error { return f.areaLevels(goal, s) }},
		{by.Partitions != nil, "partitions", "mcp", func(s string) error { return f.partitions(by.Partitions, goal, s) }},
		{by.ListSchedules != nil, "list_schedules", "", func(s string) error { return f.listSchedules(p, goal, s) }},
		{by.Counts != nil, "counts", "mcp", func(s string) error { return f.counts(by.Counts, goal, s) }},
		{by.MachinePrices != nil, "machine_prices", "", func(s string) error { return f.atLeast(goal, s)(f.machinePrices(metric, p.Lacks, by.MachinePrices, s)) }},
		{by.TimeOfUse != nil, "time_of_use", "", func(s string) error { return f.timeOfUse(metric, by.TimeOfUse, goal, s) }},
		{by.PowerPrices != nil, "priced_power", "", func(s string) error { return f.pricedPower(p, goal, s) }},
		{by.Levels != nil, "levels", "qos_penalty", func(s string) error { return f.levels(by.Levels, goal, s) }},
	}
	found := -1
	for k := range kinds {
		if !kinds[k].set {
			continue
		}
		if found >= 0 {
			return refute(step, "expected one argument, found %s and %s", kinds[found].name, kinds[k].name)
		}
		found = k
	}
	if found < 0 {
		return refute(step, "expected an argument, found none")
	}
	step += "." + kinds[found].name
	if p.Lacks && by.MachinePrices == nil {
		return refute(step, "it does not bound what a metric lacks")
	}
	if kinds[found].metric != "" && kinds[found].metric != metric {
		return refute(step, "it bounds %s, not %s", kinds[found].metric, quoted(metric))
	}
	return kinds[found].check(step)
}

// atLeast compares what an argument proves with the goal.
func (f *facts) atLeast(goal *big.Rat, step string) func(*big.Rat, error) error {
	return func(found *big.Rat, err error) error {
		if err == nil && found.Cmp(goal) < 0 {
			err = short(step, decimal(found), goal)
		}
		return err
	}
}

// short says that a step proves too little.
func short(step, found string, goal *big.Rat) error {
	return refute(step, "proves %s, not %s", found, decimal(goal))
}

// most is the largest value of a metric that is better when high.
func (f *facts) most(metric string) (*big.Rat, bool) {
	sum := new(big.Rat)
	switch metric {
	case "utilisation", "processor_usage", "licence_usage", "device_utilisation":
		return sum.SetInt64(100), true
	case "finished", "data_moved", "work_done":
		for j, never := range f.never {
			if !never {
				sum.Add(sum, f.amount(metric, j))
			}
		}
		return sum, true
	}
	return nil, false
}

// amount is what job j, if it is finished, adds to a metric that counts finished jobs, their data or their work.
func (f *facts) amount(metric string, j int) *big.Rat {
	switch job := &f.in.Jobs()[j]; metric {
	case "data_moved":
		return number(job.Input + job.Output)
	case "work_done":
		return number(job.TotalWork())
	}
	return big.NewRat(1, 1)
}

// decimal shows a number to 17 digits.
func decimal(x *big.Rat) string {
	value, _ := x.Float64()
	if math.IsInf(value, 0) {
		return "a number beyond float64"
	}
	return fmt.Sprint(value)
}

// quoted shows a text from a certificate, shortened.
func quoted(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", text)
}
