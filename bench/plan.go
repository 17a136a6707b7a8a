package bench

import (
	"context"
	"errors"
	"time"

	"github.com/allot-opt/allot/model"
)

// Plan is what a suite comes to: its instances, each with its SHA-256 and how to make it again, and the cells to run.
type Plan struct {
	Suite     *Suite
	Instances []PlannedInstance
	Cells     []Cell    // instance by instance
	Skipped   []Skipped // what does not run, and why
}

// PlannedInstance is an instance of a suite, to be made when it is needed.
type PlannedInstance struct {
	Group  string `json:"group,omitempty"`
	Name   string `json:"name"` // no two have the same
	SHA256 string `json:"sha256"`
	Jobs   int    `json:"jobs"`
	// Recipe says where it comes from.
	Recipe Recipe `json:"recipe"`
}

// Recipe makes an instance: from a file, by a workload or from a file of a foreign format.
type Recipe struct {
	File       string            `json:"file,omitempty"` // path, absolute
	Generate   string            `json:"generate,omitempty"`
	Import     string            `json:"import,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Seed       uint64            `json:"seed,omitempty"` // of the workload
}

// Load makes the instance, for the objective of the suite (a metric; empty: its own), and refuses one whose SHA-256 is another.
func (p *PlannedInstance) Load(objective string) (*model.Instance, error) {
	return nil, errors.New("not yet")
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
	Reason    string `json:"reason"`
	Instances int    `json:"instances"`
}

// Plan finds the files, makes every instance once, one after another, and lists the cells. The error is a [*model.InputError] where a
// pattern matches nothing, a file is wrong or two cells are the same.
func (s *Suite) Plan(ctx context.Context) (*Plan, error) {
	return nil, errors.New("not yet")
}

// RunOptions say how to run a plan.
type RunOptions struct {
	Dir   string // the run folder, made if it is missing
	Best  string // folder of the best-known solutions; empty: best in Dir
	Jobs  int    // runs at a time; 0: 1
	Mixed bool   // go on in a folder whose rows are of another suite or version of allot; they stay

	Progress func(Progress) // nil: silent; called from one goroutine at a time
	Warn     func(string)   // nil: silent; what is wrong but ends nothing, such as a stored solution that the checker refuses
}

// Progress is how far a run is.
type Progress struct {
	Done, Total int           // cells
	Left        time.Duration // estimated from the rows so far and the budget
	Running     []string      // what runs now
}

// Run runs the cells of the plan that the run folder has no row of and appends a row for each, see [RunFile] for the folder. When ctx ends,
// nothing new is begun, what is cut short leaves no row and the error is that of ctx: the same call goes on later.
func Run(ctx context.Context, plan *Plan, opt RunOptions) error {
	return errors.New("not yet")
}
