// Package papers repeats the experiments of published papers and judges for each claim of a paper whether it replicates.
//
// An experiment is a data file in the folder data. It has three parts: a suite of package bench, which says what is run; the readings, which are
// the assumptions made where the paper is silent; and the claims, which are the paper's statements. Code holds no claim and no figure of a paper.
// The rule of the verdicts is fixed, see package verdict. It is never tuned to make a claim hold: a claim that does not hold is a result too.
// The headline is the verdict under the first reading, the nearest to the paper's words (docs/experiments.md). Readings that were added later are marked as such.
//
// What was found is recorded in the folder record, one file for each experiment and mode. The page docs/replication.md is made from these records.
package papers

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	_ "github.com/allot-opt/allot/solvers" // what the experiments run
)

// format is the format of experiment files.
const format = "allot-experiment/1"

// Experiment is one experiment of a paper.
type Experiment struct {
	Format     string       `json:"format" enum:"allot-experiment/1"`
	ID         string       `json:"id" check:"id"` // PAPER/FIGURE
	Title      string       `json:"title" check:"text"`
	Source     Source       `json:"source"`
	SetUp      string       `json:"set_up" check:"text"` // in words: what is run, and how often
	Takes      Takes        `json:"takes"`
	Suite      *bench.Suite `json:"suite,omitempty"` // absent: the experiment has worked values only, or is not run yet
	Quick      *Quick       `json:"quick,omitempty"`
	Axis       string       `json:"axis,omitempty"`       // name of the axis that Point.X is on
	Points     []Point      `json:"points,omitempty"`     // of the figure
	Quantities []Quantity   `json:"quantities,omitempty"` // that the paper measures
	Policies   []string     `json:"policies,omitempty"`   // that the paper compares, by its names
	Readings   []Reading    `json:"readings"`             // the first is the closest to the paper's words
	Claims     []Claim      `json:"claims"`
	Worked     *Worked      `json:"worked,omitempty"`
	Deviations []string     `json:"deviations,omitempty" check:"text"` // from the paper, under every reading
	Notes      []string     `json:"notes,omitempty" check:"text"`      // on the paper: its slips, and what can't be known
	NotYet     string       `json:"not_yet,omitempty" check:"text"`    // why nothing is run yet
}

// Source says where the experiment was published.
type Source struct {
	Authors string `json:"authors" check:"text"`
	Year    int    `json:"year" check:"count"`
	Title   string `json:"title" check:"text"`
	In      string `json:"in" check:"text"` // journal, volume, pages
	DOI     string `json:"doi,omitempty"`   // empty: not known
	Figure  string `json:"figure" check:"text"`
}

// Takes tells people how long a run takes.
type Takes struct {
	Quick string `json:"quick" check:"text"`
	Full  string `json:"full" check:"text"`
}

// Quick lists the instances of quick mode, which replace the suite's. Quick mode leaves out readings and points without rows.
type Quick struct {
	Instances []bench.InstanceSource `json:"instances"`
}

// Point is one place on the figure's axis.
type Point struct {
	ID    string  `json:"id" check:"id"`
	X     float64 `json:"x" check:"figure"`
	Panel string  `json:"panel,omitempty"` // the part of the figure that the point is in, if the figure has several
	// Values are further values that templates of groups and labels can name: {NAME}.
	Values map[string]string `json:"values,omitempty"`
	// Cluster is the cluster that metrics with a value for each cluster are read at.
	Cluster string `json:"cluster,omitempty" check:"id"`
}

// Quantity is something that the paper measures, expressed as a weighted sum of metrics. Beside the metrics of package model there are "jobs", the
// number of jobs of the instance; "elapsed", the seconds that the solver took by the clock; "mean_arrival" of the finished jobs; and of rolling use
// "round_mcp" and "round_balance", the means over the rounds (see [bench.Rounds]). A metric with a value for each cluster is read at
// the cluster of the point, or as METRIC@CLUSTER.
type Quantity struct {
	Name  string             `json:"name" check:"id"`
	Doc   string             `json:"doc" check:"text"`
	Unit  string             `json:"unit,omitempty" check:"text"` // of its values and of differences that are not in percent
	Terms map[string]float64 `json:"terms"`                       // metric: weight
	Range *Range             `json:"range,omitempty"`             // absent: it has no floor or no ceiling
}

