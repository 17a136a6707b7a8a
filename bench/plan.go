package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Plan is what a suite comes to: its instances, each with its SHA-256 and how to make it again, and the cells to run.
type Plan struct {
	Suite     *Suite
	Instances []PlannedInstance
	Cells     []Cell    // instance by instance, solver by solver, seed by seed
	Skipped   []Skipped // what does not run, and why
}

// Cell is one run of a suite: instance × solver × seed × budget.
type Cell struct {
	Key        string // short hash of what is run
	Instance   int    // its place in Plan.Instances
	Label      string // of the solver in the suite
	Solver     string // its name
	Parameters map[string]string
	Seed       uint64
	Budget     Budget
	Workers    int
}

// Skipped counts the instances that a solver of the suite does not run on.
type Skipped struct {
	Solver    string `json:"solver"`
	Reason    string `json:"reason"` // on the first of them
	Instances int    `json:"instances" check:"counter"`
}

// entrant is a solver of the suite with its parameters.
type entrant struct {
	label, name string
	parameters  map[string]string
	seeds       []uint64
	solver      solve.Solver
	absent      string // why it is not in this build
	implied     bool   // by "all"
	path        string // in the suite
}

// Plan finds the files, makes every instance once, one after another, and lists the cells. The error is a [*model.InputError] where a
// pattern matches nothing, a file is wrong or two cells are the same, and that of ctx where it ends.
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
	f := s.faults()
	places := map[string]int{} // of the instances, by SHA-256
	for _, r := range recipes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in, err := r.make()
		if err == nil {
			in, err = Minimising(in, s.Objective)
		}
		if err != nil {
			return nil, r.wrapped(err)
		}
		if before, twice := places[in.SHA256()]; twice {
			f.at(r.path, "expected instances that differ; %s is the same as %s", r.Recipe, p.Instances[before].Recipe)
			continue
		}
		place := len(p.Instances)
		places[in.SHA256()] = place
		p.Instances = append(p.Instances, PlannedInstance{Group: r.group, Name: cmp.Or(in.Name(), r.Recipe.String()), SHA256: in.SHA256(), Jobs: len(in.Jobs()), Recipe: r.Recipe})
		p.addCells(in, place, r.entrants(entrants, s.Paired))
		if len(p.Cells) > maxCells {
			f.at("", "expected at most %d runs, found more", maxCells)
			return nil, f.orNil()
		}
	}
	if len(p.Cells) == 0 {
		f.at("solvers", "expected one that supports an instance, found none: %s", p.Skipped)
	}
	p.nameApart()
	return p, f.orNil()
}

// addCells adds the cells of an instance and counts the solvers that do not run on it.
func (p *Plan) addCells(in *model.Instance, place int, entrants []entrant) {
	for _, e := range entrants {
		reason := e.absent
		if err := e.solver.Supports(in); reason == "" && err != nil {
			reason = err.Error()
		}
		if reason != "" {
			p.skip(e.label, reason)
			continue
		}
		for _, seed := range e.seeds {
			c := Cell{Instance: place, Label: e.label, Solver: e.name, Parameters: e.parameters, Seed: seed, Budget: p.Suite.Budget, Workers: max(1, p.Suite.Workers)}
			c.Key = c.key(in.SHA256(), p.Suite.Objective)
			p.Cells = append(p.Cells, c)
		}
	}
}

// entrants are those that run on the instance, with the seeds they take there.
func (r *sourced) entrants(all []entrant, paired bool) []entrant {
	if r.solvers == nil && !paired {
		return all
	}
	var list []entrant
	for _, e := range all {
		if r.solvers != nil && !slices.Contains(r.solvers, e.label) {
			continue
		}
		if paired {
			e.seeds = []uint64{r.Seed}
		}
		list = append(list, e)
	}
	return list
}

