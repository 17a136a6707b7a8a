package bound

import (
	"context"
	"math"
	"math/big"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
)

// Portfolio is all methods at work on one instance, and the best lower bound of its objective that they have proved. The bound rises with the work
// put in. Only one goroutine at a time may use it.
//
// The bound holds for every schedule that owes no more jobs than [Portfolio.Owed] says, and no schedule owes fewer. A metric of positive weight without a bound counts as 0; if it may be
// negative, see [model.Instance.MayBeNegative], there is no bound. A metric of negative weight counts as its largest value, less what it is proved to lack.
type Portfolio struct {
	in        *model.Instance
	terms     []*term
	together  *together
	constant  *big.Rat // contribution of the metrics of negative weight; nil: one of them has no largest value, so that there is no bound
	duties    []Duty   // see Duties
	owed      int      // see Owed
	conflicts []conflict
	named     []conflict // sets of jobs that exclude each other, also of jobs that are not owed; for reasons alone
	choices   []choice   // of the jobs left out; nil: there is one, or they are too many
	begun     bool       // some work was done, so that a metric without a bound counts as 0
}

// Owed is the number of jobs that every schedule owes at least, as far as is known, see [Relaxation.Owed].
func (p *Portfolio) Owed() int { return p.owed }

// Duties returns the duty of a schedule that owes no more than it must towards each job. It is nil if the context ended before the duties were known.
func (p *Portfolio) Duties() []Duty { return p.duties }

// Part says what one method proves of one metric of the objective.
type Part struct {
	Metric string  `json:"metric"`
	Method string  `json:"method"`
	Value  float64 `json:"value"`
	Lacks  bool    `json:"lacks,omitempty"` // the value is of what the metric lacks of its largest value
	Best   bool    `json:"best"`            // no other method proves more
	// The value is of the weighted sum of several metrics, which Metric lists.
	Together bool `json:"together,omitempty"`
}

// term is a metric of the objective with the methods at work on it.
type term struct {
	of      *Relaxation
	metric  string
	weight  float64
	lacks   bool // it is what the metric lacks of its largest value
	signed  bool // it may be negative: without a method that proves something nothing is known
	methods []Method
	provers []Prover
	gates   []*Gate
	busy    []bool
}

// New prepares the methods that apply to an instance. So far they have proved nothing. If the context ends first, they never will.
func New(ctx context.Context, in *model.Instance) *Portfolio { return prepare(ctx, in, false) }

// NewCertified is like [New], but the methods also keep what a certificate needs, see [Portfolio.Certificate]. They prove the same.
func NewCertified(ctx context.Context, in *model.Instance) *Portfolio { return prepare(ctx, in, true) }

// prepare makes a portfolio.
func prepare(ctx context.Context, in *model.Instance, certified bool) *Portfolio {
	r := newRelaxation(ctx, in)
	if r == nil {
		return &Portfolio{in: in}
	}
	p := newPortfolio(ctx, r, certified)
	if p.choose(ctx, r, certified); p.constant == nil {
		p.choices = nil
	}
	return p
}

// newPortfolio makes the portfolio of a relaxation.
func newPortfolio(ctx context.Context, r *Relaxation, certified bool) *Portfolio {
	in := r.in
	p := &Portfolio{in: in, duties: r.duties, owed: r.owed, conflicts: r.conflict, named: r.named, constant: new(big.Rat)}
	for _, o := range in.ObjectiveTerms() {
		if o.Weight < 0 {
			most, limited := r.most(ctx, o.Metric)
			if !limited {
				return &Portfolio{in: in, duties: r.duties, owed: r.owed, conflicts: r.conflict, named: r.named}
			}
			p.constant.Add(p.constant, most.Mul(most, exact(o.Weight)))
		}
		of := bounded{o.Metric, o.Weight < 0}
		if o.Weight == 0 || of.lacks && (len(methods[of]) == 0 || in.Features()&(nodeFeatures|model.HardDeadlines) == 0) {
			continue // nothing is known of what the metric lacks
		}
		t := &term{of: r, metric: o.Metric, weight: math.Abs(o.Weight), lacks: of.lacks, methods: methods[of], signed: !of.lacks && in.MayBeNegative(o.Metric)}
		for _, m := range t.methods {
			proved := &Gate{}
			if certified {
				proved.Ask()
			}
			t.provers, t.gates, t.busy = append(t.provers, m.New(r, proved)), append(t.gates, proved), append(t.busy, true)
		}
		p.terms = append(p.terms, t)
	}
	p.together = p.newTogether(r, certified)
	return p
}

// Improve continues for the given work (see [Prover]) and says whether more work may raise the bound. It shares the work among
// the methods that are not at their end. Methods that prove all they can in one call do so in the first call; with work 0 only they run.
func (p *Portfolio) Improve(ctx context.Context, work int64) (more bool) {
	if p.constant == nil {
		return false
	}
	if more = len(p.choices) > 0; more && work > 0 {
		more = false
		work /= 2
		for k := range p.choices {
			more = p.choices[k].Improve(ctx, work/int64(len(p.choices))) || more
		}
	}
	p.begun = p.begun || ctx.Err() == nil
	busy := int64(0)
	for _, t := range p.terms {
		for k := range t.provers {
			if _, short := t.provers[k].(*once); t.busy[k] && !short {
				busy++
			}
		}
	}
	if s := p.together; s != nil && s.busy {
		busy++
		if more = more || work == 0; work > 0 && ctx.Err() == nil {
			more = s.improve(ctx, work/busy) || more
		}
	}
	for _, t := range p.terms {
		for k, prover := range t.provers {
			if !t.busy[k] || ctx.Err() != nil {
				continue
			}
			if _, short := prover.(*once); !short && work == 0 {
				more = true
				continue
			}
			t.busy[k] = prover.Improve(ctx, work/max(1, busy)) && !t.gates[k].Closed()
			more = more || t.busy[k]
		}
	}
	return more
}

