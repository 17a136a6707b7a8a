package solve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/params"
)

// Choice is a solver with the parameters chosen for it; [Run] runs one. [Choose] reads a choice from text, [With] makes one of a solver whose
// fields the program has set, and [Info.Choice] takes the default parameters.
//
// Running a choice does not change it. Copies of a choice share its solver.
type Choice struct {
	Label  string            // its name in tables
	Info   Info              // documents the solver
	Solver Solver            // holds the parameters
	Given  map[string]string // the parameters that were set by name, as the user wrote them; in a chain a+b under a.name
}

// Choice returns the solver with its default parameters, labelled with its own name.
func (i Info) Choice() Choice { return Choice{Label: i.Name, Info: i, Solver: i.New()} }

// Choose reads a solver with its parameters from text, as flags and suite files name it:
//
//	name                           a registered solver
//	name:param=value:param=value   the solver with parameters; rolling_period (and rolling_threshold) for rolling use, see [Rolling]
//	a+b, a:x=1+b:y=2               a chain: a solves, and b gets its solution as [Options].Start
//	exec:COMMAND                   a program as solver, see [RegisterScheme]; the command is the rest of the text
//	exec-online:COMMAND            a program as on-line policy
//	label=…                        any of these, with a label for tables
//
// Without a label the whole text is the label. A label holds no colon and no comma. A value holds no colon, and no plus sign except in a
// number; [Choice.Set] sets any value.
func Choose(text string) (Choice, error) {
	label, rest, labelled := cutLabel(text)
	switch {
	case labelled && (label == "" || strings.Contains(label, ",")):
		return Choice{}, fmt.Errorf("expected a label without comma before the first =, found %q", text)
	case !labelled:
		label = text
	}
	var names []string
	var stages [][]params.Setting
	for _, stage := range stageTexts(rest) {
		name, settings := stage, []string(nil)
		if schemeOf(stage) == nil {
			parts := strings.Split(stage, ":")
			name, settings = parts[0], parts[1:]
		}
		read, err := readSettings(name, settings)
		if err != nil {
			if _, unknown := Lookup(name); unknown != nil {
				err = unknown // report a mistake in the solver's name before a mistake in its settings
			}
			return Choice{}, err
		}
		names, stages = append(names, name), append(stages, read)
	}
	info, err := Lookup(strings.Join(names, "+"))
	if err != nil {
		return Choice{}, err
	}
	choice := info.Choice()
	choice.Label = label
	for k, settings := range stages {
		if before := slices.Index(names, names[k]); !slices.Equal(stages[before], settings) {
			return Choice{}, fmt.Errorf("expected the same parameters for solver %s everywhere in %q, because solutions list parameters by the name of the solver", names[k], rest)
		}
		for _, s := range settings {
			if err := choice.setIn(k, s); err != nil {
				return Choice{}, fmt.Errorf("solver %s: %w", names[k], err)
			}
		}
	}
	return choice, nil
}

// The parameters of [Rolling].
const (
	rollingPeriod    = "rolling_period"
	rollingThreshold = "rolling_threshold"
)

// readSettings reads each param=value of a solver. It puts rolling_period first, because that setting turns on rolling use.
func readSettings(solver string, texts []string) ([]params.Setting, error) {
	settings, err := params.Settings(texts)
	if err != nil {
		return nil, fmt.Errorf("solver %s: %w", solver, err)
	}
	if k := slices.IndexFunc(settings, func(s params.Setting) bool { return s.Name == rollingPeriod }); k > 0 {
		period := settings[k]
		settings = slices.Insert(slices.Delete(settings, k, k+1), 0, period)
	}
	return settings, nil
}

// setIn sets a parameter of one stage of the choice.
func (c *Choice) setIn(stage int, s params.Setting) error {
	chain, ok := c.Solver.(Chain)
	if !ok {
		return c.Set(s.Name, s.Value)
	}
	if s.Name == rollingPeriod || s.Name == rollingThreshold {
		return fmt.Errorf("parameter %s: expected it only for a single solver, found it in a stage of %s", s.Name, c.Info.Name)
	}
	if err := chain[stage].Set(s.Name, s.Value); err != nil {
		return err
	}
	c.note(chain[stage].Info.Name+"."+s.Name, s.Value)
	return nil
}

// Set sets a parameter from text. Setting rolling_period turns on rolling use. In a chain a+b the name a.x sets x of stage a; the name x alone
// sets it in every stage that has it. Do not run the choice after an error.
func (c *Choice) Set(name, text string) error {
	solver := c.Solver
	if _, rolling := solver.(*Rolling); name == rollingPeriod && !rolling {
		var err error
		if solver, err = NewRolling(*c, 1, 0); err != nil {
			return err
		}
	}
	if err := params.Set(solver, name, text); err != nil {
		return err
	}
	c.Solver = solver
	c.note(name, text)
	return nil
}

// SetAll sets parameters from text, in the order of their names, so that rolling_period comes before rolling_threshold. Do not run the choice after
// an error.
func (c *Choice) SetAll(parameters map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if err := c.Set(name, parameters[name]); err != nil {
			return err
		}
	}
	return nil
}

// note records a setting in a new map, so that copies of the choice keep theirs.
func (c *Choice) note(name, text string) {
	given := map[string]string{name: text}
	for before, value := range c.Given {
		if before != name && !strings.HasSuffix(before, "."+name) {
			given[before] = value
		}
	}
	c.Given = given
}
