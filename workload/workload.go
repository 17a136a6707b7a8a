// Package workload makes instances by published recipes. A recipe is a documented value, registered in the file that holds it, as a solver is.
package workload

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// Workload makes instances by a recipe. Its parameters are exported fields, documented by tags as package params says.
type Workload interface {
	Generate(seed uint64) (*model.Instance, error)
}

// Info documents a workload.
type Info struct {
	Name   string
	Doc    string
	Source string
	New    func() Workload // with its defaults filled in
}

var workloads = map[string]Info{}

// Register adds a workload; it is called from the file of the workload. A name that is taken panics.
func Register(info Info) Info {
	if _, taken := workloads[info.Name]; taken || info.Name == "" {
		panic(fmt.Sprintf("workload: cannot register a workload as %q", info.Name))
	}
	workloads[info.Name] = info
	return info
}

// Default returns the workload of the registered type T, with its default parameters:
//
//	w := workload.Default[workload.Muscle]()
//	w.Jobs = 50
//	in, err := w.Generate(1)
//
// A type that is not registered is a bug in the program and panics.
func Default[T any]() *T {
	for _, info := range workloads {
		if made, ok := any(info.New()).(*T); ok {
			return made
		}
	}
	panic(fmt.Sprintf("workload: type %v is not registered", reflect.TypeFor[T]()))
}

// Named is the registered workload of the name, and whether there is one.
func Named(name string) (Info, bool) {
	info, ok := workloads[name]
	return info, ok
}

// All lists the registered workloads by name.
func All() []Info {
	list := make([]Info, 0, len(workloads))
	for _, info := range workloads {
		list = append(list, info)
	}
	slices.SortFunc(list, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Names lists the names of the registered workloads in order.
func Names() []string {
	return kit.Each(All(), func(info Info) string { return info.Name })
}

// ordered refuses a largest value below the least.
func ordered[T cmp.Ordered](least string, low T, most string, high T) error {
	if low <= high {
		return nil
	}
	return &params.Error{Name: most, Expected: fmt.Sprintf("at least %s, which is %v", least, low), Found: high}
}