// Limit tells the methods that schedules that cost more than the given objective, that of a known schedule, do not matter. The bound
// may stop there.
func (p *Portfolio) Limit(objective float64) {
	if value, ok := p.Bound().Value(); !ok || math.IsInf(objective, 0) || math.IsNaN(objective) || objective <= value {
		return
	}
	least, _ := p.constant.Float64()
	for _, t := range p.terms {
		least += t.weight * t.best()
	}
	for _, t := range p.terms {
		for _, prover := range t.provers {
			if limited, ok := prover.(Limited); ok {
				limited.Limit(t.best() + (objective-least)/t.weight) // the others cost what is proved of them at least
			}
		}
	}
	for k := range p.choices {
		p.choices[k].Limit(objective)
	}
}

// Order is an order of all jobs that gives a schedule of about the proved cost, see [Finder]. It returns false if no prover has come upon one.
func (p *Portfolio) Order() ([]int, bool) {
	for _, t := range p.terms {
		for _, prover := range t.provers {
			if finder, ok := prover.(Finder); ok {
				if order, found := finder.Order(); found {
					return order, true
				}
			}
		}
	}
	return nil, false
}

// Bound is the proved bound. There is one after the first work, unless a metric of negative weight has no largest value.
func (p *Portfolio) Bound() model.Bound {
	least, _ := p.leastChoice()
	return p.plain().Max(least)
}

// plain is the bound whichever jobs are left out.
func (p *Portfolio) plain() model.Bound {
	if p.constant == nil || !p.begun && len(p.terms) > 0 {
		return model.Bound{}
	}
	bounds := make([]float64, len(p.terms))
	for k, t := range p.terms {
		bounds[k] = t.best()
	}
	value := p.total(bounds)
	if p.together != nil {
		value = value.Max(p.with(p.together, bounds))
	}
	return value
}

// total is the weighted sum of the bounds of the metrics, in the order of the terms, rounded down. It adds up exactly: beside a metric of very
// large weight rounding would swallow the others.
func (p *Portfolio) total(bounds []float64) model.Bound {
	if len(bounds) == 1 && p.terms[0].weight == 1 && p.constant.Sign() == 0 {
		return model.ProvedBound(bounds[0]) // most often
	}
	sum := new(big.Rat).Set(p.constant)
	for k, value := range bounds {
		if !gate.Finite(value) {
			return model.Bound{}
		}
		product := exact(p.terms[k].weight)
		sum.Add(sum, product.Mul(product, exact(value)))
	}
	low := below(sum)
	if !gate.Finite(low) {
		return model.Bound{}
	}
	return model.ProvedBound(low)
}

// exact is the exact value of a finite number.
func exact(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// Parts lists what each method has proved, in the order of the objective and the methods.
func (p *Portfolio) Parts() []Part {
	var parts []Part
	chosen, known := p.chosen()
	if known {
		parts = append(parts, chosen)
	}
	if part, known := p.together.part(); known {
		parts = append(parts, Part{Metric: p.together.name(), Method: part.Method, Value: part.Bound, Best: p.together.helps() && !chosen.Best, Together: true})
	}
	for _, t := range p.terms {
		best := t.best()
		for k, gate := range t.gates {
			if value, ok := gate.Bound().Value(); ok {
				value = max(t.floor(), t.roundUp(value))
				parts = append(parts, Part{Metric: t.metric, Method: t.methods[k].Name, Value: value, Lacks: t.lacks, Best: value >= best && !chosen.Best && !(p.together.covers(t) && p.together.helps())})
			}
		}
	}
	return parts
}

// floor is what is known of the metric without a proof: 0, or nothing if it may be negative.
func (t *term) floor() float64 {
	if t.signed {
		return math.Inf(-1)
	}
	return 0
}

// best is the best bound of the metric, or its floor if no method proves more.
func (t *term) best() float64 {
	best := t.floor()
	for _, gate := range t.gates {
		if value, found := gate.Bound().Value(); found {
			best = max(best, value)
		}
	}
	return max(best, t.roundUp(best))
}

// roundUp raises a bound of the term to the next value that a best schedule can have, where that is known.
func (t *term) roundUp(bound float64) float64 {
	if t.lacks {
		return bound
	}
	return t.of.roundUp(t.metric, bound)
}

// Lower is the best bound that the methods prove with [LittleWork], if they prove one. When ctx ends, it returns what is proved by
// then.
func Lower(ctx context.Context, in *model.Instance) model.Bound {
	p := New(ctx, in)
	p.Improve(ctx, LittleWork)
	return p.Bound()
}

// LittleWork is an amount of work that a user does not notice: about 5 ms of one core, see [Prover].
const LittleWork = 5_000_000
