// Package tune looks for parameters of a solver or a policy that serve better than those it has, and says whether they hold elsewhere.
//
// A share of the instances is set aside before anything runs; of a trace, its last part. Races among candidates look at the others only. In the end the best candidate and the
// choice as it stands run on what was set aside, once. The best is recommended only where the interval of the gain there excludes "no gain"; else the answer is to keep
// what there is. So the probability to recommend what is no better is at most half of 1 − confidence, as far as the interval holds, whatever the races did.
package tune

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/solve"
)

// format is the format of an answer as JSON.
const format = "allot-tune/1"

// Options say how to tune. [Defaults] has the usual ones.
type Options struct {
	Limits
	Seed       uint64
	HeldOut    float64 // share of the instances, or of the time of a trace, that is set aside for the judgement
	Confidence float64 // of the judgement
	Dir        string  // folder of the rows: the same call goes on with what is there
	Passing    bool    // nobody needs the folder afterwards: runs do not wait for the disk
	Jobs       int     // runs at the same time
	Steal      bool    // other programs tune the same in the same folder: share the runs with them
	Test       Test    // empty: by rank on instances, by mean on a trace
	Lab        lab.Options
	Anyway     bool // search even if the policy of the site, which the trace states, does not explain the record
	Warn       func(string)
	Progress   func(share float64, what string) // nil: silent
}

// Defaults are a minute, a third set aside and intervals of 95 %.
func Defaults() Options {
	return Options{Limits: Limits{Seconds: 60}, Seed: 1, HeldOut: 1.0 / 3, Confidence: 0.95, Jobs: 1, Lab: lab.Defaults()}
}

// Answer is the outcome of a tuning.
type Answer struct {
	Caveats     []string    `json:"caveats,omitempty"`      // what the trace leaves out, and what of slurm.conf is not followed: whoever writes the answer says it first
	About       []string    `json:"about_record,omitempty"` // the policy of the site, and how near it comes to the record; absent: the trace states none
	Withheld    bool        `json:"withheld,omitempty"`     // nothing was looked for: what is found would rest on a replay that does not explain the record
	Format      string      `json:"format"`
	Version     string      `json:"version"`
	Question    Question    `json:"question"`
	Found       string      `json:"found"`                  // the best of the races; it may be what there is
	FoundValues Config      `json:"found_values,omitempty"` // by dimension; empty: it does not matter beside the others; absent: it was given as a choice
	Recommended string      `json:"recommended"`            // to be pasted wherever a solver or policy is named
	Keep        bool        `json:"keep"`                   // what is recommended is what there is
	Training    *Gain       `json:"training,omitempty"`     // absent: nothing better was found
	HeldOut     *Gain       `json:"held_out,omitempty"`
	Runs        int         `json:"runs"`
	Seconds     float64     `json:"seconds,omitempty"` // of a processor; absent where the runs are limited, as the answer is then the same again
	Races       []Iteration `json:"races"`
	Steps       []Step      `json:"steps,omitempty"` // from what there is to what was found; absent: nothing was found, or too little of the limit was left

	// Policies compares the two on the part of a trace that was set aside: who waits less, who pays.
	Policies *lab.Report `json:"policies,omitempty"`

	// SlurmConf is the answer in the terms of slurm.conf; absent: another choice was tuned.
	SlurmConf *SlurmConf `json:"slurm_conf,omitempty"`
}

// Question is what was asked, so that a folder is not used for two questions.
type Question struct {
	Solver     string      `json:"solver"` // as it stands
	Space      []Dimension `json:"space"`
	Metric     string      `json:"metric"` // what is minimised
	Trace      string      `json:"trace,omitempty"`
	Queues     []string    `json:"queues,omitempty"` // partitions of the trace that policies keep apart
	Training   []string    `json:"training"`         // names of the instances, or of the windows of the trace
	SetAside   []string    `json:"set_aside"`
	Digest     string      `json:"digest"` // of all instances
	Limits     Limits      `json:"limits"`
	Budget     string      `json:"budget"` // of a run
	Seed       uint64      `json:"seed"`
	Test       Test        `json:"test"`
	Confidence float64     `json:"confidence"`
}

