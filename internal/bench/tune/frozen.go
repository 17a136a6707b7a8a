package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/bench/lab"
	"github.com/allot-opt/allot/internal/bench/tables"
	"github.com/allot-opt/allot/internal/each"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// FrozenFormat is the format of the question in the folder of an export.
const FrozenFormat = "allot-tune-export/1"

// Frozen is a question in a folder with its instances as files, so that another program can ask for single runs and the outcome can be judged. The part that is set aside lies
// there too; only [Frozen.Judge] reads it.
type Frozen struct {
	FrozenQuestion
	dir   string
	space *Space
}

// FrozenQuestion is what the folder states.
type FrozenQuestion struct {
	Format   string       `json:"format"`
	Version  string       `json:"version"` // of allot, which made the folder
	Question Question     `json:"question"`
	Budget   bench.Budget `json:"budget"` // of a run
	Workers  int          `json:"workers"`
	Training []FrozenPart `json:"training"`
	SetAside []FrozenPart `json:"set_aside"` // of a trace: one part, of all its jobs
}

// FrozenPart is an instance, or a window of a trace.
type FrozenPart struct {
	File     string        `json:"file"` // from the folder, with slashes
	SHA256   string        `json:"sha256"`
	Measured *bench.Window `json:"measured,omitempty"` // the jobs that count; absent: all
}

// LeftOutCost is what [Frozen.Run] adds to the objective for each job that a schedule owes.
const LeftOutCost = 1e12

// freeze writes the instances into the folder of the options, and the question.
func (t *tuning) freeze(plan *bench.Plan, training, held []int, part *model.Instance) (*Frozen, error) {
	t.state(plan, training, held)
	z := &Frozen{FrozenQuestion{Format: FrozenFormat, Version: solve.Version(), Question: t.question, Budget: plan.Suite.Budget, Workers: max(1, plan.Suite.Workers)}, t.opt.Dir, t.space}
	if err := emptyFolder(z.dir); err != nil {
		return nil, err
	}
	for _, group := range []struct {
		name   string
		places []int
		parts  *[]FrozenPart
	}{{"training", training, &z.Training}, {"set-aside", held, &z.SetAside}} {
		for k, place := range group.places {
			planned := &plan.Instances[place]
			in, err := planned.Load(plan.Suite.Objective)
			if err != nil {
				return nil, err
			}
			frozen, err := z.write(fmt.Sprintf("%s/%03d.json", group.name, k+1), in)
			if err != nil {
				return nil, err
			}
			frozen.Measured = planned.Measured
			*group.parts = append(*group.parts, frozen)
		}
	}
	if part != nil {
		frozen, err := z.write("set-aside/trace.json", part)
		if err != nil {
			return nil, err
		}
		z.SetAside = append(z.SetAside, frozen)
	}
	return z, z.writeJSON(questionFile, &z.FrozenQuestion)
}

// emptyFolder makes a folder. What is in it already may be of another question, so it must be empty.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%w: expected an empty folder or none, found %s with %s", bench.ErrForeign, dir, entries[0].Name())
	}
	return os.MkdirAll(dir, 0o777)
}

// write writes an instance into the folder.
func (z *Frozen) write(name string, in *model.Instance) (FrozenPart, error) {
	full := z.path(name)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return FrozenPart{}, err
	}
	if err := files.Write(full, func(w io.Writer) error { return model.WriteInstance(w, in) }); err != nil {
		return FrozenPart{}, err
	}
	back, err := model.ReadInstanceFile(full) // its digest is of the file's bytes
	if err != nil {
		return FrozenPart{}, err
	}
	return FrozenPart{File: name, SHA256: back.SHA256()}, nil
}

// path is a file of the folder.
func (z *Frozen) path(name string) string { return filepath.Join(z.dir, filepath.FromSlash(name)) }

