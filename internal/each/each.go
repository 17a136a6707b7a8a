// Package each makes a list from a list.
package each

// Of returns what f makes of each element, in order; nil of an empty list.
func Of[T, R any](list []T, f func(T) R) []R {
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