// Gain compares what was found with what there is.
type Gain struct {
	Cases  int      `json:"cases"`           // instances, or jobs of a trace
	Ratio  *float64 `json:"ratio,omitempty"` // of the objectives, found/there is, below 1: a gain; absent: there is none
	Low    *float64 `json:"low,omitempty"`   // the interval; absent: too few cases
	High   *float64 `json:"high,omitempty"`
	Better int      `json:"better"` // cases
	Equal  int      `json:"equal"`
	Worse  int      `json:"worse"`
}

// Shown reports whether the interval lies below 1.
func (g *Gain) Shown() bool { return g != nil && g.High != nil && *g.High < 1 }

// tuning is one tuning under way.
type tuning struct {
	space    *Space
	opt      Options
	question Question
	session  *bench.Session
	race     *race
	best     *candidate
}

// ErrTooLittle says that there are too few instances or too little time for an answer.
var ErrTooLittle = errors.New("too little for an answer")

// Instances tunes on the instances of a plan, whose suite limits each run. Too few instances for a judgement are an error.
func Instances(ctx context.Context, space *Space, plan *bench.Plan, opt Options) (*Answer, error) {
	training, held, rng, err := setAside(len(plan.Instances), opt)
	if err != nil {
		return nil, err
	}
	opt.Test = cmp.Or(opt.Test, ByRank)
	t := &tuning{space: space, opt: opt}
	if err := t.minimise(plan); err != nil {
		return nil, err
	}
	if err := t.open(ctx, plan, training, held); err != nil {
		return nil, err
	}
	defer t.session.Close()
	const manyPasses = 1000
	if err := t.search(ctx, inSession(t.session), training, manyPasses, 2*float64(len(held))); err != nil {
		return nil, err
	}
	a, err := t.answer(ctx)
	if err != nil || t.best == t.race.standing {
		return a, err
	}
	t.tell(1, "judging on what was set aside")
	if err := t.judge(ctx, a, held, rng); err != nil {
		return nil, err
	}
	a.decide()
	return a, nil
}

// minimise states what is minimised on the instances.
func (t *tuning) minimise(plan *bench.Plan) error {
	in, err := plan.Instances[0].Load(plan.Suite.Objective)
	if err == nil {
		t.question.Metric = shown.Objective(in)
	}
	return err
}

// setAside parts n instances at random into those for the races and those for the judgement. What is drawn next is for the order of the latter.
func setAside(n int, opt Options) (training, held []int, rng *rand.Rand, err error) {
	rng = rand.New(rand.NewPCG(opt.Seed, 0x61736964))
	order := rng.Perm(n)
	aside := int(float64(n)*opt.HeldOut + 0.5)
	if least := statistics.LeastPairs(opt.Confidence); aside < least || n-aside < firstTest {
		return nil, nil, nil, fmt.Errorf("%w: expected at least %d instances to race on and %d to be set aside for the judgement, found %d in all, of which a share of %.3g is set aside",
			ErrTooLittle, firstTest, least, n, opt.HeldOut)
	}
	return slices.Sorted(slices.Values(order[aside:])), slices.Sorted(slices.Values(order[:aside])), rng, nil
}

// judge runs the best candidate and what there is on the instances that were set aside.
func (t *tuning) judge(ctx context.Context, a *Answer, held []int, rng *rand.Rand) error {
	judged := newField(inSession(t.session), held, t.opt.Seed, 1, t.opt.Jobs, rng)
	for heat := range judged.heats() {
		if err := judged.run(ctx, heat, []*candidate{t.race.standing, t.best}); err != nil {
			return err
		}
	}
	a.spend(judged.runs, judged.seconds)
	var err error
	a.HeldOut, err = t.gain(judged, t.opt.Confidence)
	return err
}

