package solve

import (
	"errors"
	"slices"
	"sync"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// AsStated is a [Solver] that works on the instance as it is stated: [Run] leaves nothing out of it. So does a program from outside, which may know the instance's
// file. An on-line policy says so by [sim.Discipline].
type AsStated interface{ AsStated() }

// Supports is what [Run] asks before it starts: whether the solver can honour what the instance asks for, without what cannot bind unless stated is set, see
// [Options].
func Supports(solver Solver, in *model.Instance, stated bool) error {
	return NewPresolver(in).Supports(solver, stated)
}

// Presolver reduces one instance for several solvers, and for each [model.Use] once. The instance must not change while the Presolver is used. Any number of goroutines
// may use it.
type Presolver struct {
	in   *model.Instance
	made [1 + int(model.OnLine|model.Scoring|model.Licensed|model.ByObjective)]func() (*model.Instance, *model.Reduction) // by use
}

// NewPresolver prepares to reduce the instance.
func NewPresolver(in *model.Instance) *Presolver {
	p := &Presolver{in: in}
	for use := range p.made {
		p.made[use] = sync.OnceValues(func() (*model.Instance, *model.Reduction) {
			if others := model.Use(use) &^ model.ByObjective; int(others) != use && !slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.HasDeadline() }) {
				return p.made[others]() // the same, for it concerns deadlines alone
			}
			return model.Reduce(in, model.Use(use))
		})
	}
	return p
}

// presolver is that of the options, or a new one where they have none of the instance.
func (o *Options) presolver(in *model.Instance) *Presolver {
	if o.Presolver == nil || o.Presolver.in != in {
		return NewPresolver(in)
	}
	return o.Presolver
}

// Supports is what [Run] asks before it starts, see the function Supports.
func (p *Presolver) Supports(solver Solver, stated bool) error {
	reduced, _ := p.For(solver, stated)
	return solver.Supports(reduced)
}

// For returns the instance that the solver gets from [Run], and the way between its schedules and those of the stated one: the instance itself if stated is set,
// see [Options], or if the solver honours the stated one alone, such as a broker that wants machines of one processor by name; otherwise that of [model.Reduce].
func (p *Presolver) For(solver Solver, stated bool) (*model.Instance, *model.Reduction) {
	in := p.in
	use, reduces := uses(solver)
	if stated || !reduces {
		return in, &model.Reduction{}
	}
	reduced, back := p.made[use]()
	if reduced != in && solver.Supports(reduced) != nil && solver.Supports(in) == nil {
		return in, &model.Reduction{}
	}
	return reduced, back
}

// ByObjective is a [Solver] that may look at deadlines as limits and as the objective counts them alone. If it says so, [Run] leaves out those which the objective does not
// count, or which no job can miss.
type ByObjective interface{ ByObjective() bool }

// uses says what the solver needs of an instance that is reduced for it; false: it takes instances as they are stated.
func uses(solver Solver) (use model.Use, reduces bool) {
	switch s := solver.(type) {
	case Chain:
		use = model.ByObjective
		for _, stage := range s {
			more, reduces := uses(stage.Solver)
			if !reduces {
				return 0, false
			}
			use = (use|more)&^model.ByObjective | use&more&model.ByObjective // all stages go by it, or the chain does not
		}
		return use, true
	case *Rolling:
		use, reduces = uses(s.of.Solver)
		return use&^model.ByObjective | model.OnLine, reduces
	case *simulation:
		rules := s.Discipline()
		if use = model.OnLine; rules.Place.OrFirst() != place.First {
			use |= model.Scoring
		}
		if rules.Licences {
			use |= model.Licensed
		}
		return use, !rules.Stated && rules.Defer == nil // the rule that defers jobs reads what is stated of prices
	case AsStated:
		return 0, false
	}
	if s, may := solver.(ByObjective); may && s.ByObjective() {
		use |= model.ByObjective
	}
	if s, chooses := solver.(interface{ PlaceRule() place.Name }); chooses && s.PlaceRule().OrFirst() != place.First {
		use |= model.Scoring
	}
	return use, true
}

// restoring makes the options tell of schedules of the stated instance, where the solver tells of those of the reduced one, and its start one of the reduced instance.
func (o *Options) restoring(back *model.Reduction) {
	if back.Keeps() {
		return
	}
	if o.Start != nil {
		o.Start = back.Carry(o.Start)
	}
	if tell := o.Progress; tell != nil {
		o.Progress = func(p Progress) {
			if made := p.Schedule; made != nil {
				p.Schedule = func() *model.Solution { return back.Restore(made()) }
			}
			tell(p)
		}
	}
	if tell := o.Trace; tell != nil {
		o.Trace = func(s Step) {
			if len(s.Placed) > 0 {
				s.Placed = back.Restore(&model.Solution{Jobs: s.Placed}).Jobs
			}
			tell(s)
		}
	}
}

// restore makes all schedules of the result such of the stated instance.
func (r *Result) restore(back *model.Reduction) {
	for ; r != nil && !back.Keeps(); r = r.Else {
		if r.Solution != nil {
			r.Solution = back.Restore(r.Solution)
		}
	}
}

// lost returns a fault where the checker has refused a schedule of the stated instance that was restored from a right one of the reduced instance; nil: it has not.
func (r *Result) lost(in, reduced *model.Instance, made *model.Solution) *DroppedSchedule {
	if in == reduced || made == nil || r.Dropped == nil || !errors.As(r.Dropped.Fault, new(*WrongScheduleError)) {
		return nil
	}
	if _, wrong := Checked(reduced, made); wrong != nil {
		return nil
	}
	return &DroppedSchedule{Solver: "presolve", Fault: r.Dropped.Fault, Instance: in.SHA256()}
}
