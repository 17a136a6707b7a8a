package model

import (
	"reflect"

	"github.com/allot-opt/allot/model/budget"
)

// count draws an element of a list or map that is being read from the budget of the reading. An error ends the reading.
func (d *decoder) count(element reflect.Type) error {
	return d.budget.Names(budget.NamesOfType(element))
}

// stop is the one fault of a file where the budget ends its reading.
func (e *InputError) stop(path string, err error) { *e = *Stopped(e.File, path, err) }
