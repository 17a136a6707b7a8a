package model

import (
	"errors"
	"fmt"

	"github.com/allot-opt/allot/internal/numtext"
)

// Limits bound the memory that an instance from a stranger may take, see [ReadInstanceWithin]. 0: no limit but those that every instance has.
type Limits struct {
	Jobs   int // jobs
	Values int // elements of all lists and members of all maps: jobs, clusters, machines, licences, ids in after and so on
	Table  int // entries of a table of jobs and clusters, or of machines and licences, that the instance needs
}

// ErrTooLarge says that an instance passes one of the [Limits]. The error of reading wraps it.
var ErrTooLarge = errors.New("the instance is too large")

// tooLarge is an [ErrTooLarge] that says what was expected.
type tooLarge string

func (e tooLarge) Error() string        { return string(e) }
func (e tooLarge) Is(target error) bool { return target == ErrTooLarge }

// count counts element k of the list or map that is being read. An error ends the reading.
func (d *decoder) count(k int) error {
	d.values++
	switch limits := d.limits; {
	case limits.Jobs > 0 && k >= limits.Jobs && len(d.path) == 2 && d.path[0].name == "jobs":
		return tooLarge(fmt.Sprintf("expected at most %s, found more", numtext.Counted(limits.Jobs, "job")))
	case limits.Values > 0 && d.values > limits.Values:
		return tooLarge(fmt.Sprintf("expected at most %s in lists and maps, found more", numtext.Counted(limits.Values, "value")))
	}
	return nil
}

// mostTable is the largest table that the instance may need.
func (l Limits) mostTable() int {
	if l.Table > 0 {
		return min(l.Table, maxTable)
	}
	return maxTable
}