// OpenFrozen reads the question of a folder. The error is a [*model.InputError] if the file is wrong.
func OpenFrozen(dir string) (*Frozen, error) {
	name := filepath.Join(dir, questionFile)
	file, err := model.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z := &Frozen{dir: dir}
	if err := model.ReadDocument(file, name, &z.FrozenQuestion, FrozenFormat); err != nil {
		return nil, err
	}
	fault := func(where, message string, arguments ...any) error {
		return &model.InputError{File: name, Faults: []model.Fault{{Path: where, Message: fmt.Sprintf(message, arguments...)}}}
	}
	if solve.External(z.Question.Solver) { // whoever got the folder from elsewhere has not agreed to run that
		return nil, fault("question.solver", "expected one that runs no program from outside, found %q", z.Question.Solver)
	}
	if z.space, err = spaceOf(z.Question.Solver, z.Question.Space); err != nil {
		return nil, fault("question", "%s", err)
	}
	if c := z.Question.Confidence; !(c > 0 && c < 1) {
		return nil, fault("question.confidence", "expected a number between 0 and 1, both excluded, found %v", c)
	}
	switch {
	case len(z.Training) == 0:
		return nil, fault("training", "expected instances, found none")
	case len(z.SetAside) == 0 || z.Question.Trace != "" && len(z.SetAside) > 1:
		return nil, fault("set_aside", "expected instances, of a trace one part, found %d", len(z.SetAside))
	}
	for k, part := range slices.Concat(z.Training, z.SetAside) {
		if !filepath.IsLocal(filepath.FromSlash(part.File)) {
			return nil, fault(fmt.Sprintf("file %d", k+1), "expected a path within the folder, found %q", part.File)
		}
	}
	return z, nil
}

// spaceOf is the space with given dimensions, as [NewSpace] has made it.
func spaceOf(text string, dimensions []Dimension) (*Space, error) {
	base, err := solve.Choose(text)
	if err != nil {
		return nil, err
	}
	s := &Space{base: base, text: text, Dimensions: dimensions}
	known := params.Of(base.Solver)
	for k := range dimensions {
		d := &dimensions[k]
		if !slices.ContainsFunc(known, func(p params.Parameter) bool { return p.Name == d.Name }) {
			return nil, fmt.Errorf("space[%d].name: expected a parameter of %s, found %q", k, text, d.Name)
		}
		if d.When != nil && !slices.ContainsFunc(dimensions[:k], func(o Dimension) bool { return o.Name == d.When.Name }) {
			return nil, fmt.Errorf("space[%d].when: expected one of the parameters before it, found %q", k, d.When.Name)
		}
		ends := d.Values
		switch {
		case d.Kind == Categorical && len(ends) == 0, d.Kind != Categorical && !(d.Low < d.High):
			return nil, fmt.Errorf("space[%d]: expected values or an interval, found none", k)
		case d.Kind != Categorical:
			ends = []string{d.number(d.Low), d.number(d.High)}
		}
		for _, value := range ends {
			if err := s.try(d.Name, value); err != nil {
				return nil, fmt.Errorf("space[%d]: %w", k, err)
			}
		}
	}
	return s, nil
}

// Config reads a configuration from words such as depth=3. Numbers are rounded as [Space.Choice] states them. What is not named has its value of the choice as it stands; a
// parameter that does not matter beside the others must not be named.
func (s *Space) Config(words []string) (Config, error) {
	given := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		known := slices.ContainsFunc(s.Dimensions, func(d Dimension) bool { return d.Name == name })
		_, twice := given[name]
		switch {
		case !ok || !known:
			names := each.Of(s.Dimensions, func(d Dimension) string { return d.Name })
			return nil, fmt.Errorf("expected NAME=VALUE with a name of %s, found %q", strings.Join(names, ", "), word)
		case twice:
			return nil, fmt.Errorf("expected each parameter once, found %s twice", name)
		}
		given[name] = value
	}
	c := make(Config, len(s.Dimensions))
	for k := range s.Dimensions {
		d := &s.Dimensions[k]
		value, named := given[d.Name]
		if !s.matters(c, k) {
			if named {
				return nil, fmt.Errorf("%s=%s: it matters only where %s is %s", d.Name, value, d.When.Name, strings.Join(d.When.Values, " or "))
			}
			continue
		}
		if !named {
			c[k] = d.Default
			continue
		}
		var err error
		if c[k], err = d.read(value); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return c, nil
}

