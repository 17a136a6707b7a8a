package advise

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Anonymised is an instance, and what is known of its jobs, with labels in place of the names of users, accounts and jobs. A label counts the names in the order in which they first arrive, so
// that a trace that only grows keeps its labels. Queues, clusters and machines keep theirs.
func Anonymised(in *model.Instance, needs map[string]Needs) (*model.Instance, map[string]Needs, error) {
	spec := in.Spec()
	labels := func(kind string) func(name string) string {
		known := map[string]string{}
		return func(name string) string {
			if name == "" {
				return ""
			}
			if known[name] == "" {
				known[name] = fmt.Sprintf("%s%d", kind, len(known)+1)
			}
			return known[name]
		}
	}
	user, group, job, program := labels("U"), labels("A"), labels("J"), labels("N")
	var hidden map[string]Needs
	if needs != nil {
		hidden = make(map[string]Needs, len(needs))
	}
	for _, k := range inOrder(in) {
		j := &spec.Jobs[k]
		if n, known := needs[j.ID]; known {
			n.Name = program(n.Name)
			hidden[job(j.ID)] = n
		}
		j.ID, j.User, j.Group = job(j.ID), user(j.User), group(j.Group)
	}
	for k := range spec.Jobs {
		after := make([]string, len(spec.Jobs[k].After))
		for n, id := range spec.Jobs[k].After {
			after[n] = job(id)
		}
		spec.Jobs[k].After = after
	}
	anonymous, err := model.New(spec)
	return anonymous, hidden, err
}

// inOrder are the jobs in order of arrival.
func inOrder(in *model.Instance) []int {
	order := make([]int, len(in.Jobs()))
	for k := range order {
		order[k] = k
	}
	sortByArrival(in, order)
	return order
}

// sortByArrival sorts jobs by arrival, and those of one time by their place.
func sortByArrival(in *model.Instance, order []int) {
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
}
