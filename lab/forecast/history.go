package forecast

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
)

// record is a job that has ended.
type record struct {
	End        float64 // time; −Inf: before all that is forecast
	Ratio      float64 // run time / estimate, at least 0
	Estimate   float64 // time, above 0
	Processors int
	User       string // empty: not stated
}

// History is the ratios run time/estimate of jobs that have ended, by user and by size class.
type History struct {
	records []record // by end
	all     []int32
	users   map[string][]int32
	sizes   map[size][]int32
	trace   *model.Instance // that it is the history of; nil: none
}

// size is a size class: jobs whose processors agree in their highest bit and whose estimates agree in the power of 4.
type size struct{ processors, estimate int }

// sizeOf is the size class of a job.
func sizeOf(processors int, estimate float64) size {
	_, power := math.Frexp(estimate) // 0 for an estimate of 0
	return size{bits.Len(uint(processors)), power >> 1}
}

// newHistory collects records. Those with an estimate of 0, or a ratio that is no finite number of at least 0, are passed over: they say nothing of other
// jobs. O(n·log n) for n records.
func newHistory(records []record) *History {
	h := &History{users: map[string][]int32{}, sizes: map[size][]int32{}}
	for _, r := range records {
		if r.Estimate > 0 && !math.IsInf(r.Estimate, 1) && r.Ratio >= 0 && !math.IsInf(r.Ratio, 1) && !math.IsNaN(r.End) {
			h.records = append(h.records, r)
		}
	}
	slices.SortStableFunc(h.records, func(a, b record) int { return cmp.Compare(a.End, b.End) })
	for k := range h.records {
		r, at := &h.records[k], int32(k)
		h.all = append(h.all, at)
		if r.User != "" {
			h.users[r.User] = append(h.users[r.User], at)
		}
		class := sizeOf(r.Processors, r.Estimate)
		h.sizes[class] = append(h.sizes[class], at)
	}
	return h
}

// TraceHistory is the history of a trace, all of whose jobs ended before anything that is forecast. Jobs that state no estimate, or a run time for each
// cluster, are passed over. The later submitted ones are the more recent.
func TraceHistory(in *model.Instance) *History {
	in = in.AsRequested()
	var records []record
	for k := range in.Jobs() {
		if j := &in.Jobs()[k]; !math.IsNaN(j.Estimate) && !j.StatesRuntimes() {
			records = append(records, record{
				End: j.Arrival, Ratio: j.Work / (j.Estimate * j.ReferenceSpeed), Estimate: j.Estimate, Processors: j.Min, User: j.User(),
			})
		}
	}
	h := newHistory(records)
	for k := range h.records {
		h.records[k].End = math.Inf(-1)
	}
	h.trace = in
	return h
}

// Len is the number of ended jobs.
func (h *History) Len() int { return len(h.records) }

// with is the history with further records.
func (h *History) with(records []record) *History {
	if h == nil {
		return newHistory(records)
	}
	return newHistory(append(slices.Clone(h.records), records...))
}

// upTo is the number of records of a list that had ended by the time.
func (h *History) upTo(list []int32, by float64) int {
	n, _ := slices.BinarySearchFunc(list, by, func(at int32, by float64) int {
		if h.records[at].End <= by {
			return -1
		}
		return 1
	})
	return n
}

// recent is the ratios, ascending, of the last records of a list that had ended by the time, at most the given number; 0: all.
func (h *History) recent(list []int32, by float64, most int) []float64 {
	ended, first := h.upTo(list, by), 0
	if most > 0 {
		first = max(0, ended-most)
	}
	ratios := make([]float64, 0, ended-first)
	for _, at := range list[first:ended] {
		ratios = append(ratios, h.records[at].Ratio)
	}
	slices.Sort(ratios)
	return ratios
}

// origin says whose ratios a run time is drawn from.
type origin string

// The sources, the closest first. From none no ratio is drawn: the job runs as long as the policy expects.
const (
	fromUser origin = "user"
	fromSize origin = "size class"
	fromAll  origin = "all users"
	fromNone origin = "estimate"
)

// known is what a history says at a time.
type known struct {
	history *History
	at      float64
	opt     *Options
	users   map[string][]float64
	sizes   map[size][]float64
	all     []float64
}

// knownAt is what the history says at a time.
func (h *History) knownAt(at float64, opt *Options) *known {
	return &known{history: h, at: at, opt: opt, users: map[string][]float64{}, sizes: map[size][]float64{}, all: h.recent(h.all, at, opt.Recent)}
}

// draw says how to draw the run time of a job.
type draw struct {
	ratios []float64 // ascending; nil: it runs as long as the policy expects
	source origin
}

// of says how to draw the ratio of run time to estimate, for a job that has already run for a part of its estimate; a part below 0 means that the job waits. It
// takes the closest source with at least opt.Least ratios above that part, or else the closest source with at least one.
func (k *known) of(user string, processors int, estimate, part float64) draw {
	ofUser := ratiosOf(k, user, k.history.users, k.users)
	ofSize := ratiosOf(k, sizeOf(processors, estimate), k.history.sizes, k.sizes)
	lists := [...]draw{{ofUser, fromUser}, {ofSize, fromSize}, {k.all, fromAll}}
	for s := range lists {
		list := lists[s].ratios
		from, _ := slices.BinarySearchFunc(list, part, func(ratio, part float64) int {
			if ratio <= part {
				return -1
			}
			return 1
		})
		if lists[s].ratios = list[from:]; len(list)-from >= max(1, k.opt.Least) {
			return lists[s]
		}
	}
	for _, d := range lists {
		if len(d.ratios) > 0 {
			return d
		}
	}
	return draw{source: fromNone}
}

// ratiosOf is the ratios of a user or of a size class, of whose ended jobs all lists the places; found keeps them.
func ratiosOf[K comparable](k *known, of K, all map[K][]int32, found map[K][]float64) []float64 {
	list, kept := found[of]
	if !kept {
		list = k.history.recent(all[of], k.at, k.opt.Recent) // none of a user without a name
		found[of] = list
	}
	return list
}

// ratio is the ratio of a draw for a uniform number in [0, 1); NaN: it has none.
func (d *draw) ratio(u float64) float64 {
	if len(d.ratios) == 0 {
		return math.NaN()
	}
	return d.ratios[int(u*float64(len(d.ratios)))]
}

// varies says whether two draws may differ.
func (d *draw) varies() bool {
	return len(d.ratios) > 1 && d.ratios[0] != d.ratios[len(d.ratios)-1]
}