// read reads a value of the dimension. The value of the choice as it stands is one, wherever it lies.
func (d *Dimension) read(value string) (string, error) {
	if value == d.Default {
		return value, nil
	}
	if d.Kind == Categorical {
		if !slices.Contains(d.Values, value) {
			return "", fmt.Errorf("expected %s, found %q", strings.Join(d.Values, " or "), value)
		}
		return value, nil
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= d.Low && x <= d.High) || d.Kind == Integer && x != math.Trunc(x) {
		kind := "number"
		if d.Kind == Integer {
			kind = "whole number"
		}
		return "", fmt.Errorf("expected a %s from %s to %s, found %q", kind, d.number(d.Low), d.number(d.High), value)
	}
	return d.number(x), nil
}

// Choice reads what to judge: parameters such as depth=3 of the tuned choice, or one choice as [solve.Choose] reads it.
func (z *Frozen) Choice(words []string) (*solve.Choice, error) {
	name, _, _ := strings.Cut(words[0], "=")
	if len(words) == 1 && !slices.ContainsFunc(z.space.Dimensions, func(d Dimension) bool { return d.Name == name }) {
		choice, err := solve.Choose(words[0])
		return &choice, err
	}
	config, err := z.space.Config(words)
	if err != nil {
		return nil, err
	}
	return z.space.Choice(config)
}

// Run runs a configuration, as words such as depth=3, on a training instance, which is named by its file with or without folder, and returns what is to be minimised: the
// objective, plus [LeftOutCost] for each job that the schedule owes. It is +Inf if the solver refuses the configuration or the instance, or fails; why says so. A wrong
// schedule is an error. An empty seed is that of the question.
func (z *Frozen) Run(ctx context.Context, instance, seed string, words []string) (cost float64, why string, err error) {
	at := slices.IndexFunc(z.Training, func(p FrozenPart) bool { return path.Base(p.File) == filepath.Base(instance) })
	if at < 0 {
		return 0, "", fmt.Errorf("instance: expected a file of %s, found %q", filepath.Join(z.dir, "training"), instance)
	}
	number := z.Question.Seed
	if seed != "" {
		if number, err = strconv.ParseUint(seed, 10, 64); err != nil {
			return 0, "", fmt.Errorf("seed: expected a whole number from 0 to %d, found %q", uint64(math.MaxUint64), seed)
		}
	}
	config, err := z.space.Config(words)
	if err != nil {
		return 0, "", err
	}
	choice, err := z.space.Choice(config)
	if err != nil {
		return math.Inf(1), err.Error(), nil
	}
	part := &z.Training[at]
	in, err := z.read(part)
	if err != nil {
		return 0, "", err
	}
	row := bench.Measure(ctx, *choice, in, bench.Settings{
		Time:     time.Duration(math.Round(z.Budget.Time * float64(time.Second))),
		Options:  solve.Options{Seed: number, MaxEvals: z.Budget.Evaluations, Workers: z.Workers, Unbounded: true},
		Measured: part.Measured,
	})
	switch {
	case ctx.Err() != nil:
		return 0, "", ctx.Err()
	case row.Kind == bench.WrongSchedule:
		return 0, "", fmt.Errorf("%s on %s: %s", row.Solver, part.File, row.Fault)
	}
	result := tables.ResultOf([]*bench.Row{&row})
	if math.IsNaN(result.Objective) {
		return math.Inf(1), cmp.Or(row.Fault, "it found no schedule"), nil
	}
	return result.Objective + LeftOutCost*result.Left, "", nil
}

// read reads the instance of a part, which must be as it was when the folder was made.
func (z *Frozen) read(part *FrozenPart) (*model.Instance, error) {
	in, err := model.ReadInstanceFile(z.path(part.File))
	if err == nil && in.SHA256() != part.SHA256 {
		err = &model.InputError{File: z.path(part.File), Faults: []model.Fault{{
			Message: fmt.Sprintf("expected the instance of SHA-256 %s, found %s: it has changed since the folder was made", part.SHA256, in.SHA256())}}}
	}
	return in, err
}