// open opens the folder and states the question in it.
func (t *tuning) open(ctx context.Context, plan *bench.Plan, training, held []int) (err error) {
	t.state(plan, training, held)
	if err := t.ask(); err != nil {
		return err
	}
	t.session, err = bench.Open(ctx, plan, bench.RunOptions{Dir: filepath.Join(t.opt.Dir, runsFolder), Bare: true, Passing: t.opt.Passing, Jobs: t.opt.Jobs, Steal: t.opt.Steal, Warn: t.opt.Warn})
	return err
}

// state puts the question into words.
func (t *tuning) state(plan *bench.Plan, training, held []int) {
	named := func(places []int) []string {
		return kit.Each(places, func(k int) string { return plan.Instances[k].Name })
	}
	t.question.Solver, t.question.Space, t.question.Metric = text(&t.space.base), t.space.Dimensions, cmp.Or(t.question.Metric, plan.Suite.Objective)
	t.question.Training, t.question.SetAside, t.question.Digest = named(training), append(t.question.SetAside, named(held)...), digest(plan, t.question.Digest)
	t.question.Limits, t.question.Seed, t.question.Test, t.question.Confidence = t.opt.Limits, t.opt.Seed, t.opt.Test, t.opt.Confidence
	t.question.Budget = fmt.Sprintf("%g s, %d evaluations, %d workers", plan.Suite.Budget.Time, plan.Suite.Budget.Evaluations, max(1, plan.Suite.Workers))
}

// A folder has a file that states the question, and beside it the folder of the runs.
const (
	questionFile = "question.json"
	runsFolder   = "runs"
)

// ask states the question in the folder, or compares it with the one that is stated there.
func (t *tuning) ask() error {
	path := filepath.Join(t.opt.Dir, questionFile)
	var before struct {
		Version  string   `json:"version"`
		Question Question `json:"question"`
	}
	now := before
	now.Version, now.Question = solve.Version(), t.question
	text, err := json.MarshalIndent(now, "", " ")
	if err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(t.opt.Dir, 0o777); err != nil {
			return err
		}
		return files.Write(path, func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err })
	case err != nil:
		return err
	}
	if err := json.Unmarshal(old, &before); err != nil {
		return fmt.Errorf("%w: %s: %w", bench.ErrForeign, path, err)
	}
	if err := json.Unmarshal(text, &now); err != nil { // as it reads after writing
		return err
	}
	if !reflect.DeepEqual(before, now) {
		return fmt.Errorf("%w: %s states another tuning", bench.ErrOtherRun, path)
	}
	return nil
}

// spareShare is the share of the limit for what comes between the races and the judgement: the run-off, and the steps to what was found.
const spareShare = 0.2

// search races on the instances. reserve is what the judgement takes, in runs of the mean length.
func (t *tuning) search(ctx context.Context, run runner, instances []int, passes int, reserve float64) error {
	s := newSampler(t.space, t.opt.Seed)
	standing, err := s.standing()
	if err != nil {
		return err
	}
	f := newField(run, instances, t.opt.Seed, passes, t.opt.Jobs, s.rng)
	t.race = &race{space: t.space, sampler: s, field: f, test: t.opt.Test, limits: t.opt.Limits, standing: standing, told: t.opt.Progress}
	t.race.reserve = reserve
	if t.opt.Runs == 0 { // nobody knows yet what a run takes
		t.race.reserve = 0
		for heat := range min(firstTest, f.heats()) {
			if err := f.run(ctx, heat, []*candidate{standing}); err != nil {
				return err
			}
		}
		t.race.reserve = reserve * t.race.price()
	}
	t.race.spare = spareShare * t.race.limit()
	if t.space.slurm != nil {
		need := 2 * float64(firstTest*len(t.space.Dimensions)) * t.race.price() // to take back what is not needed
		t.race.spare = min(2*t.race.spare, max(t.race.spare, need))
	}
	t.race.reserve += t.race.spare
	tooLittle := func() error {
		return fmt.Errorf("%w: expected a limit that leaves time for a race: a run takes %.3g of it and the judgement %.3g; found %.3g", ErrTooLittle, t.race.price(), t.race.reserve, t.race.limit()+t.race.reserve)
	}
	if need := float64(2 * (firstTest + 1)); t.race.limit()-t.race.used() < need*t.race.price() {
		return tooLittle()
	}
	best, err := t.race.run(ctx)
	if err != nil {
		return err
	}
	if len(t.race.record) == 0 { // runs took longer than they did before
		return tooLittle()
	}
	t.best, err = t.race.runOff(ctx, best)
	if err != nil || t.space.slurm == nil || t.best == t.race.standing {
		return err
	}
	t.tell(1, "which changes are needed")
	return t.simplify(ctx)
}

