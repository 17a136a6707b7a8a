package solve

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"github.com/allot-opt/allot/model"
)

// checked is a schedule that [Stages] has checked, so that [Run] need not check it once more: of a million jobs that takes half a second after the time limit. It holds
// a fingerprint and not the schedule, because a solver may still write into what it handed out.
type checked struct {
	in         *model.Instance
	print      uint64
	evaluation model.Evaluation
}

// checkedAs notes that the schedule was checked; nil for one without a fingerprint.
func checkedAs(in *model.Instance, sol *model.Solution, evaluation model.Evaluation) *checked {
	print, simple := fingerprint(sol)
	if !simple {
		return nil
	}
	return &checked{in, print, evaluation}
}

// isOf says whether the schedule is the one that was checked, to the last bit, for the same instance.
func (c *checked) isOf(in *model.Instance, sol *model.Solution) bool {
	if c == nil || c.in != in {
		return false
	}
	print, simple := fingerprint(sol)
	return simple && print == c.print
}

// fingerprintSeed makes fingerprints differ from process to process, so that nobody can make two schedules of one.
var fingerprintSeed = maphash.MakeSeed()

// fingerprint is a number that two different schedules have in common once in 2⁶⁴ cases. simple is false for a schedule with jobs in pieces, devices or loads: it has none.
func fingerprint(sol *model.Solution) (print uint64, simple bool) {
	var h maphash.Hash
	h.SetSeed(fingerprintSeed)
	if len(sol.Loads) > 0 {
		return 0, false
	}
	var numbers []byte
	text := func(s string) {
		numbers = binary.AppendUvarint(numbers[:0], uint64(len(s)))
		_, _ = h.Write(numbers) // it never fails
		_, _ = h.WriteString(s)
	}
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		if len(p.Pieces) > 0 || len(p.Devices) > 0 {
			return 0, false
		}
		text(p.Job)
		text(p.Cluster)
		numbers = binary.LittleEndian.AppendUint64(numbers[:0], math.Float64bits(p.Start))
		numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(p.End))
		numbers = binary.AppendUvarint(numbers, uint64(len(p.Processors)))
		for _, r := range p.Processors {
			numbers = binary.AppendVarint(binary.AppendVarint(numbers, int64(r.First)), int64(r.Last))
		}
		_, _ = h.Write(numbers)
	}
	text("left out")
	for _, u := range sol.Unscheduled {
		text(u.Job)
		text(u.Reason)
	}
	return h.Sum64(), true
}
