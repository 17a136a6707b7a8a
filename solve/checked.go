package solve

import (
	"encoding/binary"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// checked is a schedule that [Stages] has checked, so that nobody checks it once more: of a million jobs that takes half a second after the time limit. It holds
// a fingerprint and not the schedule, because a solver may still write into what it handed out.
type checked struct {
	in         *model.Instance // for which it was checked
	print      uint64
	evaluation model.Evaluation
}

// checkedAs notes that the schedule was checked.
func checkedAs(in *model.Instance, sol *model.Solution, evaluation model.Evaluation) *checked {
	return &checked{in, fingerprint(sol), evaluation}
}

// isOf says whether the schedule is the one that was checked, to the last bit, for the same instance.
func (c *checked) isOf(in *model.Instance, sol *model.Solution) bool {
	return c != nil && c.in == in && fingerprint(sol) == c.print
}

// fingerprintSeed makes fingerprints differ from process to process, so that nobody can make two schedules of one.
var fingerprintSeed = maphash.MakeSeed()

// fingerprint is a number that two different schedules have in common once in 2⁶⁴ cases.
func fingerprint(sol *model.Solution) uint64 {
	p := printer{}
	p.SetSeed(fingerprintSeed)
	p.count(len(sol.Jobs))
	for k := range sol.Jobs {
		j := &sol.Jobs[k]
		p.held(j.Cluster, j.Processors, j.Devices, j.Start, j.End)
		p.text(j.Job)
		p.count(len(j.Pieces))
		for i := range j.Pieces {
			piece := &j.Pieces[i]
			p.held(piece.Cluster, piece.Processors, piece.Devices, piece.Start, piece.End)
			p.count(piece.Tasks)
		}
	}
	p.count(len(sol.Unscheduled))
	for _, u := range sol.Unscheduled {
		p.text(u.Job)
		p.text(u.Reason)
	}
	p.count(len(sol.Loads))
	for _, l := range sol.Loads {
		p.text(l.Cluster)
		p.text(l.Machine)
		p.number(l.Rate)
	}
	return p.Sum64()
}

// printer makes a fingerprint. Each list and each text is preceded by its length, so that none runs into the next.
type printer struct {
	maphash.Hash
	bytes []byte
}

// write writes the bytes.
func (p *printer) write() { _, _ = p.Write(p.bytes) } // it never fails

// count writes a whole number.
func (p *printer) count(n int) {
	p.bytes = binary.AppendVarint(p.bytes[:0], int64(n))
	p.write()
}

// number writes a number.
func (p *printer) number(x float64) {
	p.bytes = binary.LittleEndian.AppendUint64(p.bytes[:0], math.Float64bits(x))
	p.write()
}

// text writes a text.
func (p *printer) text(s string) {
	p.count(len(s))
	_, _ = p.WriteString(s)
}

// held writes what is held on a cluster, and when.
func (p *printer) held(cluster string, set model.ProcessorSet, devices model.DevicesHeld, start, end float64) {
	p.text(cluster)
	p.bytes = binary.LittleEndian.AppendUint64(p.bytes[:0], math.Float64bits(start))
	p.bytes = binary.LittleEndian.AppendUint64(p.bytes, math.Float64bits(end))
	p.bytes = appendSet(p.bytes, set)
	p.bytes = binary.AppendUvarint(p.bytes, uint64(len(devices)))
	p.write()
	if len(devices) == 0 {
		return
	}
	for _, device := range slices.Sorted(maps.Keys(devices)) {
		p.text(device)
		p.count(len(devices[device]))
		for _, machine := range slices.Sorted(maps.Keys(devices[device])) {
			p.text(machine)
			p.bytes = appendSet(p.bytes[:0], devices[device][machine])
			p.write()
		}
	}
}

// appendSet appends a set of processors or devices.
func appendSet(to []byte, set model.ProcessorSet) []byte {
	to = binary.AppendUvarint(to, uint64(len(set)))
	for _, r := range set {
		to = binary.AppendVarint(binary.AppendVarint(to, int64(r.First)), int64(r.Last))
	}
	return to
}
