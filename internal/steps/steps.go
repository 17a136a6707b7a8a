// Package steps has step functions of time: what is free, taken or planned from one time to the next.
package steps

import (
	"math"
	"slices"
	"sort"
)

// Function is a step function of time: Values[k] holds from Times[k], ascending, until the next time, the last one for ever. Before the first time it is the zero value. The zero value has no steps.
type Function[T any] struct {
	Times  []float64
	Values []T
}

// At is the step in which the time lies; −1: it lies before the first. O(log n).
func (f *Function[T]) At(t float64) int {
	return sort.Search(len(f.Times), func(k int) bool { return f.Times[k] > t }) - 1
}

// End is the end of step k; +Inf: it is the last one.
func (f *Function[T]) End(k int) float64 {
	if k+1 < len(f.Times) {
		return f.Times[k+1]
	}
	return math.Inf(1)
}

// After is the time at which the first step after the time begins; +Inf: none does. O(log n).
func (f *Function[T]) After(t float64) float64 { return f.End(f.At(t)) }

// Split makes the time the beginning of a step and returns that step. clone copies a value; nil: an assignment does. O(n), as the steps behind move.
func (f *Function[T]) Split(t float64, clone func(T) T) int {
	k, found := slices.BinarySearch(f.Times, t)
	if found {
		return k
	}
	var before T
	if k > 0 {
		if before = f.Values[k-1]; clone != nil {
			before = clone(before)
		}
	}
	f.Times, f.Values = slices.Insert(f.Times, k, t), slices.Insert(f.Values, k, before)
	return k
}

// Join removes step k where it is no different from the one before, and returns its value; false: it stays. It does not look at the first step, nor behind the last.
func (f *Function[T]) Join(k int, alike func(a, b T) bool) (removed T, is bool) {
	if k <= 0 || k >= len(f.Times) || !alike(f.Values[k-1], f.Values[k]) {
		return removed, false
	}
	removed = f.Values[k]
	f.Times, f.Values = slices.Delete(f.Times, k, k+1), slices.Delete(f.Values, k, k+1)
	return removed, true
}

// Forget drops the steps that are over, and begins the one in which the present lies with it. A function that begins later stays as it is.
func (f *Function[T]) Forget(now float64) {
	if k := f.At(now); k >= 0 {
		f.Times, f.Values = slices.Delete(f.Times, 0, k), slices.Delete(f.Values, 0, k)
		f.Times[0] = now
	}
}

// AlikeFrom says whether two functions have the same steps from a time on. O(n).
func (f *Function[T]) AlikeFrom(t float64, other *Function[T], alike func(a, b T) bool) bool {
	var zero T
	value := func(f *Function[T], k int) T {
		if k < 0 {
			return zero
		}
		return f.Values[k]
	}
	k, o := f.At(t), other.At(t)
	return alike(value(f, k), value(other, o)) && slices.Equal(f.Times[k+1:], other.Times[o+1:]) && slices.EqualFunc(f.Values[k+1:], other.Values[o+1:], alike)
}

// Assign copies the steps of another function; what values refer to is shared.
func (f *Function[T]) Assign(other *Function[T]) {
	f.Times, f.Values = append(f.Times[:0], other.Times...), append(f.Values[:0], other.Values...)
}
