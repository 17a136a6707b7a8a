// Package rcpsp reads projects with scarce resources (the resource-constrained project scheduling problem, RCPSP): activities with
// precedence, each of which needs units of renewable resources while it runs. It reads two layouts:
//
//   - the single-mode files of PSPLIB (.sm): R. Kolisch, A. Sprecher, "PSPLIB – A project scheduling problem library", European J. of
//     Operational Research 96(1), 1997, DOI 10.1016/S0377-2217(96)00170-1;
//   - Patterson's (.rcp), which RanGen writes too: J. H. Patterson, "A comparison of exact approaches for solving the multiple constrained
//     resource, project scheduling problem", Management Science 30(7), 1984, DOI 10.1287/mnsc.30.7.854. Its numbers may stand in lines of
//     any length: the numbers of activities and of resources; the capacity of each resource; then for each activity its duration, its
//     demand of each resource, the number of its successors, and these.
//
// In the instance a resource is a pool of licences of the grid, and an activity is a job of one processor. One cluster has a processor for every
// job, so that processors never are scarce. A dummy is the first or the last activity of the file if it takes no time and needs no resource. It becomes no job;
// where activities stand both before and after it, each of the former precedes each of the latter. Any other activity of length 0 is a job.
//
// The files state no unit of time, and the instance calls it a period. The due date and the cost of tardiness of a .sm file are left out: the
// objective is the makespan.
package rcpsp

import (
	"io"
	"strconv"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// formatName is the name of the format in reports.
const formatName = "rcpsp"

// The layouts; sm is PSPLIB's.
const (
	layoutAuto = "auto" // Patterson's if the file begins with a number, else PSPLIB's
	layoutRCP  = "rcp"
)

// Reader reads a project.
type Reader struct {
	Layout  string `enum:"auto,sm,rcp" doc:"'LAYOUT' of the file (sm: PSPLIB's; rcp: Patterson's; auto: as the file begins)"`
	Cluster string `doc:"'ID' of the cluster"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader { return &Reader{Layout: layoutAuto, Cluster: "cluster"} }

// Read implements [formats.Reader]. Activity k becomes the job of that name, and resource k the licence Rk, both counted from 1. A successor that is listed twice counts once.
//
// The error is a [*params.Error], or a [*model.InputError] that lists the faults by line. The first number that is missing, invalid
// or out of range ends the reading, because all later numbers would be shifted. All demands above the capacity of a resource are listed. The reader
// refuses by name: several modes, nonrenewable and doubly constrained resources, several projects, release dates, and the minimal and maximal time
// lags of ProGen/max. Memory grows with the numbers in the file, never with what its header claims; a line longer than 1 MiB is an error.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	r, faults := lines.Begin(r, name)
	report := &model.ImportReport{Format: formatName, File: name}
	p := &project{faults: faults, report: report}
	words := &words{scanner: lines.NewScanner(r), faults: faults}
	number := words.next() && words.atNumber()
	if o.Layout == layoutRCP || o.Layout == layoutAuto && number {
		p.readPatterson(words)
	} else {
		p.readPSPLIB(words)
	}
	if faults.None() {
		p.check()
	}
	in, err := faults.Build(p.spec(lines.Title(name, ".rcp", ".sm", ".txt"), o.Cluster), p.place)
	if err != nil {
		return nil, nil, err
	}
	report.Read, report.Kept = len(p.activities), len(in.Jobs())
	return in, report, nil
}

// project is a file being read. Activities and resources count from 0 here.
type project struct {
	faults     *lines.Faults
	report     *model.ImportReport
	capacity   []int
	activities []activity
	jobs       []int // the activity that each job is
}

// activity is one activity.
type activity struct {
	line       int // on which its demands begin
	duration   float64
	demand     []int
	successors []int
}

// dummyLike reports whether the activity takes no time and no resource.
func (a *activity) dummyLike() bool {
	for _, units := range a.demand {
		if units > 0 {
			return false
		}
	}
	return a.duration == 0
}

// check lists the demands that no schedule can meet, and a cycle of precedence.
func (p *project) check() {
	for k := range p.activities {
		a := &p.activities[k]
		for r, units := range a.demand {
			if units > p.capacity[r] {
				p.faults.Line(a.line, "activity %d: expected a demand of at most %d units, the capacity of resource %d, found %d", k+1, p.capacity[r], r+1, units)
			}
		}
	}
	p.checkCycles()
}

// place names the activity that a job was.
func (p *project) place(job int) string {
	k := p.jobs[job]
	return "line " + strconv.Itoa(p.activities[k].line) + ": activity " + strconv.Itoa(k+1)
}
