package advise

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// Anonymised is an instance, and what is known of its jobs, with labels in place of the names of users (U1), accounts (A1), jobs (J1) and what they run (N1), queues (Q1), clusters (C1), machines (M1) and
// of the instance itself; hide does the same to the words of other texts. A label counts the names in the order in which they first arrive, so that a trace that only grows keeps its labels. In the caveats the names of queues and clusters are
// replaced as words. Features and resources of machines keep their names. O(size of the instance).
func Anonymised(in *model.Instance, needs map[string]Needs) (anonymous *model.Instance, hidden map[string]Needs, hide func(text string) string, err error) {
	spec := in.Spec()
	if slices.ContainsFunc(spec.Jobs, func(j model.JobSpec) bool { return j.Running != nil }) {
		return nil, nil, nil, errors.New("expected a trace of jobs that have ended, to replace names; found jobs that run already")
	}
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
	user, group, job, program, queue, cluster, machine, quality := labels("U"), labels("A"), labels("J"), labels("N"), labels("Q"), labels("C"), labels("M"), labels("S")
	words := map[string]string{}
	if needs != nil {
		hidden = make(map[string]Needs, len(needs))
	}
	for _, k := range inOrder(in) {
		j := &spec.Jobs[k]
		if n, known := needs[j.ID]; known {
			n.Name = program(n.Name)
			hidden[job(j.ID)] = n
		}
		if j.Queue != "" {
			words[j.Queue] = queue(j.Queue)
		}
		j.ID, j.User, j.Group, j.Queue, j.Quality = job(j.ID), user(j.User), group(j.Group), queue(j.Queue), quality(j.Quality)
	}
	spec.Name = "site"
	for k := range spec.Partitions {
		p := &spec.Partitions[k]
		words[p.ID] = queue(p.ID)
		p.ID, p.Clusters = queue(p.ID), kit.Each(p.Clusters, cluster)
	}
	for k := range spec.Clusters {
		c := &spec.Clusters[k]
		if words[c.ID] == "" { // else its partition's label will do
			words[c.ID] = cluster(c.ID)
		}
		c.ID, c.Machines = cluster(c.ID), slices.Clone(c.Machines)
		for m := range c.Machines {
			c.Machines[m].ID = machine(c.Machines[m].ID)
		}
	}
	hide = func(text string) string { return replaced(text, words) }
	spec.Caveats = kit.Each(spec.Caveats, hide)
	if spec.Site != nil {
		spec.Site = &model.SiteSpec{
			Settings: kit.Each(spec.Site.Settings, hide), Accounts: hiddenRows(spec.Site.Accounts, group, user, queue, group), Qualities: hiddenRows(spec.Site.Qualities, quality),
		}
	}
	for k := range spec.Jobs {
		after := make([]string, len(spec.Jobs[k].After))
		for n, id := range spec.Jobs[k].After {
			after[n] = job(id)
		}
		spec.Jobs[k].After = after
		if runtime := spec.Jobs[k].Runtime; runtime != nil {
			spec.Jobs[k].Runtime = make(map[string]float64, len(runtime))
			for name, x := range runtime {
				spec.Jobs[k].Runtime[cluster(name)] = x
			}
		}
	}
	anonymous, err = model.New(spec)
	return anonymous, hidden, hide, err
}

// hiddenRows are rows of cells apart by |, the first of them a header, with other names in the first cells. The account root, which every site has, stays.
func hiddenRows(rows []string, names ...func(string) string) []string {
	rows = slices.Clone(rows)
	for k := 1; k < len(rows); k++ {
		cells := strings.Split(rows[k], "|")
		for n := range min(len(names), len(cells)) {
			if cells[n] != "root" {
				cells[n] = names[n](cells[n])
			}
		}
		rows[k] = strings.Join(cells, "|")
	}
	return rows
}

// replaced is a text with other words in place of some.
func replaced(text string, words map[string]string) string {
	var b strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(r rune) bool {
			return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-", r))
		})
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		rest := strings.TrimRight(word, ".-") // the end of a sentence
		if label, known := words[word]; known {
			word = label
		} else if label, known := words[rest]; known {
			word = label + word[len(rest):]
		}
		b.WriteString(word)
		if text = text[end:]; text != "" {
			_, size := utf8.DecodeRuneInString(text)
			b.WriteString(text[:size])
			text = text[size:]
		}
	}
	return b.String()
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
