package solve

import "strings"

// SplitNames splits a list of names of solvers at its commas. The command of an exec: name may hold commas, so it takes the rest of the
// list.
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

// stageNames splits a+b+… into its stages. The command of an exec: name may hold plus signs, so it takes the rest.
func stageNames(name string) []string {
	var stages []string
	for !strings.HasPrefix(name, execPrefix) {
		first, rest, more := strings.Cut(name, "+")
		stages = append(stages, first)
		if !more {
			return stages
		}
		name = rest
	}
	return append(stages, name)
}
