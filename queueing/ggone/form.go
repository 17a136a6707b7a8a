package ggone

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/milp"
)

// Form is the allocation problem as a MILP, without the idle rate. So its optimum is a lower bound of the problem with an idle rate.
type Form struct {
	Model *milp.Model

	problem  *Problem
	core     *core
	idleLoad float64
	loads    func(values []float64) []int  // loads by rank that the variables' values state
	start    func(machine []int) []float64 // the variables' values for an allocation
}

// largestForm is the number of places of tasks up to which a problem is stated: HiGHS is lost long before.
const largestForm = 1 << 20

// TooLargeError says that a problem is too large to be stated as a MILP: it has too many places of tasks, or, where Places is 0, its
// penalties are too large to be added up, or, where Wait is not 0, a wait is too long for a row that switches penalties on.
type TooLargeError struct {
	Places int
	Wait   float64
}

// Error states the size.
func (e *TooLargeError) Error() string {
	if e.Wait > 0 {
		return fmt.Sprintf("waits up to %g on a machine that is full but for a millionth: too long for rows that switch penalties on", e.Wait)
	}
	if e.Places == 0 {
		return "penalties too large to be added up"
	}
	return fmt.Sprintf("%d places of a task at a load of a kind of machine, or on a machine, more than the %d up to which the problem is stated", e.Places, largestForm)
}

// prepare checks the problem and makes its core.
func (p *Problem) prepare(ctx context.Context) (*core, float64, error) {
	idle, _, err := p.stable()
	if err != nil {
		return nil, 0, err
	}
	levels := 0
	for k := range p.Classes {
		levels += p.Classes[k].most(p.Period, len(p.Tasks))
	}
	if levels*len(p.Tasks) > largestForm || p.tooLarge(0) {
		return nil, 0, &TooLargeError{Places: levels * len(p.Tasks)}
	}
	if p.mayOverflow() {
		return nil, 0, &TooLargeError{}
	}
	c := newCore(ctx, p, 0)
	return c, idle, ctx.Err()
}

// Level builds the level form: w_cn machines of class c carry load n, and x_cny is 1 if one of them serves task y.
//
//	min Σ p_cny·x_cny   Σ_cn x_cny = 1   Σ_y x_cny = n·w_cn   x_cny ≤ w_cn   Σ_n w_cn ≤ N_c   w integer
//
// The machines of a class have no variables of their own. The bound of the relaxation is the Lagrangian bound. The error is that of
// [Solve], a [*TooLargeError] or that of ctx.
func (p *Problem) Level(ctx context.Context) (*Form, error) {
	c, idle, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	f := p.levelForm(ctx, c, c.root(), idle)
	return f, ctx.Err()
}

// formName is the name of a model. Where the model leaves out an idle rate the name says so.
func formName(name string, idle float64) string {
	if idle > 0 {
		return name + "_without_slack"
	}
	return name
}

// levelColumns are the variables of one level.
type levelColumns struct {
	class, load int
	used        milp.Var         // w
	serves      map[int]milp.Var // x, by task; a task that is sure to be there has none
}

// levelForm states the level form of the loads in the box, with the candidates of each level alone. Where ctx ends meanwhile the form is
// incomplete and must not be used.
func (p *Problem) levelForm(ctx context.Context, c *core, b box, idle float64) *Form {
	m := &milp.Model{Name: formName("ggone_level", idle)}
	f := &Form{Model: m, problem: p, core: c, idleLoad: idle}
	var columns []levelColumns
	tasks := make([][]milp.Term, c.tasks) // by task: the places where it can be
	for k := range c.classes {
		columns = append(columns, c.stateClass(ctx, m, k, b, tasks)...)
	}
	for y, terms := range tasks {
		m.AddRow("task_t"+strconv.Itoa(y), 1, 1, terms...)
	}
	f.loads = func(values []float64) []int {
		loads := make([]int, len(c.class))
		next := make([]int, len(c.classes))
		for _, l := range slices.Backward(columns) { // the fullest machines first
			for range int(values[l.used]) {
				q := &c.classes[l.class]
				if next[l.class] == q.machines {
					return nil
				}
				loads[q.firstRank+next[l.class]] = l.load
				next[l.class]++
			}
		}
		return loads
	}
	f.start = func(machine []int) []float64 {
		values := make([]float64, m.Variables())
		load := make([]int, len(c.class))
		for _, r := range machine {
			load[r]++
		}
		at := map[[2]int]levelColumns{}
		for _, l := range columns {
			at[[2]int{l.class, l.load}] = l
		}
		for r, n := range load {
			if l, ok := at[[2]int{c.class[r], n}]; ok {
				values[l.used]++
			}
		}
		for y, r := range machine {
			if x, ok := at[[2]int{c.class[r], load[r]}].serves[y]; ok {
				values[x] = 1
			}
		}
		return values
	}
	return f
}

