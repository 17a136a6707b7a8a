// Package papers holds the experiments of published papers as data, runs them and says of each claim whether it reproduces.
//
// An experiment is a file in the folder data, read strictly: what is run (a suite of package bench), the readings (what was assumed where the paper
// is silent) and the claims (what the paper states). No figure of a paper and no claim is in code. The rule of the verdicts is fixed, see [Judge]:
// it is not tuned until a claim holds, and a claim that does not hold is a result.
package papers

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	_ "github.com/allot-opt/allot/solvers" // what the experiments run
)

// Format is the format of experiment files.
const Format = "allot-experiment/1"

// Experiment is one experiment of a paper.
type Experiment struct {
	Format     string       `json:"format" enum:"allot-experiment/1"`
	ID         string       `json:"id" check:"id"` // PAPER/FIGURE
	Title      string       `json:"title" check:"text"`
	Source     Source       `json:"source"`
	SetUp      string       `json:"set_up" check:"text"` // in words: what is run, and how often
	Takes      Takes        `json:"takes"`
	Suite      *bench.Suite `json:"suite,omitempty"` // absent: an experiment of worked values alone
	Quick      *Quick       `json:"quick,omitempty"`
	Axis       string       `json:"axis,omitempty"`       // what Point.X is
	Points     []Point      `json:"points,omitempty"`     // of the figure
	Quantities []Quantity   `json:"quantities,omitempty"` // that the paper measures
	Policies   []string     `json:"policies,omitempty"`   // that the paper compares, by its names
	Readings   []Reading    `json:"readings"`             // the first is the one that stays nearest to the paper's words
	Claims     []Claim      `json:"claims"`
	Worked     *Worked      `json:"worked,omitempty"`
}

// Source is where the experiment was published.
type Source struct {
	Authors string `json:"authors" check:"text"`
	Year    int    `json:"year" check:"count"`
	Title   string `json:"title" check:"text"`
	In      string `json:"in" check:"text"` // journal, volume, pages
	DOI     string `json:"doi,omitempty"`   // where known
	Figure  string `json:"figure" check:"text"`
}

// Takes says for people how long a run takes.
type Takes struct {
	Quick string `json:"quick" check:"text"`
	Full  string `json:"full" check:"text"`
}

// Quick is what quick mode runs in place of the suite's instances; readings and points that it has no rows of are left out.
type Quick struct {
	Instances []bench.InstanceSource `json:"instances"`
}

// Point is one place on the figure's axis.
type Point struct {
	ID    string  `json:"id" check:"id"`
	X     float64 `json:"x" check:"figure"`
	Panel string  `json:"panel,omitempty"` // the part of the figure that it is in, where it has several
}

// Quantity is what the paper measures, as a weighted sum of metrics.
type Quantity struct {
	Name  string             `json:"name" check:"id"`
	Doc   string             `json:"doc" check:"text"`
	Terms map[string]float64 `json:"terms"` // metric: weight
}

