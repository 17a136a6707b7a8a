package proof

import (
	"errors"
	"fmt"
	"slices"
)

// This file verifies a bound for each choice of the jobs that are left out of the sets of owed_by. A schedule that owes no more than is proved leaves out just as many of each.

// mostChoices limits the choices.
const mostChoices = 1 << 10

// eachChoice verifies that each choice is there that some schedule may make, and the bound of each.
func (f *facts) eachChoice(c *Certificate, bound float64) error {
	lefts := [][]int{nil}
	for k := range c.OwedBy {
		var next [][]int
		jobs := c.OwedBy[k].Jobs
		chosen := make([]int, 0, f.lefts[k])
		var choose func(from int)
		choose = func(from int) {
			if len(chosen) == f.lefts[k] {
				for _, left := range lefts {
					next = append(next, slices.Concat(left, chosen))
				}
				return
			}
			for i := from; i < len(jobs) && len(next) <= mostChoices; i++ {
				chosen = append(chosen, jobs[i])
				choose(i + 1)
				chosen = chosen[:len(chosen)-1]
			}
		}
		if choose(0); len(next) > mostChoices {
			return doubt("choices", "more than %d choices are not covered", mostChoices)
		}
		lefts = next
	}
	var open error
	used := 0
	for _, left := range lefts {
		slices.Sort(left)
		of := f.leaving(left)
		if of == nil {
			continue
		}
		k := slices.IndexFunc(c.Choices, func(x Choice) bool { return slices.Equal(x.Left, left) })
		if k < 0 {
			return refute("choices", "expected one that leaves out the jobs %v", left)
		}
		used++
		err := of.addUp(c.Choices[k].Parts, bound, fmt.Sprintf("choices[%d].", k))
		var e *stepError
		if errors.As(err, &e) && e.Doubt {
			open = err // a later choice may still be wrong
		} else if err != nil {
			return err
		}
	}
	if used != len(c.Choices) {
		return refute("choices", "expected %d, one for each choice of jobs that a schedule may leave out, found %d", used, len(c.Choices))
	}
	return open
}

// leaving is what is known of the schedules that leave out these jobs and owe no more than is proved; nil: there is none, as jobs that are owed wait for these.
func (f *facts) leaving(left []int) *facts {
	of, owed := *f, 0
	of.never, of.free = slices.Clone(f.never), make([]bool, len(f.has))
	of.has, of.tail = make([]bool, len(f.has)), slices.Clone(f.tail)
	for _, j := range left {
		of.never[j] = true
	}
	for _, j := range f.order {
		of.never[j] = of.never[j] || slices.ContainsFunc(f.in.Jobs()[j].After, func(b int) bool { return of.never[b] })
		if of.never[j] && f.in.Owes(j) {
			owed++
		}
	}
	if owed > f.owed {
		return nil
	}
	of.oblige()
	return &of
}