// stateClass states the levels of a class and adds its terms to those of the tasks.
func (c *core) stateClass(ctx context.Context, m *milp.Model, k int, b box, tasks [][]milp.Term) []levelColumns {
	q := &c.classes[k]
	first, last := q.firstRank, q.firstRank+q.machines-1
	var columns []levelColumns
	for n := max(1, b.low[last]); n <= b.high[first] && ctx.Err() == nil; n++ {
		most := 0 // number of machines that can carry load n
		for r := first; r <= last; r++ {
			if b.low[r] <= n && n <= b.high[r] {
				most++
			}
		}
		if most > 0 {
			columns = append(columns, c.stateLevel(m, k, n, most, tasks))
		}
	}
	// above is the sum of the machines that carry at least n.
	above := func(n int) (terms []milp.Term) {
		for _, l := range columns {
			if l.load >= n {
				terms = append(terms, milp.Term{Var: l.used, Coefficient: 1})
			}
		}
		return terms
	}
	m.AddRow(fmt.Sprintf("machines_c%d", k), 0, float64(q.machines), above(1)...)
	for j := range q.machines { // loads fall from rank to rank, so the limits of rank j are about the j+1 fullest machines
		if low := b.low[first+j]; low > 0 && (j+1 == q.machines || b.low[first+j+1] < low) {
			m.AddRow(fmt.Sprintf("least_c%d_%d", k, j), float64(j+1), math.Inf(1), above(low)...)
		}
		if high := b.high[first+j]; j > 0 && b.high[first+j-1] > high {
			m.AddRow(fmt.Sprintf("most_c%d_%d", k, j), math.Inf(-1), float64(j), above(high+1)...)
		}
	}
	return columns
}

// stateLevel states the level of load n of class k, which at most most machines can have.
func (c *core) stateLevel(m *milp.Model, k, n, most int, tasks [][]milp.Term) levelColumns {
	l := &c.classes[k].levels[n]
	if len(l.sure) > 0 {
		most = 1 // a task is on one machine
	}
	name := fmt.Sprintf("c%d_n%d", k, n)
	columns := levelColumns{k, n, m.Add(milp.Variable{Name: "w_" + name, Upper: float64(most), Cost: l.sureCost, Integer: true}), map[int]milp.Var{}}
	for _, y := range l.sure {
		tasks[y] = append(tasks[y], milp.Term{Var: columns.used, Coefficient: 1})
	}
	need := float64(n - len(l.sure))
	terms := []milp.Term{{Var: columns.used, Coefficient: -need}}
	for i, cost := range l.cost {
		if math.IsInf(cost, 1) {
			continue
		}
		y := int(l.taskOf(i))
		place := name + "_t" + strconv.Itoa(y) // there can be a million, for which Sprintf is slow
		x := m.Add(milp.Variable{Name: "x_" + place, Upper: 1, Cost: cost})
		columns.serves[y] = x
		terms = append(terms, milp.Term{Var: x, Coefficient: 1})
		tasks[y] = append(tasks[y], milp.Term{Var: x, Coefficient: 1})
		if need > 1 { // otherwise the row of the level implies it
			m.AddRow("open_"+place, math.Inf(-1), 0, milp.Term{Var: x, Coefficient: 1}, milp.Term{Var: columns.used, Coefficient: -1})
		}
	}
	if need == 0 {
		terms = terms[1:]
	}
	m.AddRow("level_"+name, 0, 0, terms...)
	return columns
}

// IdleLoad is the load that the model leaves out: the idle rate times the period, in tasks.
func (f *Form) IdleLoad() float64 { return f.idleLoad }

// Start is the values of the model's variables for an allocation: the start of a solver.
func (f *Form) Start(machine []int) []float64 { return f.start(machine) }

// Allocation returns the best allocation for the loads that the values state. It solves the transportation problem exactly and ignores the
// places of the tasks in the values. The idle rate goes where it costs least. The result has no bound; Machine is nil if the values are
// not a solution. Nothing stops the call: it takes milliseconds for hundreds of tasks.
func (f *Form) Allocation(values []float64) Result {
	none := Result{Objective: math.Inf(1)}
	loads := f.loads(values)
	total := 0
	for _, n := range loads {
		total += n
	}
	if loads == nil || total != f.core.tasks {
		return none
	}
	s := &search{core: f.core, ctx: context.Background(), rankOf: make([]int, f.core.tasks)}
	loads = f.core.descending(loads)
	found := s.assign(loads)
	if math.IsInf(found.cost, 1) {
		return none
	}
	s.placeTasks(loads)
	return f.problem.withIdle(s.rankOf, found.cost, f.idleLoad)
}

// withIdle is the result of an allocation whose cost without an idle rate is known. The idle load goes where it costs least.
func (p *Problem) withIdle(machine []int, cost, idle float64) Result {
	result := Result{Machine: machine, Objective: cost}
	servers := p.servers()
	tasks := make([][]int, len(servers))
	for y, r := range machine {
		tasks[r] = append(tasks[r], y)
	}
	loads := make([]float64, len(servers))
	for r := range loads {
		loads[r] = float64(len(tasks[r]))
	}
	if idle > 0 {
		parked, _, _, ok := p.park(context.Background(), servers, tasks, float64(len(machine))+idle)
		if !ok {
			return Result{Objective: math.Inf(1)}
		}
		loads, result.Objective = parked, p.cost(servers, tasks, parked)
	}
	result.Load = make([]float64, len(loads))
	for r, l := range loads {
		result.Load[r] = l / p.Period
	}
	p.addCommitted(result.Load)
	return result
}

// Greedy returns an allocation without a search: loads in proportion to the capacities of the machines, then each task, in order, in the
// free place where it costs least. The error is that of [Solve]. Complexity: O(tasks · classes).
func Greedy(p *Problem) (Result, error) {
	idle, _, err := p.stable()
	if err != nil {
		return Result{}, err
	}
	return p.greedy(idle, 0), nil
}