// Reading is one way to read what the paper leaves open.
type Reading struct {
	ID   string `json:"id" check:"id"`
	Text string `json:"text" check:"text"`
	// Group is the suite's group of a point, with {point} for its ID.
	Group string `json:"group,omitempty"`
	// Policies are the suite's labels of the policies, with {point} for the ID of the point.
	Policies map[string]string `json:"policies,omitempty"`
	// Points are those that the reading has; absent: all.
	Points []string `json:"points,omitempty" check:"id"`
	// Quantities are those that the reading measures otherwise.
	Quantities map[string]Terms `json:"quantities,omitempty"`
	// Percent says what 100 % is: the rival's value (the default) or the policy's own.
	Percent string `json:"percent,omitempty" enum:"of the rival,of its own"`
	// Solver is what an experiment of worked values runs.
	Solver     string            `json:"solver,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

// Terms are metrics with their weights.
type Terms = map[string]float64

// Forms of a claim.
const (
	Percent  = "percent"  // the policy's mean differs from the rival's by so many percent, over all the points together
	Sign     = "sign"     // the policy's mean is less, or more, than the rival's at each of the points
	Order    = "order"    // the difference in percent becomes less, or more, from the first of the points to the last
	Table    = "table"    // the composition table of the worked instance
	Schedule = "schedule" // the schedule of the worked instance
	Figures  = "metrics"  // the metrics of the schedule of the worked instance
)

// Claim is one statement of the paper.
type Claim struct {
	ID        string   `json:"id" check:"id"`
	Text      string   `json:"text" check:"text"`  // as the paper has it
	Where     string   `json:"where" check:"text"` // section, page, figure
	Form      string   `json:"form" enum:"percent,sign,order,table,schedule,metrics"`
	Quantity  string   `json:"quantity,omitempty"`
	Policy    string   `json:"policy,omitempty"`
	Against   string   `json:"against,omitempty"` // the rival
	At        []string `json:"at,omitempty" check:"id"`
	Direction string   `json:"direction,omitempty" enum:"less,more"` // of a sign or an order
	Value     *float64 `json:"value,omitempty" check:"figure"`       // the paper's percentage; below 0: less than the rival

	// What worked values come to.
	Table    [][][]string      `json:"table,omitempty"` // by row, from a space of one processor on: the compositions, each of jobs in order
	Schedule []model.Placement `json:"schedule,omitempty"`
	Metrics  Terms             `json:"metrics,omitempty"`
}

// Worked is an instance whose schedules the paper works out by hand.
type Worked struct {
	Instance model.InstanceSpec `json:"instance"`
}

// Known lists the experiments by ID.
func Known() []*Experiment { return known() }

// data are the data files.
//
//go:embed data
var data embed.FS

// known reads the experiments when they are first asked for.
var known = sync.OnceValue(func() []*Experiment { return mustReadAll(data) })

// mustReadAll reads the embedded files; a fault in one is a bug in the program and panics.
func mustReadAll(files fs.FS) []*Experiment {
	paths, err := fs.Glob(files, "data/*.json")
	var list []*Experiment
	for _, name := range paths {
		var file fs.File
		if file, err = files.Open(name); err != nil {
			break
		}
		var e *Experiment
		e, err = Read(file, path.Base(name))
		_ = file.Close() // of embedded data
		if err != nil {
			break
		}
		list = append(list, e)
	}
	if err != nil {
		panic(err)
	}
	slices.SortFunc(list, func(a, b *Experiment) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Lookup finds the experiments of a name: PAPER/FIGURE is one, PAPER all of that paper. The error lists those there are.
func Lookup(name string) ([]*Experiment, error) {
	var found []*Experiment
	var ids []string
	for _, e := range known() {
		ids = append(ids, e.ID)
		if e.ID == name || e.Paper() == name {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("expected an experiment, one of %s, or the paper's name alone for all of its; found %q", strings.Join(ids, ", "), name)
	}
	return found, nil
}

// Paper is the part of the ID before the figure.
func (e *Experiment) Paper() string {
	paper, _, _ := strings.Cut(e.ID, "/")
	return paper
}

// Read reads an experiment strictly: what is unknown, missing, of the wrong kind or out of range, and a claim or a reading that refers to what is not
// there, is listed in a [*model.InputError] with its JSON path. The name stands for the file in errors.
func Read(r io.Reader, name string) (*Experiment, error) {
	e := new(Experiment)
	if err := model.ReadJSON(r, name, e); err != nil {
		return nil, err
	}
	if e.Suite != nil {
		e.Suite.File, e.Suite.Folder = name, "."
	}
	if err := e.check(name); err != nil {
		return nil, err
	}
	return e, e.validate()
}

// validate lists what is wrong with the suites, with whose paths in the file the faults come.
func (e *Experiment) validate() error {
	if e.Suite == nil {
		return nil
	}
	for _, quick := range []bool{false, true} {
		if err := e.suite(quick).Validate(); err != nil {
			return err
		}
	}
	return nil
}

// suite is what is run.
func (e *Experiment) suite(quick bool) *bench.Suite {
	suite := *e.Suite
	if quick && e.Quick != nil {
		suite.Instances = e.Quick.Instances
	}
	return &suite
}
