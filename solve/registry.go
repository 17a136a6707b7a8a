package solve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// registry holds the registered solvers by name.
var registry = map[string]Info{}

// Register adds a solver to the registry. Call it from the file of the solver, in a package-level variable declaration. A name that is
// taken, or that holds one of the characters + , : = or a space, and an Info without New are bugs in the program and panic.
func Register(info Info) Info {
	if _, taken := registry[info.Name]; taken || info.Name == "" || strings.ContainsAny(info.Name, reserved) {
		panic(fmt.Sprintf("solve: cannot register a solver as %q", info.Name))
	}
	if info.New == nil {
		panic(fmt.Sprintf("solve: cannot register the solver %s: Info.New is nil", info.Name))
	}
	registry[info.Name] = info
	return info
}

// Solvers lists all registered solvers by name.
func Solvers() []Info {
	return slices.SortedFunc(maps.Values(registry), func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
}

// Lookup finds a solver by name. The name a+b means a chain that runs a and hands its solution to b as Options.Start. A name that begins
// with a scheme, as in exec:COMMAND, extends to the end of the text, plus signs included.
func Lookup(name string) (Info, error) {
	if stages := stageTexts(name); len(stages) > 1 {
		return compose(name, stages)
	}
	if open := schemeOf(name); open != nil {
		return open(name)
	}
	if info, ok := registry[name]; ok {
		return info, nil
	}
	var names []string
	for _, info := range Solvers() {
		names = append(names, info.Name)
	}
	return Info{}, fmt.Errorf("expected a solver, one of %s, a+b of two of them, exec:COMMAND or exec-online:COMMAND; found %q%s", strings.Join(names, ", "), name, cmp.Or(suggest.Words(name, names), settingWords(name)))
}

// settingWords returns the end of a message about a name that is not that of a solver but a value of a parameter of a few of them, as sjf is an order of the
// queue. It is empty for other names.
func settingWords(name string) string {
	const most = 4 // a value that more solvers know says too little about the one that was meant
	var texts []string
	for _, info := range Solvers() {
		for _, p := range params.Of(info.New()) {
			if slices.Contains(p.Values, name) {
				texts = append(texts, strconv.Quote(info.Name+":"+p.Name+"="+name))
			}
		}
	}
	if len(texts) == 0 || len(texts) > most {
		return ""
	}
	return "; did you mean " + strings.Join(texts, " or ") + "?"
}

// UnsupportedError says that a solver cannot honour some features of an instance. It wraps [ErrUnsupported].
type UnsupportedError struct{ Missing model.Features }

// Error names the features.
func (e *UnsupportedError) Error() string { return ErrUnsupported.Error() + ": " + e.Missing.String() }

// Unwrap returns [ErrUnsupported].
func (e *UnsupportedError) Unwrap() error { return ErrUnsupported }

// Unsupported returns the [*UnsupportedError] of a solver that honours the given features only, or nil if the instance asks for no others.
func Unsupported(in *model.Instance, honoured model.Features) error {
	if missing := in.Features() &^ honoured; missing != 0 {
		return &UnsupportedError{missing}
	}
	return nil
}

// Description describes a solver for lists and tables.
type Description struct {
	Name       string             `json:"name"`
	Doc        string             `json:"doc"`
	Source     string             `json:"source"`
	Parameters []params.Parameter `json:"parameters,omitempty"`
	Absent     string             `json:"absent,omitempty"` // see [Info]
	Online     bool               `json:"online,omitempty"` // see [Info]
	// AllocatesBy is a metric, see [Info].
	AllocatesBy string `json:"allocates_by,omitempty"`
}

// Describe describes all registered solvers by name.
func Describe() []Description {
	var list []Description
	for _, info := range Solvers() {
		list = append(list, Description{info.Name, info.Doc, info.Source, params.Of(info.New()), info.Absent, info.Online, info.AllocatesBy})
	}
	return list
}
