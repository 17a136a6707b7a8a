package swf_test

import (
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
)

// TestStream reads real traces job by job and finds what Read finds.
func TestStream(t *testing.T) {
	rows := realdata.Table(t, "swf", "summary.csv")
	for _, row := range rows[:race.Fewer(len(rows), 2)] {
		t.Run(row["file"], func(t *testing.T) {
			opt := swf.NewReader()
			in, report, err := opt.Read(realdata.Open(t, "swf", row["file"]), row["file"])
			if err != nil {
				t.Fatal(err)
			}
			stream, err := opt.Stream(realdata.Open(t, "swf", row["file"]), row["file"])
			if err != nil {
				t.Fatal(err)
			}
			if stream.Processors() != in.Processors() {
				t.Errorf("%d processors, want %d", stream.Processors(), in.Processors())
			}
			var j swf.Job
			for k := range in.Jobs() {
				want := &in.Jobs()[k]
				ok, err := stream.Next(&j)
				if !ok || err != nil {
					t.Fatalf("job %d: %v, %v", k, ok, err)
				}
				if j.Arrival != want.Arrival || j.Runtime != want.Work || j.Processors != want.Min || j.Estimate != want.Estimate && !math.IsNaN(want.Estimate) {
					t.Fatalf("job %d: got %+v, want %+v", k, j, want)
				}
			}
			if ok, err := stream.Next(&j); ok || err != nil {
				t.Errorf("more than %d jobs: %v, %v", len(in.Jobs()), ok, err)
			}
			if stream.Report().Kept != report.Kept || stream.Report().Read != report.Read {
				t.Errorf("got %v, want %v", stream.Report(), report)
			}
		})
	}
}

func TestStreamSaysWhatIsWrong(t *testing.T) {
	const head = "; MaxProcs: 4\n1 10 0 5 1 -1 -1 1 9\n"
	for text, want := range map[string]string{
		"1 10 0 5 1\n":          "t.swf: expected a header with MaxProcs",
		"; nothing\n":           "t.swf: expected a header with MaxProcs",
		head + "2 x 0 5 1\n":    "t.swf: line 3: field 2 (submit time): expected a number",
		head + "2 9 0 5 1\n":    "t.swf: line 3: expected jobs in order of submit time, found 9 after 10",
		head + "2 11 0 5 1\n":   "",
		head + "2 11 0\n":       "t.swf: line 3: expected 18 fields",
		head + "; a comment\n3": "t.swf: line 4: expected 18 fields",
	} {
		stream, err := swf.NewReader().Stream(strings.NewReader(text), "t.swf")
		var j swf.Job
		for ok := true; ok && err == nil; {
			ok, err = stream.Next(&j)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestStreamOrdersTies by job number.
func TestStreamOrdersTies(t *testing.T) {
	stream, err := with("jobs=3").Stream(strings.NewReader("; MaxProcs: 4\n3 10 0 5 1\n1 10 0 5 1\n2 10 0 5 1\n4 11 0 5 1\n"), "t.swf")
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	var j swf.Job
	for ok := true; ok; {
		if ok, err = stream.Next(&j); ok {
			got = append(got, j.Number)
		}
	}
	if err != nil || len(got) != 3 || got[0] != 1 || got[1] != 2 || got[2] != 3 {
		t.Errorf("got %v, %v", got, err)
	}
}