// Reading is one set of assumptions about things that the paper leaves open.
type Reading struct {
	ID   string `json:"id" check:"id"`
	Text string `json:"text" check:"text"`
	// PostHoc marks a reading that was added after the first run. It can't be the first, which is the headline.
	PostHoc bool `json:"post_hoc,omitempty"`
	// Registered says why the reading follows from the paper, as was written before its first run.
	Registered *Registration `json:"registered,omitempty"`
	// Group is the suite's group of a point, with {point} for its ID.
	Group string `json:"group,omitempty"`
	// Policies are the suite's labels of the policies, with {point} for the ID of the point.
	Policies map[string]string `json:"policies,omitempty"`
	// Points lists the points that the reading has; absent: all.
	Points []string `json:"points,omitempty" check:"id"`
	// Only says which points these are in words, and why there are no others.
	Only string `json:"only,omitempty" check:"text"`
	// Quantities lists the quantities that this reading measures by other metrics.
	Quantities map[string]Terms `json:"quantities,omitempty"`
	// Percent says which value is 100 %: the rival's (the default) or the policy's own.
	Percent string `json:"percent,omitempty" enum:"of the rival,of its own"`
	// Base lists the quantities that this reading states in percent of other metrics of the policy.
	Base map[string]Terms `json:"base,omitempty"`
	// Solver is the solver that an experiment with worked values runs.
	Solver     string            `json:"solver,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

// Registration is the reason for a reading that was written down and committed before the reading ran, on seeds that nothing had used.
type Registration struct {
	Reason string `json:"reason" check:"text"`
	Commit string `json:"commit,omitempty" check:"text"` // that registered it; absent: this very commit
}

// Terms are metrics with their weights.
type Terms = map[string]float64

// Forms of a claim.
const (
	percent     = "percent"     // the policy's mean differs from the rival's by Value percent, over all the points together
	sign        = "sign"        // the policy's mean is less (or more, see Direction) than the rival's at each of the points
	trend       = "trend"       // the difference becomes less (or more) along the axis, over all the points; without a rival: the policy's own value does
	peak        = "peak"        // the difference becomes less (or more) along the axis and then comes back
	equivalence = "equivalence" // the difference at each of the points is at most Within; with a Target: from the target
	interaction = "interaction" // the sum of the differences times the coefficients of Contrast is less (or more) than 0
	limit       = "limit"       // the policy's mean, or its difference from the rival's, is at most (Direction less) or at least (more) Value
	nearest     = "nearest"     // of all points, the policy's values at the first of At are the nearest to Target
	Table       = "table"       // the composition table of the worked instance
	Schedule    = "schedule"    // the schedule of the worked instance
	Figures     = "metrics"     // the metrics of the schedule of the worked instance
	statement   = "statement"   // about an algorithm, not about figures: it is listed and can't be run
)

// Claim is one statement of the paper. Its permanent ID is the experiment's with its own: PAPER/FIGURE/ID.
type Claim struct {
	ID        string   `json:"id" check:"id"`
	Text      string   `json:"text" check:"text"`  // in the paper's words
	Where     string   `json:"where" check:"text"` // section, page, figure
	Form      string   `json:"form" enum:"percent,sign,trend,peak,equivalence,interaction,limit,nearest,table,schedule,metrics,statement"`
	Quantity  string   `json:"quantity,omitempty"`
	Policy    string   `json:"policy,omitempty"`
	Against   string   `json:"against,omitempty"` // the rival
	At        []string `json:"at,omitempty" check:"id"`
	Direction string   `json:"direction,omitempty" enum:"less,more,none"` // of a sign, trend, peak, interaction or limit; none: no trend
	Value     *float64 `json:"value,omitempty" check:"figure"`            // the paper's percentage, below 0: less than the rival; or its limit
	Within    *float64 `json:"within,omitempty" check:"figure"`           // of an equivalence, or of no trend
	Method    string   `json:"method,omitempty" enum:"slope,kendall"`     // of a trend; absent: slope
	Along     string   `json:"along,omitempty" enum:"axis,panels"`        // of a trend; panels: from panel to panel in their order, at the same place of the axis
	Together  bool     `json:"together,omitempty"`                        // of a limit: the mean over all the points
	Absolute  bool     `json:"absolute,omitempty"`                        // differences are not in percent
	Base      Terms    `json:"base,omitempty"`                            // percent are of these metrics of the policy
	Contrast  Terms    `json:"contrast,omitempty"`                        // point: coefficient; they add up to 0
	Target    Terms    `json:"target,omitempty"`                          // quantity: value that the paper states

	Deviations  []string     `json:"deviations,omitempty" check:"text"` // from the paper, of this claim alone
	NotTestable *NotTestable `json:"not_testable,omitempty"`            // why its numbers are no evidence
	Added       bool         `json:"added,omitempty"`                   // listed after the first readings had run
	Repeats     string       `json:"repeats,omitempty" check:"text"`    // PAPER/FIGURE/CLAIM that states the same of the same set-up; counted once
	NotStated   string       `json:"not_stated,omitempty" check:"text"` // why it is not the paper's claim but a test of ours, which does not count

	// Measure is the unit of its quantity, or of the first of its targets; set when the experiment is read.
	Measure string `json:"-"`

	// The values that a worked instance must have.
	Table    [][][]string      `json:"table,omitempty"` // compositions by row; row k is for a space of k+1 processors; a composition lists jobs in order
	Schedule []model.Placement `json:"schedule,omitempty"`
	Metrics  Terms             `json:"metrics,omitempty"`
}

// Worked is an instance whose schedule the paper works out by hand.
type Worked struct {
	Instance model.InstanceSpec `json:"instance"`
}

// Known lists the experiments by ID.
func Known() []*Experiment { return known() }

// data are the data files.
//
//go:embed data
var data embed.FS

// known reads the experiments when they are first needed.
var known = sync.OnceValue(func() []*Experiment {
	list := embedded(data, "data/*.json", Read)
	slices.SortFunc(list, func(a, b *Experiment) int { return strings.Compare(a.ID, b.ID) })
	return list
})

// embedded reads the embedded files that match a pattern; a fault in one is a bug in the program and panics.
func embedded[T any](files fs.FS, pattern string, read func(io.Reader, string) (*T, error)) []*T {
	paths, err := fs.Glob(files, pattern)
	list := make([]*T, len(paths))
	for k, name := range paths {
		var file fs.File
		if file, err = files.Open(name); err != nil {
			break
		}
		list[k], err = read(file, path.Base(name))
		_ = file.Close() // closing embedded data cannot fail
		if err != nil {
			break
		}
	}
	if err != nil {
		panic(err)
	}
	return list
}

// everything is the name of all experiments.
const everything = "all"

// Lookup finds experiments by name. PAPER/FIGURE names one, PAPER all of that paper, [Everything] all. The error lists the experiments that exist.
func Lookup(name string) ([]*Experiment, error) {
	var found []*Experiment
	var ids []string
	for _, e := range known() {
		ids = append(ids, e.ID)
		if e.ID == name || e.Paper() == name || name == everything {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("expected an experiment, one of %s, the name of a paper for all its experiments, or all; found %q%s", strings.Join(ids, ", "), name, suggest.Words(name, ids))
	}
	return found, nil
}

// Paper is the part of the ID before the figure.
func (e *Experiment) Paper() string {
	paper, _, _ := strings.Cut(e.ID, "/")
	return paper
}

// Read reads an experiment strictly. A [*model.InputError] lists, with their JSON paths, all fields that are unknown, missing, of the wrong kind or
// out of range, and all references to things that do not exist. The name stands for the file in errors.
func Read(r io.Reader, name string) (*Experiment, error) {
	e := new(Experiment)
	if err := model.ReadDocument(r, name, e, format); err != nil {
		return nil, err
	}
	if e.Suite != nil {
		e.Suite.File, e.Suite.Folder = name, "."
	}
	if err := e.check(name); err != nil {
		return nil, err
	}
	e.measure()
	return e, e.validate()
}

// measure notes the units of what the claims are about.
func (e *Experiment) measure() {
	units := map[string]string{}
	for _, q := range e.Quantities {
		units[q.Name] = q.Unit
	}
	for k := range e.Claims {
		c := &e.Claims[k]
		c.Measure = units[c.Quantity]
		if targets := slices.Sorted(maps.Keys(c.Target)); len(targets) > 0 {
			c.Measure = units[targets[0]]
		}
	}
}

// validate lists the faults of the suites, with their JSON paths in the experiment's file.
func (e *Experiment) validate() error {
	if e.Suite == nil {
		return nil
	}
	for _, quick := range []bool{false, true} {
		if err := e.suite(quick, 0).Validate(); err != nil {
			return err
		}
	}
	return nil
}

// suite returns the suite to run, with the shift added to all seeds of its instances.
func (e *Experiment) suite(quick bool, shift uint64) *bench.Suite {
	suite := *e.Suite
	if quick && e.Quick != nil {
		suite.Instances = e.Quick.Instances
	}
	suite.Instances = slices.Clone(suite.Instances)
	for k := range suite.Instances {
		if seeds := &suite.Instances[k].Seeds; shift > 0 {
			seeds.First = new(*cmp.Or(seeds.First, new(uint64(1))) + shift)
		}
	}
	return &suite
}
