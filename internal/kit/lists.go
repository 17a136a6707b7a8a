// Package kit has what many rooms need and none is about: lists, random numbers, contexts.
package kit

// Each returns what f makes of each element, in order; nil of an empty list.
func Each[T, R any](list []T, f func(T) R) []R {
	var made []R
	for _, x := range list {
		made = append(made, f(x))
	}
	return made
}

// That returns the elements that f accepts, in order; nil if it accepts none.
func That[T any](list []T, f func(T) bool) []T {
	var accepted []T
	for _, x := range list {
		if f(x) {
			accepted = append(accepted, x)
		}
	}
	return accepted
}

// RunningClass is the class of jobs that run already on nodes that have no room for them by the files: imports give it, and answers look for it.
const RunningClass = "running"
