package golden

import (
	"math"
	"slices"
)

// verdict is what fcfs or easy makes of a queued job at an instant.
type verdict struct {
	starts  bool
	isHead  bool    // nothing ahead of it waits
	free    int     // processors when its turn came
	head    int     // the job that is first in the queue and waits; −1: none
	shadow  float64 // easy: when the head is to start
	extra   int     // easy: extra processors when its turn came
	atFirst int     // easy: extra processors before any job was backfilled
	freed   []int   // jobs of no time that ended at this very instant before its turn came
}

// pass takes the decisions of fcfs or easy at the time of the scene, again as long as jobs of no time give back processors, and returns what
// became of each queued job.
func (s *scene) pass() map[int]verdict {
	verdicts := map[int]verdict{}
	running, queue := s.running(), s.queue()
	start := map[int]float64{}
	for _, k := range running {
		start[k] = s.reference[k].Start
	}
	var freed []int
	for {
		started := s.round(running, start, queue, freed, verdicts)
		ended := slices.DeleteFunc(slices.Clone(started), func(k int) bool { return s.w.Jobs[k].Runtime > 0 })
		if len(ended) == 0 {
			return verdicts
		}
		freed = append(freed, ended...)
		queue = slices.DeleteFunc(queue, func(k int) bool { return slices.Contains(started, k) })
		for _, k := range started {
			if s.w.Jobs[k].Runtime > 0 {
				running, start[k] = append(running, k), s.at
			}
		}
	}
}

// round is one decision. It returns the jobs that start.
func (s *scene) round(running []int, start map[int]float64, queue, freed []int, verdicts map[int]verdict) (started []int) {
	free := s.w.Processors - s.held(running)
	n := 0
	for ; n < len(queue) && s.w.Jobs[queue[n]].Processors <= free; n++ {
		verdicts[queue[n]] = verdict{starts: true, isHead: true, free: free, head: -1, freed: freed}
		free -= s.w.Jobs[queue[n]].Processors
	}
	started = slices.Clone(queue[:n])
	if n == len(queue) {
		return started
	}
	head := queue[n]
	verdicts[head] = verdict{isHead: true, free: free, head: -1, freed: freed}
	now := verdict{head: head, shadow: math.Inf(1), freed: freed}
	if s.policy == "easy" {
		now.shadow, now.extra = s.shadow(append(slices.Clone(running), started...), start, free, head)
		now.atFirst = now.extra
	}
	for _, k := range queue[n+1:] {
		j := &s.w.Jobs[k]
		now.free = free
		v := now
		ends := s.at+j.Estimate <= now.shadow
		if s.policy == "easy" && j.Processors <= free && (ends || j.Processors <= now.extra) {
			v.starts = true
			free -= j.Processors
			started = append(started, k)
			if !ends {
				now.extra -= j.Processors
			}
		}
		verdicts[k] = v
	}
	return started
}

// shadow is the shadow time of the head and the extra processors; a job without a start starts now.
func (s *scene) shadow(running []int, start map[int]float64, free, head int) (at float64, extra int) {
	end := func(k int) float64 {
		if from, ok := start[k]; ok {
			return s.expectedEnd(k, from)
		}
		return s.expectedEnd(k, s.at)
	}
	at = math.Inf(1)
	for _, k := range running {
		then := free
		for _, other := range running {
			if end(other) <= end(k) {
				then += s.w.Jobs[other].Processors
			}
		}
		if then >= s.w.Jobs[head].Processors && end(k) < at {
			at, extra = end(k), then-s.w.Jobs[head].Processors
		}
	}
	return at, extra
}

// agrees reports whether the decisions of a pass are those of the reference schedule.
func (s *scene) agrees(verdicts map[int]verdict) bool {
	for k, v := range verdicts {
		if v.starts != (s.reference[k].Start == s.at) {
			return false
		}
	}
	return true
}
