package ggone

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/milp"
)

// Chord builds the linearisation closest to the paper, machine by machine. x_ry is 1 if machine r serves task y. W_r is at least each
// chord of the convex wait between neighbouring whole loads, so it is exact at whole loads. Lateness and excess cost are switched on by
// M = W_max + S − d.
//
//	min Σ zd_y/d_y + zc_y/e_y   Σ_r x_ry = 1   Σ_y x_ry = n_r   W_r ≥ W(n) + (W(n+1) − W(n))·(n_r − n)
//	zd_y ≥ W_r + S_ry − d_y − M·(1 − x_ry)   zc_y ≥ c_r·(W_r + S_ry) − e_y − M'·(1 − x_ry)   x binary
//
// Among machines that are alike, the fuller comes first. The relaxation is weak: use this form to check, not to solve. Errors are
// those of [Problem.Level].
func (p *Problem) Chord(ctx context.Context) (*Form, error) {
	c, idle, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	if places := len(c.class) * c.tasks; places > largestForm {
		return nil, &TooLargeError{Places: places}
	}
	for k := range p.Classes {
		const least = 1e-6 // of the service rate; HiGHS takes rows for kept that are off by about as much of their largest coefficient
		q := &p.Classes[k]
		if most := q.most(p.Period, len(p.Tasks)); q.Machines > 0 && most > 0 && q.ServiceRate-float64(most)/p.Period-q.Committed < least*q.ServiceRate {
			return nil, &TooLargeError{Wait: q.wait(float64(most), p.Period)}
		}
	}
	f := &Form{Model: &milp.Model{Name: formName("ggone_chord", idle)}, problem: p, core: c, idleLoad: idle}
	s := newChordStatement(f.Model, c)
	for r := range c.class {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.machine(r)
	}
	for y, terms := range s.served {
		f.Model.AddRow(fmt.Sprintf("task_t%d", y), 1, 1, terms...)
	}
	f.loads = func(values []float64) []int {
		loads := make([]int, len(c.class))
		for r := range s.serves {
			for _, x := range s.serves[r] {
				loads[r] += int(values[x])
			}
		}
		return loads
	}
	f.start = func(machine []int) []float64 { // x alone: HiGHS completes the other variables
		values := make([]float64, f.Model.Variables())
		for y, r := range machine {
			if x, ok := s.serves[r][y]; ok {
				values[x] = 1
				values[s.loads[r]]++
			}
		}
		return values
	}
	return f, nil
}

// chordStatement is the chord form while it is stated.
type chordStatement struct {
	*core
	model        *milp.Model
	late, excess []milp.Var         // zd and zc by task
	served       [][]milp.Term      // by task
	serves       []map[int]milp.Var // x, by machine and task
	loads        []milp.Var         // n, by machine
}

// newChordStatement begins with the penalties of the tasks. Only limits whose penalty is finite get a variable: to break a limit of 0
// costs +Inf, so no machine may do it.
func newChordStatement(m *milp.Model, c *core) *chordStatement {
	s := &chordStatement{core: c, model: m, served: make([][]milp.Term, c.tasks), serves: make([]map[int]milp.Var, len(c.class)), loads: make([]milp.Var, len(c.class))}
	for y := range c.tasks {
		var late, excess float64 // penalty of a unit
		for k := range c.classes {
			q := &c.classes[k]
			if !math.IsInf(q.deadline[y], 0) {
				late = q.perTime[y]
			}
			if !math.IsInf(q.budget[y], 0) {
				excess = q.perCost[y]
			}
		}
		s.late = append(s.late, m.Add(milp.Variable{Name: fmt.Sprintf("zd_t%d", y), Upper: math.Inf(1), Cost: late}))
		s.excess = append(s.excess, m.Add(milp.Variable{Name: fmt.Sprintf("zc_t%d", y), Upper: math.Inf(1), Cost: excess}))
	}
	return s
}

// machine states the machine of a rank.
func (s *chordStatement) machine(r int) {
	k := s.class[r]
	q := &s.classes[k]
	most := len(q.levels) - 1
	longest := q.levels[most].wait
	wait := s.model.Add(milp.Variable{Name: fmt.Sprintf("W_r%d", r), Upper: math.Inf(1)})
	s.serves[r] = map[int]milp.Var{}
	var load []milp.Term // Σ x
	for y := range s.tasks {
		if most == 0 || math.IsInf(q.of(y, q.levels[1].wait), 1) {
			continue
		}
		v := milp.Variable{Name: fmt.Sprintf("x_r%d_t%d", r, y), Upper: 1, Integer: true}
		if q.serviceOnly { // the cost of a task does not depend on the load
			v.Cost = max(0, q.price*q.service[y]-q.budget[y]) * q.perCost[y]
		}
		x := s.model.Add(v)
		s.serves[r][y] = x
		load = append(load, milp.Term{Var: x, Coefficient: 1})
		s.served[y] = append(s.served[y], milp.Term{Var: x, Coefficient: 1})
		s.penalise(fmt.Sprintf("late_r%d_t%d", r, y), s.late[y], wait, x, 1, longest, q.service[y]-q.deadline[y])
		if !q.serviceOnly {
			s.penalise(fmt.Sprintf("excess_r%d_t%d", r, y), s.excess[y], wait, x, q.price, longest, q.price*q.service[y]-q.budget[y])
		}
	}
	tasks := s.model.Add(milp.Variable{Name: fmt.Sprintf("n_r%d", r), Upper: float64(most)})
	s.loads[r] = tasks
	s.model.AddRow(fmt.Sprintf("load_r%d", r), 0, 0, append(load, milp.Term{Var: tasks, Coefficient: -1})...)
	for n := range most {
		slope := q.levels[n+1].wait - q.levels[n].wait
		s.model.AddRow(fmt.Sprintf("chord_r%d_n%d", r, n), q.levels[n].wait-slope*float64(n), math.Inf(1),
			milp.Term{Var: wait, Coefficient: 1}, milp.Term{Var: tasks, Coefficient: -slope})
	}
	if r > 0 && s.class[r-1] == k {
		s.model.AddRow(fmt.Sprintf("fuller_r%d", r), 0, math.Inf(1), milp.Term{Var: s.loads[r-1], Coefficient: 1}, milp.Term{Var: tasks, Coefficient: -1})
	}
}

// penalise states z ≥ price·W + over − M·(1 − x) with M = price·W_max + over, unless M ≤ 0, where the row would never bind.
func (s *chordStatement) penalise(name string, z, wait, x milp.Var, price, longest, over float64) {
	m := price*longest + over
	if !(m > 0) || math.IsInf(m, 0) {
		return
	}
	terms := []milp.Term{{Var: z, Coefficient: 1}, {Var: x, Coefficient: -m}}
	if price != 0 {
		terms = append(terms, milp.Term{Var: wait, Coefficient: -price})
	}
	s.model.AddRow(name, over-m, math.Inf(1), terms...)
}