// answer is the outcome of the races.
func (t *tuning) answer(ctx context.Context) (*Answer, error) {
	a := &Answer{
		Format: format, Version: solve.Version(), Question: t.question, Found: t.best.choice.Label, FoundValues: t.best.config, Recommended: t.question.Solver, Keep: true,
		Races: t.race.record,
	}
	if t.best == t.race.standing {
		a.spend(t.race.field.runs, t.race.field.seconds)
		return a, nil
	}
	var err error
	if a.Training, err = t.gain(t.race.field, t.opt.Confidence); err != nil {
		return nil, err
	}
	t.tell(1, "which parameters matter")
	if a.Steps, err = t.ablate(ctx); err != nil {
		return nil, err
	}
	a.spend(t.race.field.runs, t.race.field.seconds)
	return a, nil
}

// spend counts runs and their time.
func (a *Answer) spend(runs int, seconds float64) {
	a.Runs += runs
	if a.Question.Limits.Runs == 0 {
		a.Seconds += seconds
	}
}

// decide recommends what was found where its gain on what was set aside is shown.
func (a *Answer) decide() {
	if a.HeldOut.Shown() {
		a.Keep, a.Recommended = false, a.Found
	}
}

// gain compares the best candidate with what there is on the heats that both have run.
func (t *tuning) gain(f *field, confidence float64) (*Gain, error) {
	return compare(f.table(f.common(t.race.standing, t.best), []*candidate{t.race.standing, t.best}), confidence)
}

// compare compares the second column of a table with the first: the ratio of the objectives.
func compare(results [][]tables.Result, confidence float64) (*Gain, error) {
	g := &Gain{Cases: len(results)}
	var before, after []float64
	for _, row := range results {
		switch {
		case row[1].Better(row[0]):
			g.Better++
		case row[0].Better(row[1]):
			g.Worse++
		default:
			g.Equal++
		}
		a, b := likened(row[0], row[1])
		if row[0].Left != row[1].Left { // the objectives are of different jobs: only better or worse
			a, b = -1, -1
		}
		before, after = append(before, a), append(after, b)
	}
	if len(results) == 0 {
		return g, nil
	}
	ratio, err := statistics.RatioOfPairs(before, after, confidence)
	if err != nil {
		return nil, err
	}
	if ratio.N > 0 {
		g.Ratio = &ratio.Estimate
	}
	if ratio.Failed+ratio.Nothing == 0 && ratio.HasInterval() { // a mean over the cases that suit is no gain
		g.Low, g.High = &ratio.Low, &ratio.High
	}
	return g, nil
}

// tell reports progress.
func (t *tuning) tell(share float64, what string) {
	if t.opt.Progress != nil {
		t.opt.Progress(share, what)
	}
}

// trainable says why a choice cannot be tuned on an instance; nil: it can.
func trainable(space *Space, in *model.Instance) error {
	if space.base.Info.Absent != "" {
		return errors.New(space.base.Info.Absent)
	}
	return solve.Supports(space.base.Solver, in, false)
}
