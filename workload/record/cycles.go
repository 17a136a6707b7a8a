package record

import (
	"math"
	"slices"
)

// What Slurm has if slurm.conf does not say otherwise.
const (
	interval = 30.0    // bf_interval, seconds
	window   = 86400.0 // bf_window, seconds
	tests    = 500     // bf_max_job_test
)

// step is what a machine has to spare from a time until the next step.
type step struct {
	at    float64
	spare vector
}

// track is what a machine has to spare over time, from now on.
type track []step

// take takes what n blocks of a job need from a time to another.
func (t *track) take(j *job, n int, from, to float64) {
	for k := t.cut(from); k < len(*t) && (*t)[k].at < to; k++ {
		if k+1 == len(*t) || (*t)[k+1].at > to {
			t.cut(to)
		}
		room{(*t)[k].spare}.add(j, []share{{0, n}}, -1)
	}
}

// cut lets a step begin at the time, and returns its number.
func (t *track) cut(at float64) int {
	for k := len(*t) - 1; ; k-- {
		switch step := (*t)[k]; {
		case step.at == at:
			return k
		case step.at < at:
			*t = slices.Insert(*t, k+1, (*t)[k])
			(*t)[k+1].at, (*t)[k+1].spare = at, slices.Clone(step.spare)
			return k + 1
		}
	}
}

// blocks is the number of blocks of a job, up to most, that fit all the time from one time to another.
func (t track) blocks(j *job, most int, from, to float64) int {
	for k := range t {
		if k+1 < len(t) && t[k+1].at <= from {
			continue
		}
		if t[k].at >= to {
			break
		}
		for i, need := range j.needs {
			if need > 0 {
				most = min(most, int(t[k].spare[i]/need))
			}
		}
		if most <= 0 {
			return 0
		}
	}
	return most
}

// found is a kind of jobs with a length, and the earliest start of such a job in this cycle.
type found struct{ length, start float64 }

// cycle plans the first jobs of the queues, and starts those whose plan is now. It says whether any has started.
func (s *system) cycle() bool {
	tracks := make([]track, len(s.machines))
	for m := range tracks {
		tracks[m] = track{{s.now, slices.Clone(s.machines[m].has)}}
	}
	for _, j := range s.running {
		for _, on := range j.shares {
			tracks[on.machine].take(j, on.blocks, s.now, s.expectedEnd(j))
		}
	}
	before := map[string][]found{}
	number, any := 0, false
	s.waiting = slices.DeleteFunc(s.waiting, func(j *job) bool {
		if number++; number > tests {
			return false
		}
		start, o, shares := s.earliest(tracks, j, before)
		if o == nil {
			return false
		}
		for _, on := range shares {
			tracks[on.machine].take(j, on.blocks, start, o.until(start))
		}
		if start > s.now {
			return false
		}
		s.launch(j, o, shares)
		any = true
		return true
	})
	return any
}

// earliest is the earliest start of a job within the window beside all that is planned, and its place; no option: there is none. What is planned only grows in a cycle: so a job that is no
// shorter than one like it starts no earlier.
func (s *system) earliest(tracks []track, j *job, before map[string][]found) (start float64, on *option, where []share) {
	start = math.Inf(1)
	for k := range j.options {
		o := &j.options[k]
		from, key := s.now, j.kind+string(rune('0'+k))
		for _, f := range before[key] {
			if f.length <= o.expected {
				from = max(from, f.start)
			}
		}
		at, shares := s.earliestOn(tracks, j, o, from)
		before[key] = append(before[key], found{o.expected, at})
		if shares != nil && (on == nil || at+o.expected < start+on.expected) {
			start, on, where = at, o, shares
		}
	}
	return start, on, where
}

// earliestOn is the earliest start on a cluster, not before a time; +Inf: there is none.
func (s *system) earliestOn(tracks []track, j *job, o *option, from float64) (float64, []share) {
	if from > s.now+window {
		return math.Inf(1), nil
	}
	times := []float64{from}
	for _, m := range o.machines {
		for _, step := range tracks[m] {
			if step.at > from && step.at <= s.now+window {
				times = append(times, step.at)
			}
		}
	}
	slices.Sort(times)
	for _, at := range slices.Compact(times) {
		if shares := placeOver(tracks, j, o, at); shares != nil {
			return at, shares
		}
	}
	return math.Inf(1), nil
}

// placeOver is the first machines with room for the blocks of a job from a time until its estimated end; nil: there is no place.
func placeOver(tracks []track, j *job, o *option, at float64) []share {
	var shares []share
	left := j.blocks
	for _, m := range o.machines {
		most := left
		if j.perMachine > 0 {
			most = j.perMachine
		}
		fits := tracks[m].blocks(j, most, at, o.until(at))
		if fits == 0 || fits < j.perMachine {
			continue
		}
		shares = append(shares, share{m, fits})
		if left -= fits; left == 0 {
			return shares
		}
	}
	return nil
}