// judgedFile lists what has been judged in a folder.
const judgedFile = "judged.txt"

// Judge compares a choice with the one as it stands on what was set aside, as a tuning does at its end. Each other choice that was judged in the folder before makes the interval
// wider: the k-th has the confidence 1 − (1 − c)/k, so that the more are tried, the less luck helps. jobs is the number of runs at the same time.
func (z *Frozen) Judge(ctx context.Context, choice *solve.Choice, jobs int) (*Answer, error) {
	trial := *choice
	trial.Label = Text(&trial)
	base := z.space.base
	base.Label = z.Question.Solver
	confidence, err := z.judgedNow(trial.Label)
	if err != nil {
		return nil, err
	}
	t := &tuning{space: z.space, question: z.Question, opt: Defaults()}
	t.opt.Seed, t.opt.Confidence, t.opt.Jobs, t.opt.Limits = z.Question.Seed, confidence, jobs, z.Question.Limits
	t.question.Confidence = confidence
	t.race, t.best = &race{standing: &candidate{choice: &base}}, &candidate{choice: &trial}
	a := &Answer{Format: Format, Version: solve.Version(), Question: t.question, Found: trial.Label, Recommended: z.Question.Solver, Keep: true}
	if trial.Label == z.Question.Solver {
		return a, nil
	}
	if z.Question.Trace != "" {
		err = z.judgeTrace(ctx, t, a)
	} else {
		err = z.judgeInstances(ctx, t, a)
	}
	if err != nil {
		return nil, err
	}
	a.decide()
	return a, nil
}

// judgeTrace judges on the part of the trace.
func (z *Frozen) judgeTrace(ctx context.Context, t *tuning, a *Answer) error {
	part, err := z.read(&z.SetAside[0])
	if err != nil {
		return err
	}
	usual, known := lab.Defaults().In(part.Units().Time)
	if !known {
		return fmt.Errorf("%s: expected times in a unit that says how long a day is, found %q", z.SetAside[0].File, part.Units().Time)
	}
	t.opt.Lab = usual
	return t.judgeTrace(ctx, a, part, z.Question.Metric)
}

// judgeInstances judges on the instances.
func (z *Frozen) judgeInstances(ctx context.Context, t *tuning, a *Answer) (err error) {
	suite := &bench.Suite{Format: bench.SuiteFormat, Name: "tune", Budget: z.Budget, Workers: z.Workers}
	plan := &bench.Plan{Suite: suite}
	var held []int
	for k := range z.SetAside {
		in, err := z.read(&z.SetAside[k])
		if err != nil {
			return err
		}
		planned := bench.Made(in, z.SetAside[k].Measured)
		planned.Name = path.Base(z.SetAside[k].File)
		plan.Instances, held = append(plan.Instances, planned), append(held, k)
	}
	dir, err := files.Folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if t.session, err = bench.Open(ctx, plan, bench.RunOptions{Dir: dir, Bare: true, Passing: true, Jobs: t.opt.Jobs}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.session.Close()) }()
	return t.judge(ctx, a, held, rand.New(rand.NewPCG(t.opt.Seed, 0)))
}

// judgedNow notes that a choice is judged and returns the confidence of its interval.
func (z *Frozen) judgedNow(label string) (float64, error) {
	text, err := os.ReadFile(z.path(judgedFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	judged := strings.Fields(string(text))
	at := slices.Index(judged, label)
	if at < 0 && label != z.Question.Solver {
		at = len(judged)
		judged = append(judged, label)
		content := strings.Join(judged, "\n") + "\n"
		if err := files.Write(z.path(judgedFile), func(w io.Writer) error { _, err := io.WriteString(w, content); return err }); err != nil {
			return 0, err
		}
	}
	return 1 - (1-z.Question.Confidence)/float64(max(0, at)+1), nil
}
