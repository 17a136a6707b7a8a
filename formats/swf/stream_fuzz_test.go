package swf_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
)

// FuzzStream: a stream of whatever text hands out jobs in order of arrival, with numbers that a simulation takes, and no more than its
// report counts; where it reads a sorted trace to its end the jobs are those that Read keeps.
func FuzzStream(f *testing.F) {
	for _, text := range []string{
		"", header, header + "1 0 0 60 4 -1 2000 2 90 3000\n2 5 0 60 4 -1 -1 -1 90 -1\n", "1 0 0 60 4\n2 0 0 1 1\n1 0 0 2 1\n",
		header + "3 7 0 60 4\n2 7 0 60 9\n9 6 0 1 1\n", "; MaxProcs: 4\n1 1e18 0 1e18 4 -1 -1 4 0\n", "; MaxNodes: x\n1 -1 -1 -1 -1 -1\n", header + "1 0 0 0 0 0 0 0 0 0 0 0\n",
	} {
		f.Add(text, true, false)
		f.Add(text, false, true)
	}
	f.Fuzz(func(t *testing.T, text string, requested, absolute bool) {
		opt := with("unknown_submit=repair", fmt.Sprint("prefer_requested=", requested), fmt.Sprint("absolute_time=", absolute))
		s, err := opt.Stream(strings.NewReader(text), "t.swf")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.swf") {
				t.Fatalf("an error without the file's name: %v", err)
			}
			return
		}
		if s.Processors() < 1 {
			t.Fatalf("a system of %d processors", s.Processors())
		}
		var jobs []swf.Job
		for {
			var j swf.Job
			ok, err := s.Next(&j)
			if err != nil {
				return
			}
			if !ok {
				break
			}
			jobs = append(jobs, j)
			if !(j.Arrival >= 0 && j.Runtime >= 0) || j.Estimate < 0 || math.IsInf(j.Arrival+j.Runtime, 0) || j.Processors < 1 || j.Processors > s.Processors() {
				t.Fatalf("job %+v of a system of %d processors", j, s.Processors())
			}
			if k := len(jobs) - 1; k > 0 && j.Arrival < jobs[k-1].Arrival {
				t.Fatalf("job %+v after %+v", j, jobs[k-1])
			}
		}
		if s.Report().Kept != len(jobs) {
			t.Fatalf("%d jobs, %v", len(jobs), s.Report())
		}
		in, _, err := opt.Read(strings.NewReader(text), "t.swf")
		if err != nil {
			return
		}
		if len(in.Jobs()) != len(jobs) {
			t.Fatalf("%d jobs in the stream, %d of Read", len(jobs), len(in.Jobs()))
		}
		for k := range jobs {
			if j := &in.Jobs()[k]; j.Arrival != jobs[k].Arrival || j.Work != jobs[k].Runtime || j.Min != jobs[k].Processors {
				t.Fatalf("job %d: %+v in the stream, %+v of Read", k, jobs[k], j)
			}
		}
	})
}

// TestMemoryZeroAndUnknown: a memory of 0 is stated and not odd, −1 is unknown and counted as that; both ask for none.
func TestMemoryZeroAndUnknown(t *testing.T) {
	for memory, want := range map[string]struct {
		kb    float64
		notes string
	}{
		"0":  {0, ""},
		"-1": {0, "kept 1: requested memory unknown: no memory (line 5)"},
		"1":  {1, ""},
	} {
		in, report := read(t, header+"1 0 0 60 4 -1 -1 4 90 "+memory+" 1 1 1 1 1 1 -1 -1\n", with("memory=requested"))
		if got := notes(report); in.Jobs()[0].Memory != want.kb || got != want.notes {
			t.Errorf("memory %s: got %v, %q; want %v, %q", memory, in.Jobs()[0].Memory, got, want.kb, want.notes)
		}
		in, report = read(t, header+"1 0 0 60 4 -1 "+memory+" 4 90 7 1 1 1 1 1 1 -1 -1\n", with("memory=used"))
		if got := notes(report); in.Jobs()[0].Memory != want.kb || got != strings.Replace(want.notes, "requested", "used", 1) {
			t.Errorf("used memory %s: got %v, %q", memory, in.Jobs()[0].Memory, got)
		}
	}
}
