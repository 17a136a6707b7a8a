package papers

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/papers/verdict"
)

// Finding is the verdict on a claim under a reading, with our number.
type Finding struct {
	Claim   *Claim
	Reading *Reading
	Verdict verdict.Verdict
	Reason  string // explains the verdict, if the number alone does not
	// NotTestable says why the number is no evidence; nil: it is, or the finding is not judged yet.
	NotTestable *NotTestable
	// Value is our number, in the unit of the claim, see [Claim.Unit]. N is 0 if there is none: the claim was not run, or is about worked values.
	Value statistics.Interval
	At    []verdict.At // the value at each point, if the claim is about several
}

// Findings judges every claim under every reading from the rows. The findings are ordered by claim. Points without rows are left out; a claim all of
// whose points lack rows counts as not yet run. Repetitions are paired by seed, because all policies run on the same instances. A row with a fault is
// an error, because the missing value could decide the claim.
func (e *Experiment) Findings(rows []bench.Row) ([]Finding, error) {
	table, err := tableOf(rows)
	if err != nil {
		return nil, err
	}
	return e.findings(table, "")
}

// findings judges every claim under the reading that alone was run, or under every reading if none is named. Rows of one reading can hold a part of
// what another needs, which would judge that one by less than its own.
func (e *Experiment) findings(table sampleTable, alone string) ([]Finding, error) {
	var list []Finding
	for k := range e.Claims {
		for r := range e.Readings {
			f := Finding{Claim: &e.Claims[k], Reading: &e.Readings[r]}
			if alone != "" && f.Reading.ID != alone {
				f.Verdict, f.Reason = verdict.NotYet, notRunFor
			} else if err := e.find(table, &f); err != nil {
				return nil, fmt.Errorf("claim %s, reading %s: %w", f.Claim.ID, f.Reading.ID, err)
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// tableOf sorts rows into a table.
func tableOf(rows []bench.Row) (sampleTable, error) {
	table := sampleTable{}
	for k := range rows {
		if err := table.add(&rows[k]); err != nil {
			return nil, err
		}
	}
	return table, nil
}

// sampleTable holds the metrics of rows by group, label and seed.
type sampleTable map[[2]string]map[uint64]*bench.Row

// add adds a row.
func (t sampleTable) add(row *bench.Row) error {
	if row.Fault != "" || row.Metrics == nil {
		return fmt.Errorf("%s on %s (%s), seed %d: expected a schedule, found none: %s", row.Solver, row.Instance, row.Group, row.Seed,
			cmp.Or(row.Fault, string(row.Stop)))
	}
	at := [2]string{row.Group, row.Solver}
	if t[at] == nil {
		t[at] = map[uint64]*bench.Row{}
	}
	if t[at][row.Seed] != nil {
		return fmt.Errorf("%s in %s, seed %d: expected one row, found another", row.Solver, row.Group, row.Seed)
	}
	t[at][row.Seed] = row
	return nil
}

// cell is the group and label of a policy's rows at a point.
func (r *Reading) cell(p Point, policy string) [2]string {
	return [2]string{p.fill(r.Group), p.fill(r.Policies[policy])}
}

// repetition is the value of a quantity in one repetition.
type repetition struct {
	seed  uint64
	value float64
}

// sample returns the values of a policy's quantity at a point under a reading, ordered by seed. With a base it returns the values of those metrics
// instead. A value is NaN if a metric is missing.
func (e *Experiment) sample(table sampleTable, r *Reading, quantity, policy string, p Point, base Terms) []repetition {
	if !r.has(p) {
		return nil
	}
	rows := table[r.cell(p, policy)]
	terms := e.terms(r, quantity)
	if base != nil {
		terms = base
	}
	var list []repetition
	for seed, row := range rows {
		list = append(list, repetition{seed, terms.of(row, p.Cluster)})
	}
	if !slices.ContainsFunc(list, func(x repetition) bool { return !math.IsNaN(x.value) }) {
		return nil // the rows of this point do not have the quantity: a measured window leaves metrics of machines out
	}
	slices.SortFunc(list, func(a, b repetition) int { return cmp.Compare(a.seed, b.seed) })
	return list
}

// terms returns the metrics and weights of a quantity under a reading.
func (e *Experiment) terms(r *Reading, quantity string) weighted {
	terms := r.Quantities[quantity]
	if terms == nil {
		for _, q := range e.Quantities {
			if q.Name == quantity {
				terms = q.Terms
			}
		}
	}
	return weighted(terms)
}

// rowTerms are the terms that are fields of the row, not metrics; NaN where the row lacks them.
var rowTerms = map[string]func(*bench.Row) float64{
	"jobs":          func(row *bench.Row) float64 { return float64(row.Jobs) },
	"elapsed":       func(row *bench.Row) float64 { return row.Elapsed },
	"mean_arrival":  func(row *bench.Row) float64 { return row.MeanArrival },
	"round_mcp":     ofRounds(func(r *bench.Rounds) float64 { return r.MCP }),
	"round_balance": ofRounds(func(r *bench.Rounds) float64 { return r.Balance }),
}

// ofRounds is a term of the rounds of rolling use.
func ofRounds(term func(*bench.Rounds) float64) func(*bench.Row) float64 {
	return func(row *bench.Row) float64 {
		if row.Rounds == nil {
			return math.NaN()
		}
		return term(row.Rounds)
	}
}

// weighted is a sum of metrics.
type weighted Terms

// of computes the sum for a row. Metrics with a value for each cluster are those of the given cluster, unless the term names one.
func (w weighted) of(row *bench.Row, cluster string) float64 {
	sum := 0.0
	for _, m := range slices.Sorted(maps.Keys(w)) {
		sum += w[m] * valueOf(row, m, cluster)
	}
	return sum
}

// valueOf returns the value of a term in a row, or NaN if it is missing.
func valueOf(row *bench.Row, term, cluster string) float64 {
	if of := rowTerms[term]; of != nil {
		return of(row)
	}
	name, named, found := strings.Cut(term, "@")
	if found {
		cluster = named
	}
	value, ok := row.Metrics[name]
	switch {
	case ok && value.ByCluster != nil:
		value.Total, ok = value.ByCluster[cluster]
	case found:
		ok = false
	}
	if !ok {
		return math.NaN()
	}
	return value.Total
}

// Closest returns the finding of one claim that comes closest to the paper: the one with the best verdict, and among those the one with the number
// nearest to the paper's. Of equals it is the reading named first. It returns nil if the claim was not run.
func Closest(findings []Finding, claim *Claim) *Finding {
	var best *Finding
	for k := range findings {
		f := &findings[k]
		if f.Claim == claim && f.isRun() && (best == nil || f.nearness().less(best.nearness())) {
			best = f
		}
	}
	return best
}

// isRun reports whether the finding comes from runs.
func (f *Finding) isRun() bool {
	return f.Verdict != verdict.NotYet && f.Verdict != verdict.NotTestable
}

// nearness orders findings and readings: fewer claims that fail, that are undecided or that go only in the direction come first, then nearer numbers.
type nearness struct {
	fails, undecided, direction int
	distance                    float64
}

func (a nearness) less(b nearness) bool {
	return cmp.Or(cmp.Compare(a.fails, b.fails), cmp.Compare(a.undecided, b.undecided), cmp.Compare(a.direction, b.direction), cmp.Compare(a.distance, b.distance)) < 0
}

// nearness computes the nearness of one finding. Its distance is relative to the paper's number.
func (f *Finding) nearness() (n nearness) {
	switch f.Verdict {
	case verdict.Fails:
		n.fails = 1
	case verdict.Undecided:
		n.undecided = 1
	case verdict.DirectionOnly:
		n.direction = 1
	}
	if f.Claim.Form == percent && f.Value.N > 0 {
		n.distance = math.Abs(f.Value.Estimate-*f.Claim.Value) / math.Abs(*f.Claim.Value)
	}
	return n
}

// ClosestOverall returns the reading that comes closest over all claims. It prefers fewer claims that do not replicate, then fewer undecided claims,
// then fewer claims whose direction alone replicates, then a smaller sum of relative distances from the paper's numbers. It leaves out a reading that
// has no evidence on a claim on which another reading has some. If readings are equal, it returns the first.
func (e *Experiment) ClosestOverall(findings []Finding) *Reading {
	var best *Reading
	var least nearness
	most := 0
	for r := range e.Readings {
		var sum nearness
		run := 0
		for k := range findings {
			if f := &findings[k]; f.Reading == &e.Readings[r] && f.isEvidence() {
				n := f.nearness()
				sum = nearness{sum.fails + n.fails, sum.undecided + n.undecided, sum.direction + n.direction, sum.distance + n.distance}
				run++
			}
		}
		if run > most || run > 0 && run == most && sum.less(least) {
			best, least, most = &e.Readings[r], sum, run
		}
	}
	return best
}
