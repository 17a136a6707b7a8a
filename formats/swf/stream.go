package swf

import (
	"cmp"
	"io"
	"math"
	"slices"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// Stream reads a trace job by job, in memory that does not grow with its length. Parameters have the same meaning as for [Reader.Read],
// except Batch, Memory and Cluster, which it ignores. The jobs must be sorted by submit time, as the format demands; jobs with the
// same submit time come in the order of their numbers. Stream does not notice a job number that occurs twice.
type Stream struct {
	trace   *trace
	scanner *lines.Scanner
	ready   []job // of one submit time, in order
	at      int
	kept    int
	origin  float64 // submit time of the first job; NaN: none yet
	ended   bool
}

// Job is a job of a stream. Times are in seconds.
type Job struct {
	Number     int64
	Arrival    float64 // since the first job's submit time, unless Reader.AbsoluteTime
	Runtime    float64
	Estimate   float64 // NaN: unknown
	Processors int
	User       int64 // −1: unknown
}

// Stream starts to read a trace job by job. The error is as for Read.
func (o *Reader) Stream(r io.Reader, name string) (*Stream, error) {
	t, r, err := o.open(r, name)
	if err != nil {
		return nil, err
	}
	s := &Stream{trace: t, scanner: lines.NewScanner(r), origin: math.NaN()}
	for !s.ended && len(s.trace.jobs) == 0 { // up to the first job, which ends the header
		s.scan()
	}
	if t.width == 0 && t.faults.None() {
		t.system()
	}
	return s, t.faults.Err()
}

// Processors is the number of processors of the system.
func (s *Stream) Processors() int { return s.trace.width }

// Report says what has been dropped, repaired and kept so far.
func (s *Stream) Report() *model.ImportReport { return s.trace.report }

// scan reads a line.
func (s *Stream) scan() {
	if !s.scanner.Scan() {
		s.scanner.Check(s.trace.faults)
		s.ended = true
		return
	}
	s.ended = !s.trace.take(s.scanner.Line(), s.scanner.Bytes()) || !s.trace.faults.None()
}

// Next fills in the next job; false: there is none.
func (s *Stream) Next(next *Job) (bool, error) {
	if s.at == len(s.ready) {
		s.gather()
	}
	if err := s.trace.faults.Err(); err != nil {
		return false, err
	}
	if s.at == len(s.ready) || s.trace.opt.Jobs > 0 && s.kept == s.trace.opt.Jobs {
		return false, nil
	}
	j := &s.ready[s.at]
	s.at++
	s.kept++
	*next = Job{j.number, j.submit - s.origin, j.runtime, j.estimate, int(j.processors), j.names[0]}
	if j.estimate < 0 {
		next.Estimate = math.NaN()
	}
	return true, nil
}

// gather reads the jobs of the next submit time, and the first of the one after it.
func (s *Stream) gather() {
	t := s.trace
	for !s.ended && (len(t.jobs) == 0 || t.jobs[len(t.jobs)-1].submit == t.jobs[0].submit) {
		s.scan()
	}
	n := len(t.jobs)
	if n > 1 && t.jobs[n-1].submit != t.jobs[0].submit {
		n--
	}
	s.ready, s.at = append(s.ready[:0], t.jobs[:n]...), 0
	t.jobs = t.jobs[:copy(t.jobs, t.jobs[n:])]
	if len(t.jobs) == 1 && t.jobs[0].submit < s.ready[0].submit {
		t.faults.Line(t.jobs[0].line, "expected jobs in order of submit time, found %v after %v", t.jobs[0].submit, s.ready[0].submit)
	}
	slices.SortStableFunc(s.ready, func(a, b job) int { return cmp.Compare(a.number, b.number) })
	if n > 0 && math.IsNaN(s.origin) {
		if s.origin = s.ready[0].submit; t.opt.AbsoluteTime {
			s.origin = 0
		}
	}
}
