package solve

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// The ripe jobs are, at any time, those planned jobs that are first in all their queues, in the order of the plans.
func TestRipe(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "clusters": [{"id": "C", "machines": [{"id": "m", "processors": 4}]}],
		"jobs": [{"id": "j", "processors": 1, "work": 1}]}`), "ripe.json")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := &streamRun{in: in, queues: map[[2]int][]*queued{}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if len(s.ripe) == 0 || rapid.Bool().Draw(t, "join") {
				q := &queued{number: s.numbers}
				s.numbers++
				for range rapid.IntRange(1, 2).Draw(t, "pieces") { // which may share processors
					first := rapid.IntRange(0, 3).Draw(t, "first")
					set := model.ProcessorSet{{First: first, Last: rapid.IntRange(first, 3).Draw(t, "last")}}
					q.pieces, q.claims = append(q.pieces, model.Piece{Processors: set}), append(q.claims, sim.Claim{})
					s.join(q, 0, set)
				}
				s.await(q)
			} else { // one of the ripe jobs starts and ends
				at := rapid.IntRange(0, len(s.ripe)-1).Draw(t, "ripe")
				q := s.ripe[at]
				s.ripe = slices.Delete(s.ripe, at, at+1)
				s.planned = slices.DeleteFunc(s.planned, func(p *queued) bool { return p == q })
				for k := range q.pieces {
					s.leave(end{q, k})
				}
			}
			var first []*queued
			for _, q := range s.planned {
				if isFirst(s, q) {
					first = append(first, q)
				}
			}
			if !slices.Equal(first, s.ripe) {
				t.Fatalf("%d jobs are first in their queues, %d ripe", len(first), len(s.ripe))
			}
		}
	})
}

// isFirst says whether a job is first in all its queues.
func isFirst(s *streamRun, q *queued) bool {
	for _, piece := range q.pieces {
		for _, r := range piece.Processors {
			for p := r.First; p <= r.Last; p++ {
				if s.queues[[2]int{0, p}][0] != q {
					return false
				}
			}
		}
	}
	return true
}
