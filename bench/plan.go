package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/solve"
)

// Plan lists the instances of a suite and the cells to run. Each instance has its SHA-256 and a recipe to make it again.
type Plan struct {
	Suite     *Suite
	Instances []PlannedInstance
	Cells     []Cell    // instance by instance, solver by solver, seed by seed
	Skipped   []Skipped // the solvers that do not run on some instances, and why
}

// Cell is one run of a suite: instance × solver × seed × budget.
type Cell struct {
	Key           string // short hash that identifies the cell, see key
	Instance      int    // index in Plan.Instances
	*solve.Choice        // with the label that the suite gives it; cells share it
	Seed          uint64
	Budget        Budget
	Workers       int
	Unbounded     bool // no work on a lower bound
}

// Skipped counts the instances that a solver of the suite does not run on.
type Skipped struct {
	Solver    string `json:"solver"`
	Reason    string `json:"reason"` // for the first of these instances
	Instances int    `json:"instances" check:"counter"`
}

// entrant is a solver of the suite with its parameters and label.
type entrant struct {
	*solve.Choice
	seeds     []uint64
	unbounded bool   // its runs compute no lower bound
	implied   bool   // the suite asks for it with "all"
	path      string // JSON path in the suite
}

// Plan finds the files, makes every instance once, one after another, and lists the cells. The error is a [*model.InputError] if a pattern
// matches no file, a file is wrong or two cells are the same. It is the error of ctx if ctx ends.
func (s *Suite) Plan(ctx context.Context) (*Plan, error) {
	recipes, err := s.recipes()
	if err != nil {
		return nil, err
	}
	entrants, err := s.entrants()
	if err != nil {
		return nil, err
	}
	p := &Plan{Suite: s}
	f := lines.NewFaults(s.File)
	places := map[string]int{} // index of each instance, by SHA-256
	for _, r := range recipes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in, err := r.make()
		if err == nil {
			in, err = minimising(in, s.Objective)
		}
		if err != nil {
			return nil, r.wrapped(err)
		}
		if before, twice := places[in.SHA256()]; twice {
			f.At(r.path, "expected instances that differ; %s is the same as %s", r.Recipe, p.Instances[before].Recipe)
			continue
		}
		if r.measured != nil {
			if err := r.measured.fits(in); err != nil {
				f.At(r.path+".measured", "%s: %s", r.Recipe, err)
				continue
			}
		}
		if known := r.bestKnown; known != nil && known.Metric != shown.Objective(in) {
			f.At(r.path+".best_known.metric", "expected the objective of the instances, as best known values of another metric say nothing of it; %s minimises %s, found %q", r.Recipe, shown.Objective(in), known.Metric)
			continue
		}
		place := len(p.Instances)
		places[in.SHA256()] = place
		p.Instances = append(p.Instances, PlannedInstance{Group: r.group, Name: cmp.Or(in.Name(), r.Recipe.String()), SHA256: in.SHA256(), Jobs: len(in.Jobs()), Recipe: r.Recipe, Measured: r.measured, BestKnown: r.bestKnown})
		budget := s.Budget
		budget.Evaluations = cmp.Or(r.evaluations, budget.Evaluations)
		p.addCells(in, place, r.entrants(entrants, s.Paired), budget)
		if len(p.Cells) > maxCells {
			f.At("", "expected at most %d runs, found more", maxCells)
			return nil, f.Err()
		}
	}
	if len(p.Cells) == 0 {
		f.At("solvers", "expected one that supports an instance, found none: %s", p.Skipped)
	}
	p.nameApart()
	return p, f.Err()
}

// addCells adds the cells of an instance and counts the solvers that do not run on it.
func (p *Plan) addCells(in *model.Instance, place int, entrants []entrant, budget Budget) {
	presolver := solve.NewPresolver(in)
	for _, e := range entrants {
		reason := e.Info.Absent
		if err := presolver.Supports(e.Solver, false); reason == "" && err != nil {
			reason = err.Error()
		}
		if reason != "" {
			p.skip(e.Label, reason)
			continue
		}
		for _, seed := range e.seeds {
			p.Cells = append(p.Cells, p.cell(place, e.Choice, seed, budget, e.unbounded))
		}
	}
}

// cell is one run on the instance at place.
func (p *Plan) cell(place int, choice *solve.Choice, seed uint64, budget Budget, unbounded bool) Cell {
	c := Cell{Instance: place, Choice: choice, Seed: seed, Budget: budget, Workers: max(1, p.Suite.Workers), Unbounded: unbounded}
	in := &p.Instances[place]
	c.Key = c.key(in.SHA256, p.Suite.Objective, in.Measured)
	return c
}

// entrants returns the entrants that run on the instance, with their seeds for it.
func (r *sourced) entrants(all []entrant, paired bool) []entrant {
	if r.solvers == nil && !paired {
		return all
	}
	var list []entrant
	for _, e := range all {
		if r.solvers != nil && !slices.Contains(r.solvers, e.Label) {
			continue
		}
		if paired {
			e.seeds = []uint64{r.Seed}
		}
		list = append(list, e)
	}
	return list
}

