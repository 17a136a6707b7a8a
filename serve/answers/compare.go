package answers

import (
	"context"
	"fmt"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Compared is an instance with the solvers to run on it and a unique name for people and files.
type Compared struct {
	*model.Instance
	Label     string
	Solvers   []solve.Choice
	presolver *solve.Presolver
}

// Solvers reads the solvers of a comparison. Different ones have different labels.
func Solvers(names []string) ([]solve.Choice, error) {
	var solvers []solve.Choice
	labelled := map[string]string{}
	for _, name := range names {
		choice, err := solve.Choose(name)
		if err != nil {
			return nil, &OptionError{"solvers", err}
		}
		if before, taken := labelled[choice.Label]; taken && before != name {
			return nil, optionf("solvers", "expected a different label for each solver, found %q for both %s and %s", choice.Label, before, name)
		}
		labelled[choice.Label] = name
		solvers = append(solvers, choice)
	}
	return solvers, nil
}

// Lineup gives each instance a name of its own, as it is where files are named by it, and the solvers: those given, or with none all that support it. An instance
// without a name goes by that of its source; the second of a name gets a number.
type Lineup struct {
	Solvers []solve.Choice
	Stated  bool // see [solve.Options]
	taken   map[string]bool
	Safe    func(label string) string // the name in a file
}

// Add adds an instance.
func (l *Lineup) Add(in *model.Instance, source string) (Compared, error) {
	name := in.Name()
	if name == "" {
		name = source
	}
	label := name
	for k := 2; l.taken[l.Safe(label)]; k++ {
		label = fmt.Sprintf("%s-%d", name, k)
	}
	if l.taken == nil {
		l.taken = map[string]bool{}
	}
	l.taken[l.Safe(label)] = true
	running, presolver := l.Solvers, solve.NewPresolver(in)
	if running == nil {
		running = bench.SupportingSolvers(presolver, l.Stated)
	}
	if len(running) == 0 {
		return Compared{}, fmt.Errorf("no solver supports the instance, which needs %s", in.Features())
	}
	return Compared{in, label, running, presolver}, nil
}

// Row runs a solver on an instance and makes the row of the comparison.
func (c *Compared) Row(ctx context.Context, choice solve.Choice, settings bench.Settings) bench.Row {
	settings.Options.Presolver = c.presolver
	row := bench.Measure(ctx, choice, c.Instance, settings)
	row.Instance, row.Caveats = c.Label, c.Caveats()
	return row
}
