package tune

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/each"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Programs are the names of the programs that a question can be exported to.
var Programs = []string{"irace", "smac"}

// ExportInstances writes a question on the instances of a plan, see [Instances], for another program: it races on the instances that a tuning with these options races on.
// The folder opt.Dir must be empty or missing. The other program gets the runs that the judgement does not need.
func ExportInstances(ctx context.Context, space *Space, plan *bench.Plan, program string, opt Options) error {
	training, held, _, err := setAside(len(plan.Instances), opt)
	if err != nil {
		return err
	}
	opt.Test = cmp.Or(opt.Test, ByRank)
	t := &tuning{space: space, opt: opt}
	if err := t.minimise(plan); err != nil {
		return err
	}
	return t.export(ctx, program, plan, training, held, nil, opt.Runs-2*len(held))
}

// ExportTrace writes a question on a trace, see [Trace], for another program: it races on the windows that a tuning with these options races on. The folder opt.Dir must be empty
// or missing.
func ExportTrace(ctx context.Context, space *Space, in *model.Instance, metric, program string, opt Options) error {
	if err := trainable(space, in); err != nil {
		return err
	}
	parts, err := partTrace(in, metric, opt.HeldOut)
	if err != nil {
		return err
	}
	opt.Test = cmp.Or(opt.Test, ByMean)
	t := &tuning{space: space, opt: opt}
	t.question.Metric, t.question.Trace, t.question.Digest = metric, cmp.Or(in.Name(), "trace"), in.SHA256()
	t.question.SetAside = []string{fmt.Sprintf("the last %d jobs", len(parts.held))}
	return t.export(ctx, program, parts.plan, parts.places, nil, only(in, parts.held), opt.Runs-int(math.Ceil(parts.judgement())))
}

// exported is what the files of an export are made of.
type exported struct {
	*Frozen
	runs       int
	jobs       int
	forbidden  [][]setting
	unlikeThem []string // parameters whose value in the choice as it stands is outside the space
}

// setting is a value of a dimension.
type setting struct{ name, value string }

// export writes the folder.
func (t *tuning) export(ctx context.Context, program string, plan *bench.Plan, training, held []int, part *model.Instance, runs int) error {
	if least := 2 * firstTest; runs < least {
		return fmt.Errorf("%w: expected at least %d runs beside those of the judgement, found %d", ErrTooLittle, least, runs)
	}
	if err := exportable(t.space); err != nil {
		return err
	}
	write := map[string]func(*exported) error{"irace": (*exported).irace, "smac": (*exported).smac}[program]
	if write == nil {
		return fmt.Errorf("expected %s, found %q", strings.Join(Programs, " or "), program)
	}
	z, err := t.freeze(plan, training, held, part)
	if err != nil {
		return err
	}
	x := &exported{Frozen: z, runs: runs, jobs: t.opt.Jobs}
	if x.forbidden, err = x.refused(ctx); err != nil {
		return err
	}
	for k := range t.space.Dimensions {
		if d := &t.space.Dimensions[k]; !d.holds(d.Default) {
			x.unlikeThem = append(x.unlikeThem, d.Name)
		}
	}
	return write(x)
}

// exportable says why other programs could not read a space: they put values into lines of a shell and of their own formats.
func exportable(s *Space) error {
	if solve.External(s.text) {
		return fmt.Errorf("%s: expected a solver that runs no program from outside: the folder would run it wherever it goes", s.text)
	}
	for _, d := range s.Dimensions {
		for _, text := range append([]string{d.Name}, d.Values...) {
			if text == "" || strings.ContainsFunc(text, func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._+-/@%", r))
			}) {
				return fmt.Errorf("%s: expected letters, digits and ._+-/@%% in what is exported, found %q", d.Name, text)
			}
		}
		if d.Kind == Integer && (d.Low < -math.MaxInt32 || d.High >= math.MaxInt32) {
			return fmt.Errorf("%s: expected whole numbers of at most %d in what is exported, found %s..%s", d.Name, math.MaxInt32-1, d.number(d.Low), d.number(d.High))
		}
	}
	return nil
}

// holds reports whether a value lies in the space.
func (d *Dimension) holds(value string) bool {
	if d.Kind == Categorical {
		return slices.Contains(d.Values, value)
	}
	x, err := strconv.ParseFloat(value, 64)
	return err == nil && x >= d.Low && x <= d.High
}

// mostTrials bounds the combinations that are tried for forbidden parts.
const mostTrials = 4096

