package solve

import (
	"fmt"
	"strings"
)

// schemes make solvers of names that begin with a word and a colon, by that word.
var schemes = map[string]func(name string) (Info, error){}

// RegisterScheme makes solvers of all names that begin with the scheme and a colon, as exec:COMMAND, by the function. What stands behind the colon
// may hold commas and plus signs, so it takes the rest of a list and of a+b. It is called in a package-level variable declaration; a scheme that is
// taken is a bug in the program and panics.
func RegisterScheme(scheme string, open func(name string) (Info, error)) string {
	if _, taken := schemes[scheme]; taken || scheme == "" || strings.ContainsAny(scheme, "+,: ") {
		panic(fmt.Sprintf("solve: cannot register the scheme %q", scheme))
	}
	schemes[scheme] = open
	return scheme
}

// schemeOf is what makes solvers of names that begin as this one does; nil: nothing.
func schemeOf(name string) func(name string) (Info, error) {
	scheme, _, found := strings.Cut(name, ":")
	if !found {
		return nil
	}
	return schemes[scheme]
}

// External says whether the name of a solver, or a stage of it, is a program from outside: whoever takes names from a file should ask
// before he runs it.
func External(name string) bool {
	stages := stageNames(name)
	return schemeOf(stages[len(stages)-1]) != nil
}

// SplitNames splits a list of names of solvers at its commas. What stands behind a scheme, as the command of an exec: name, may hold commas, so
// it takes the rest of the list.
func SplitNames(list string) []string {
	var names []string
	for {
		list = strings.TrimSpace(list)
		first, rest, more := strings.Cut(list, ",")
		if External(first) {
			return append(names, list)
		}
		names = append(names, strings.TrimSpace(first))
		if !more {
			return names
		}
		list = rest
	}
}

// stageNames splits a+b+… into its stages. What stands behind a scheme may hold plus signs, so it takes the rest.
func stageNames(name string) []string {
	var stages []string
	for schemeOf(name) == nil {
		first, rest, more := strings.Cut(name, "+")
		stages = append(stages, first)
		if !more {
			return stages
		}
		name = rest
	}
	return append(stages, name)
}
