package swf_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
)

// TestArchive compares with the figures of the traces that were computed by other means.
func TestArchive(t *testing.T) {
	rows := realdata.Table(t, "swf", "summary.csv")
	for _, row := range rows[:race.Fewer(len(rows), 2)] {
		t.Run(row["file"], func(t *testing.T) {
			in, report, err := with("prefer_requested=false", "estimates=keep").Read(realdata.Open(t, "swf", row["file"]), row["file"])
			if err != nil {
				t.Fatal(err)
			}
			work, parallel, widest, estimates := 0.0, 0, 0, 0
			for _, j := range in.Jobs() {
				work += j.Work * float64(j.Min)
				widest = max(widest, j.Min)
				if j.Min > 1 {
					parallel++
				}
				if !math.IsNaN(j.Estimate) {
					estimates++
				}
			}
			count := func(reasons ...string) (n int) {
				for _, note := range report.Notes {
					for _, reason := range reasons {
						if note.Reason == reason {
							n += note.Count
						}
					}
				}
				return n
			}
			without := count("run time 0", "run time unknown")
			row.Expect(t, "jobs_in_file", float64(report.Read), 0)
			row.Expect(t, "jobs_in_file", float64(report.Kept+without), 0)
			row.Expect(t, "processors", float64(in.Processors()), 0)
			row.Expect(t, "max_size", float64(widest), 0)
			row.Expect(t, "oversized", float64(count("more processors than the system has")), 0)
			row.Expect(t, "runtime_le_0", float64(without), 0)
			row.Expect(t, "runtime_over_request", float64(count("run time above the requested time")), 0)
			if row.Number(t, "with_requested_time") > 0 {
				row.Expect(t, "with_requested_time", float64(estimates+without), 0)
			} else if estimates != 0 {
				t.Errorf("got %d estimates, want none", estimates)
			}
			if n := row.Number(t, "parallel_jobs"); float64(parallel) > n || float64(parallel) < n-float64(without) {
				t.Errorf("got %d parallel jobs, want %g less those dropped", parallel, n)
			}
			span := row.Number(t, "span_days") * 86400
			row.Expect(t, "offered_load", work/span/float64(in.Processors()), 0.01) // rounded to three decimals
		})
	}
}

// TestArchiveEASY compares the jobs and their work, which is utilisation × processors × makespan, with those of runs by
// another simulator. It takes the requested processors where they are known.
func TestArchiveEASY(t *testing.T) {
	for _, row := range realdata.Table(t, "swf", "easy_reference.csv") {
		t.Run(row["trace"], func(t *testing.T) {
			opt := swf.NewReader()
			file, first, cut := strings.Cut(row["trace"], "-first")
			if strings.HasSuffix(first, "jobs") {
				file, cut = row["trace"], false // a file of its own
			}
			if cut {
				n, err := strconv.Atoi(first)
				if err != nil {
					t.Fatal(err)
				}
				opt.Jobs = n
			}
			file += ".swf.gz"
			in, report, err := opt.Read(realdata.Open(t, "swf", file), file)
			if err != nil {
				t.Fatal(err)
			}
			work, end := 0.0, 0.0
			for _, j := range in.Jobs() {
				work += j.Work * float64(j.Min)
				end = max(end, j.Arrival+j.Work)
			}
			row.Expect(t, "jobs_kept", float64(report.Kept), 0)
			row.Expect(t, "utilisation", work/row.Number(t, "processors")/row.Number(t, "makespan"), 1e-4)
			if row["mean_wait"] == "0.0000" {
				row.Expect(t, "makespan", end, 0)
			}
		})
	}
}
