package backfill

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/sim"
)

// TestGoldenFolder compares the naive policies with the reference schedules in the folder golden, start by start. Workloads of which the naive
// policies would take long are left to the programs there.
func TestGoldenFolder(t *testing.T) {
	files, err := filepath.Glob("../../golden/workloads/*.swf")
	if err != nil || len(files) < 40 {
		t.Fatalf("found %d workloads: %v", len(files), err)
	}
	const most = 50
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		reader := swf.NewReader()
		reader.AbsoluteTime, reader.PreferRequested, reader.Estimates, reader.ZeroRuntime, reader.TooWide = true, false, "keep", "keep", "keep"
		in, _, err := reader.Read(file, path)
		_ = file.Close()
		if err != nil {
			t.Fatal(err)
		}
		trace, order, err := sim.TraceOf(in)
		if err != nil {
			t.Fatal(err)
		}
		for policy, decide := range map[string]func(*naive){"fcfs": naiveFCFS, "easy": naiveEASY, "conservative": naiveConservative} {
			if len(trace.Jobs) > most && (policy == "conservative" || testing.Short()) {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(path), ".swf") + "." + policy
			want := goldenStarts(t, filepath.Join("../../golden/schedules", name+".csv"))
			n := newNaive(trace.Jobs, int32(in.Processors()), 1, false, decide)
			if len(want) != len(trace.Jobs) {
				t.Errorf("%s: expected %d starts, found %d", name, len(trace.Jobs), len(want))
			}
			for k, start := range n.start {
				if id := in.Jobs()[order[k]].ID; math.IsNaN(start) || want[id] != start {
					t.Errorf("%s: job %s starts at %v, the reference says %v", name, id, start, want[id])
					break
				}
			}
		}
	}
}

// goldenStarts reads the starts of a reference schedule by job.
func goldenStarts(t *testing.T, path string) map[string]float64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string]float64{}
	for _, row := range rows[1:] {
		if starts[row[0]], err = strconv.ParseFloat(row[1], 64); err != nil {
			t.Fatal(err)
		}
	}
	return starts
}
