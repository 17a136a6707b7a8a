package model

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Range is a run of processors First to Last of a cluster, both included.
type Range struct{ First, Last int }

// Len is the number of processors in the run.
func (r Range) Len() int { return r.Last - r.First + 1 }

// ProcessorSet is a set of processors of one cluster: runs in ascending order that neither overlap nor touch. In JSON it is a text
// such as "0-3,7".
type ProcessorSet []Range

// NewProcessorSet makes the set of the given runs, which may come in any order, overlap and touch.
func NewProcessorSet(runs ...Range) ProcessorSet {
	set := ProcessorSet(slices.Clone(runs))
	return set.normalise()
}

// Processors makes the set of the given processors. It takes least time where they are in order.
func Processors(ids ...int) ProcessorSet {
	if !slices.IsSorted(ids) {
		ids = slices.Clone(ids)
		slices.Sort(ids)
	}
	begins := func(k int) bool { return k == 0 || ids[k] > ids[k-1]+1 }
	runs := 0
	for k := range ids {
		if begins(k) {
			runs++
		}
	}
	set := make(ProcessorSet, 0, runs)
	for k, id := range ids {
		if begins(k) {
			set = append(set, Range{id, id})
		} else {
			set[len(set)-1].Last = id
		}
	}
	return set
}

// normalise sorts the runs and merges those that overlap or touch, in place.
func (s ProcessorSet) normalise() ProcessorSet {
	slices.SortFunc(s, func(a, b Range) int { return a.First - b.First })
	kept := s[:0]
	for _, r := range s {
		if n := len(kept); n > 0 && r.First <= kept[n-1].Last+1 {
			kept[n-1].Last = max(kept[n-1].Last, r.Last)
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// Len is the number of processors in the set.
func (s ProcessorSet) Len() int {
	n := 0
	for _, r := range s {
		n += r.Len()
	}
	return n
}

// Min is the smallest processor of a set that is not empty.
func (s ProcessorSet) Min() int { return s[0].First }

// Max is the largest processor of a set that is not empty.
func (s ProcessorSet) Max() int { return s[len(s)-1].Last }

// within says whether the set is in order and holds none but processors 0 to n−1.
func (s ProcessorSet) within(n int) bool {
	last := -1
	for _, r := range s {
		if r.First <= last || r.Last < r.First {
			return false
		}
		last = r.Last
	}
	return last < n
}

// clipped returns the set for a message, cut short if it has many runs.
func (s ProcessorSet) clipped() string {
	const most = 10
	if len(s) <= most {
		return s.String()
	}
	return s[:most].String() + ",…"
}

// String writes the set as in a file: "0-3,7".
func (s ProcessorSet) String() string {
	text, _ := s.MarshalText()
	return string(text)
}

// MarshalText writes the set as in a file: "0-3,7".
func (s ProcessorSet) MarshalText() ([]byte, error) {
	return s.AppendText(nil)
}

// AppendText appends the set as in a file.
func (s ProcessorSet) AppendText(text []byte) ([]byte, error) {
	for k, r := range s {
		if k > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(r.First), 10)
		if r.Last > r.First {
			text = append(text, '-')
			text = strconv.AppendInt(text, int64(r.Last), 10)
		}
	}
	return text, nil
}

// UnmarshalText reads a set from a text such as "0-3,7". A processor may be named only once.
func (s *ProcessorSet) UnmarshalText(text []byte) error {
	set, err := ParseProcessorSet(string(text))
	if err == nil {
		*s = set
	}
	return err
}

// ParseProcessorSet reads a set from a text such as "0-3,7". The runs may come in any order; a processor named twice is an error.
func ParseProcessorSet(text string) (ProcessorSet, error) {
	var set ProcessorSet
	named := 0
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRun := strings.Cut(part, "-")
		if !isRun {
			last = first
		}
		a, errA := parseProcessor(first)
		b, errB := parseProcessor(last)
		if errA != nil || errB != nil || a > b {
			return nil, fmt.Errorf("expected processors such as \"0-3,7\", found %q", clip(text))
		}
		set = append(set, Range{a, b})
		named += b - a + 1
	}
	set = set.normalise()
	if set.Len() != named {
		return nil, fmt.Errorf("expected each processor once, found %q", clip(text))
	}
	return set, nil
}

// parseProcessor reads a processor's number: digits only, at most MaxProcessors.
func parseProcessor(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err
}

// shown returns a name from a file for a line of text: cut short, and quoted if it does not print as it is.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(clip(name))
	}
	return clip(name)
}

// clip shortens a text from a file for an error message, not within a character.
func clip(text string) string {
	most := 60
	if len(text) <= most {
		return text
	}
	for most > 57 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// each are the processors of the set, in ascending order.
func (s ProcessorSet) each() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, r := range s {
			for p := r.First; p <= r.Last; p++ {
				if !yield(p) {
					return
				}
			}
		}
	}
}