// skip counts an instance that a solver does not run on. It keeps the reason of the first such instance.
func (p *Plan) skip(solver, reason string) {
	if k := slices.IndexFunc(p.Skipped, func(s Skipped) bool { return s.Solver == solver }); k >= 0 {
		p.Skipped[k].Instances++
		return
	}
	p.Skipped = append(p.Skipped, Skipped{solver, reason, 1})
}

// key identifies the cell: the first 16 digits of the SHA-256 of everything that the result depends on, except the version of allot. The window and
// the lack of bounds are part of it only where they are set: suites had neither at first, and the keys of their rows must stay the same.
func (c *Cell) key(instance, objective string, measured *Window) string {
	parts := []any{instance, c.Info.Name, stated(c.Given), c.Seed, c.Budget.Time, c.Budget.Evaluations, c.Workers, objective}
	if measured != nil {
		parts = append(parts, measured)
	}
	if c.Unbounded {
		parts = append(parts, "unbounded")
	}
	text, err := json.Marshal(parts)
	if err != nil {
		panic("bench: a cell cannot be written: " + err.Error()) // impossible: a cell holds only texts and finite numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Own returns the rows of the plan's cells, in the order of the cells. It drops the rows of other runs that a folder may hold.
func (p *Plan) Own(rows []Row) []Row {
	byKey := make(map[string]*Row, len(rows))
	for k := range rows {
		byKey[rows[k].Key] = &rows[k]
	}
	own := make([]Row, 0, len(rows))
	for k := range p.Cells {
		if row := byKey[p.Cells[k].Key]; row != nil {
			own = append(own, *row)
		}
	}
	return own
}

// nameApart appends the first digits of the SHA-256 to the names of instances that share a name.
func (p *Plan) nameApart() {
	count := map[string]int{}
	for _, in := range p.Instances {
		count[in.Name]++
	}
	for k := range p.Instances {
		if in := &p.Instances[k]; count[in.Name] > 1 {
			in.Name += " " + in.SHA256[:8]
		}
	}
}

// at returns the solver with the given parameters, which are set after those in its text, and with its label in the suite. The label is right
// even if a parameter is refused.
func (choice *SolverChoice) at(parameters map[string]string) (solve.Choice, error) {
	chosen, err := solve.Choose(choice.Solver)
	if err != nil {
		return chosen, err
	}
	if choice.Label != "" {
		chosen.Label = filled(choice.Label, parameters)
	} else {
		chosen.Label = strings.TrimSpace(chosen.Label + " " + stated(parameters))
	}
	return chosen, chosen.SetAll(parameters)
}

// entrants lists the solvers of the suite. Those that "all" adds come last.
func (s *Suite) entrants() ([]entrant, error) {
	f := lines.NewFaults(s.File)
	var list []entrant
	named := map[string]bool{} // the names of solvers that the suite runs with their default parameters
	for k, choice := range s.Solvers {
		if choice.All {
			continue
		}
		for _, point := range grid(choice.Parameters) {
			path := fmt.Sprintf("solvers[%d]", k)
			chosen, err := choice.at(point)
			if err != nil {
				f.At(path, "%s", err)
				break
			}
			named[chosen.Info.Name] = named[chosen.Info.Name] || len(chosen.Given) == 0
			list = append(list, entrant{Choice: &chosen, seeds: s.seedsOf(choice), unbounded: choice.Unbounded, path: path})
		}
	}
	for _, choice := range s.Solvers {
		if !choice.All {
			continue
		}
		for _, info := range solve.Solvers() {
			if info.Name != "auto" && !named[info.Name] {
				list = append(list, entrant{Choice: new(info.Choice()), seeds: s.seedsOf(choice), unbounded: choice.Unbounded, implied: true})
			}
		}
	}
	listSame(f, list)
	return list, f.Err()
}

// Labels lists the names of the solvers in rows, in the order of the suite. It is nil for a suite that is not valid.
func (s *Suite) Labels() []string {
	entrants, err := s.entrants()
	if err != nil {
		return nil
	}
	return kit.Each(entrants, func(e entrant) string { return e.Label })
}

// listSame lists two kinds of fault: entrants that would make the same runs, and labels that are also the name of a solver that "all" adds.
func listSame(f *lines.Faults, entrants []entrant) {
	seen, labels := map[string]entrant{}, map[string]entrant{}
	for _, e := range entrants {
		if before, taken := labels[e.Label]; taken && e.implied {
			f.At(before.path, "expected labels that differ, found %q, which is also the name of a solver that \"all\" runs; give it another \"label\"", e.Label)
		}
		labels[e.Label] = e
		what := e.Info.Name + " " + stated(e.Given)
		if before, twice := seen[what]; twice {
			f.At(e.path, "expected solvers that differ; %s runs the same as %s (%s)", e.Label, before.Label, before.path)
		}
		seen[what] = e
	}
}

// seedsOf returns the seeds of a choice, or those of the suite if the choice has none.
func (s *Suite) seedsOf(choice SolverChoice) []uint64 {
	if choice.Seeds.given() {
		return choice.Seeds.list()
	}
	return s.Seeds.list()
}

// String says which solver is left out, on how many instances and why.
func (s Skipped) String() string {
	return fmt.Sprintf("%s skipped on %s: %s", s.Solver, numtext.Counted(s.Instances, "instance"), s.Reason)
}