// skip counts an instance that a solver does not run on; the reason told is that of the first.
func (p *Plan) skip(solver, reason string) {
	for k := range p.Skipped {
		if s := &p.Skipped[k]; s.Solver == solver {
			s.Instances++
			return
		}
	}
	p.Skipped = append(p.Skipped, Skipped{solver, reason, 1})
}

// key is what the cell is known by: the first 16 digits of the SHA-256 of everything that the result depends on but the version of allot.
func (c *Cell) key(instance, objective string) string {
	text, err := json.Marshal([]any{instance, c.Solver, stated(c.Parameters), c.Seed, c.Budget.Time, c.Budget.Evaluations, c.Workers, objective})
	if err != nil {
		panic("bench: a cell cannot be written: " + err.Error()) // it holds texts and finite numbers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Own are the rows of the plan's cells in the order of those, whatever order they ended in. A folder may hold rows of other runs.
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

// nameApart gives instances of one name the beginning of their SHA-256 too.
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

// labelAt is what the solver is called with the parameters.
func (choice *SolverChoice) labelAt(parameters map[string]string) string {
	if choice.Label != "" {
		return filled(choice.Label, parameters)
	}
	name := choice.Solver
	if chosen, err := solve.Choose(name); err == nil {
		name = chosen.Label
	}
	return strings.TrimSpace(name + " " + stated(parameters))
}

// entrants are the solvers of the suite, those of "all" last.
func (s *Suite) entrants() ([]entrant, error) {
	f := s.faults()
	var list []entrant
	named := map[string]bool{} // by their label without parameters
	for k, choice := range s.Solvers {
		if choice.All {
			continue
		}
		for _, point := range grid(choice.Parameters) {
			path := fmt.Sprintf("solvers[%d]", k)
			chosen, err := configured(choice.Solver, point)
			if err != nil {
				f.at(path, "%s", err)
				break
			}
			name, absent := chosen.Info.Name, chosen.Info.Absent
			named[name] = named[name] || len(chosen.Given) == 0
			label := choice.labelAt(point)
			maps.Copy(point, chosen.Given) // those of the solver's text too
			list = append(list, entrant{label: label, name: name, parameters: point, seeds: s.seedsOf(choice), solver: chosen.Solver, absent: absent, path: path})
		}
	}
	for _, choice := range s.Solvers {
		if !choice.All {
			continue
		}
		for _, info := range solve.Solvers() {
			if info.Name != "auto" && !named[info.Name] {
				list = append(list, entrant{label: info.Name, name: info.Name, seeds: s.seedsOf(choice), solver: info.New(), absent: info.Absent, implied: true})
			}
		}
	}
	listSame(f, list)
	return list, f.orNil()
}

// listSame lists entrants that run the same, and those of "all" whose name is the label of another.
func listSame(f *suiteFaults, entrants []entrant) {
	seen, labels := map[string]entrant{}, map[string]entrant{}
	for _, e := range entrants {
		if before, taken := labels[e.label]; taken && e.implied {
			f.at(before.path, "expected labels that differ, found %q, which is also the name of a solver that \"all\" runs; give it another \"label\"", e.label)
		}
		labels[e.label] = e
		what := e.name + " " + stated(e.parameters)
		if before, twice := seen[what]; twice {
			f.at(e.path, "expected solvers that differ; %s runs the same as %s (%s)", e.label, before.label, before.path)
		}
		seen[what] = e
	}
}

// seedsOf are the seeds of a choice: its own, else those of the suite.
func (s *Suite) seedsOf(choice SolverChoice) []uint64 {
	if choice.Seeds.given() {
		return choice.Seeds.list()
	}
	return s.Seeds.list()
}

// String is what a plan says of a solver that is left out.
func (s Skipped) String() string {
	instances := "1 instance"
	if s.Instances > 1 {
		instances = fmt.Sprintf("%d instances", s.Instances)
	}
	return fmt.Sprintf("%s skipped on %s: %s", s.Solver, instances, s.Reason)
}