// refused lists the values, and pairs of values, of categorical dimensions beside which the solver refuses, on a training instance or on all, every combination of the other
// ones, with numbers at the ends of their intervals and at their defaults. It tries and proves nothing; a refused configuration that it does not find costs a run.
func (x *exported) refused(ctx context.Context) ([][]setting, error) {
	s := x.space
	combinations := []Config{{}}
	for k := range s.Dimensions {
		d := &s.Dimensions[k]
		values := d.Values
		if d.Kind != Categorical {
			values = slices.Compact(slices.Sorted(slices.Values([]string{d.number(d.Low), d.Default, d.number(d.High)})))
		}
		var longer []Config
		for _, c := range combinations {
			if !s.matters(c, k) {
				longer = append(longer, append(slices.Clone(c), ""))
				continue
			}
			for _, value := range values {
				longer = append(longer, append(slices.Clone(c), value))
			}
		}
		if combinations = longer; len(combinations) > mostTrials {
			return nil, nil
		}
	}
	bad, solvers := make([]bool, len(combinations)), make([]*solve.Choice, len(combinations))
	for k, c := range combinations {
		var err error
		if solvers[k], err = s.Choice(c); err != nil {
			bad[k] = true
		}
	}
	for k := range x.Training {
		in, err := x.read(&x.Training[k])
		if err != nil {
			return nil, err
		}
		presolver := solve.NewPresolver(in)
		for c, choice := range solvers {
			bad[c] = bad[c] || presolver.Supports(choice.Solver, false) != nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if !slices.Contains(bad, true) {
		return nil, nil
	}
	var found [][]setting
	always := func(part ...int) bool { // dimension, value, dimension, value …
		any := false
		for k, c := range combinations {
			fits := true
			for p := 0; p < len(part); p += 2 {
				fits = fits && c[part[p]] == s.Dimensions[part[p]].Values[part[p+1]]
			}
			if any = any || fits; fits && !bad[k] {
				return false
			}
		}
		return any
	}
	single := map[setting]bool{}
	of := func(k, v int) setting { return setting{s.Dimensions[k].Name, s.Dimensions[k].Values[v]} }
	for k := range s.Dimensions {
		for v := range s.Dimensions[k].Values {
			if always(k, v) {
				single[of(k, v)] = true
				found = append(found, []setting{of(k, v)})
			}
		}
	}
	for k := range s.Dimensions {
		for v := range s.Dimensions[k].Values {
			for l := range k {
				for w := range s.Dimensions[l].Values {
					if !single[of(k, v)] && !single[of(l, w)] && always(l, w, k, v) {
						found = append(found, []setting{of(l, w), of(k, v)})
					}
				}
			}
		}
	}
	return found, nil
}

// writeText writes a file of the folder.
func (z *Frozen) writeText(name, text string) error {
	return files.Write(z.path(name), func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// writeProgram writes a file of the folder that can be run.
func (z *Frozen) writeProgram(name, text string) error {
	if err := z.writeText(name, text); err != nil {
		return err
	}
	return os.Chmod(z.path(name), 0o777)
}

// writeJSON writes a file of the folder as JSON.
func (z *Frozen) writeJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	return z.writeText(name, string(text)+"\n")
}

// trainingNames are the files of the training instances, without their folder.
func (z *Frozen) trainingNames() []string {
	return each.Of(z.Training, func(p FrozenPart) string { return path.Base(p.File) })
}

// readme says what is in the folder.
func (x *exported) readme(program, start, about string) string {
	q := &x.Question
	var b strings.Builder
	fmt.Fprintf(&b, "# Tuning %s with %s\n\nMade by `allot tune export %s`. %s minimises %s over\n\n", q.Solver, program, strings.ToLower(program), program, q.Metric)
	for k := range q.Space {
		fmt.Fprintf(&b, "- %s\n", q.Space[k].describe())
	}
	what := fmt.Sprintf("%d instances", len(x.Training))
	if q.Trace != "" {
		what = fmt.Sprintf("%d windows of %s", len(x.Training), q.Trace)
	}
	fmt.Fprintf(&b, `
It races on the %s in `+"`training`"+`, those that `+"`allot tune`"+` races on with the same flags. What lies in `+"`set-aside`"+` must not be looked
at before the race is over: on it the outcome is judged, once. Each run ends by %s; there are at most %d.

Start it in this folder, with allot on the PATH or named by the variable ALLOT:

    %s

%s

Judge what it found, in this folder:

    allot tune judge . %s

The judgement recommends it only if its gain over %s is shown on what was set aside. Judge one configuration: each further one makes the
intervals wider.

A run prints the objective, plus %g for each job that its schedule owes, or Inf if the solver refuses the configuration or fails.
`, what, budgetText(x.Budget), x.runs, start, about, strings.Join(x.example(), " "), q.Solver, float64(LeftOutCost))
	if len(x.unlikeThem) > 0 {
		fmt.Fprintf(&b, "\n%s as it stands lies outside the space (%s), so %s does not start from it.\n", q.Solver, strings.Join(x.unlikeThem, ", "), program)
	}
	if len(x.forbidden) > 0 {
		fmt.Fprintf(&b, "\nForbidden parts were found by trial: the solver refused each combination that was tried beside them.\n")
	}
	return b.String()
}

// budgetText is the limit of a run.
func budgetText(b bench.Budget) string {
	var limits []string
	if b.Evaluations > 0 {
		limits = append(limits, fmt.Sprintf("after %d evaluations", b.Evaluations))
	}
	if b.Time > 0 {
		limits = append(limits, fmt.Sprintf("after %g s", b.Time))
	}
	if len(limits) == 0 {
		return "itself"
	}
	return "itself or " + strings.Join(limits, " or ")
}

// describe is the dimension in words.
func (d *Dimension) describe() string {
	text := fmt.Sprintf("%s: %s to %s", d.Name, d.number(d.Low), d.number(d.High))
	if d.Kind == Categorical {
		text = d.Name + ": " + strings.Join(d.Values, ", ")
	} else if d.Log {
		text += " on a logarithmic scale"
	}
	if d.When != nil {
		text += fmt.Sprintf(", where %s is %s", d.When.Name, strings.Join(d.When.Values, " or "))
	}
	return text
}

// example is a configuration as words.
func (x *exported) example() []string {
	var words []string
	c := make(Config, len(x.space.Dimensions))
	for k := range x.space.Dimensions {
		if d := &x.space.Dimensions[k]; x.space.matters(c, k) {
			if c[k] = d.at(0.5); d.Kind == Categorical {
				c[k] = d.Values[max(0, slices.Index(d.Values, d.Default))]
			}
			words = append(words, d.Name+"="+c[k])
		}
	}
	return words
}
