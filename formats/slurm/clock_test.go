package slurm_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// A site states the tiers of its partitions, and every policy that keeps their queues apart takes the higher first, so that no answer need warn of them.
func TestTiersOfATrace(t *testing.T) {
	for tier, first := range map[string]string{"PriorityTier=5": "3", "PriorityTier=1": "2", "": "2"} {
		conf := "NodeName=a[1-3] CPUs=4\nPartitionName=empty Nodes=ALL PriorityTier=9\nPartitionName=low Nodes=ALL\nPartitionName=top Nodes=ALL " + tier + "\n"
		rows := "JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS\n1|low|1|1|601|10|12\n2|low|2|601|1201|10|12\n3|top|3|1201|1801|10|12\n"
		path := saved(t, "slurm.conf", conf)
		in, _, err := with("nodes="+path, "partitions="+path).Read(strings.NewReader(rows), "f")
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(in.Caveats(), "\n"); strings.Contains(text, "Tier") {
			t.Errorf("%s: %s", tier, text)
		}
		sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.DefaultRanking()), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(sol.Jobs, func(a, b model.Placement) int { return cmp.Compare(a.Start, b.Start) })
		if sol.Jobs[0].Job != "1" || sol.Jobs[1].Job != first {
			t.Errorf("%s: %+v", tier, sol.Jobs)
		}
	}
}

// Clock times jump when summer time begins or ends: run times are those of Elapsed then, also of a job that seems to start before it was submitted. Without Elapsed, with a suspension, or where times have
// no clock, nothing is repaired.
func TestClockChanges(t *testing.T) {
	at := func(month, day, hour, minute int) string {
		return time.Date(2025, time.Month(month), day, hour, minute, 0, 0, time.UTC).Format("2006-01-02T15:04:05")
	}
	for name, c := range map[string]struct {
		submit, start, end, elapsed, raw, suspended string
		want                                        float64 // the run time; 0: the job is dropped
	}{
		"clock goes back":               {at(10, 26, 1, 30), at(10, 26, 1, 30), at(10, 26, 2, 30), "02:00:00", "7200", "", 7200},
		"clock goes on":                 {at(3, 30, 1, 30), at(3, 30, 1, 30), at(3, 30, 3, 30), "01:00:00", "3600", "00:00:00", 3600},
		"without ElapsedRaw":            {at(3, 30, 1, 30), at(3, 30, 1, 30), at(3, 30, 3, 30), "01:00:00", "", "", 3600},
		"days":                          {at(3, 29, 1, 30), at(3, 29, 1, 30), at(3, 30, 3, 30), "1-01:00:00", "", "", 25 * 3600},
		"half an hour":                  {at(4, 6, 1, 30), at(4, 6, 1, 30), at(4, 6, 2, 30), "", "5400", "", 5400},
		"ends before its start":         {at(10, 26, 2, 55), at(10, 26, 2, 55), at(10, 26, 2, 5), "", "600", "", 600},
		"starts before its submission":  {at(10, 26, 2, 50), at(10, 26, 2, 10), at(10, 26, 3, 10), "", "3600", "", 3600},
		"no Elapsed":                    {at(10, 26, 1, 30), at(10, 26, 1, 30), at(10, 26, 2, 30), "", "", "", 3600},
		"suspended":                     {at(3, 30, 1, 30), at(3, 30, 1, 30), at(3, 30, 3, 30), "", "3600", "01:00:00", 7200},
		"another difference":            {at(3, 30, 1, 30), at(3, 30, 1, 30), at(3, 30, 3, 30), "", "3599", "", 7200},
		"before its submission, by day": {at(10, 27, 12, 50), at(10, 27, 12, 10), at(10, 27, 13, 10), "", "3600", "", 0},
		"Unix seconds":                  {"100", "100", "7300", "", "3600", "", 7200},
	} {
		rows := "JobID|Submit|Start|End|Elapsed|ElapsedRaw|Suspended|NCPUS\n1|" + strings.Join([]string{c.submit, c.start, c.end, c.elapsed, c.raw, c.suspended}, "|") + "|4\n2|" + c.submit + "|" + c.submit + "|Unknown||||4\n"
		in, report, err := with().Read(strings.NewReader(rows), "f")
		if c.want == 0 {
			if report == nil || report.Kept != 0 {
				t.Errorf("%s: %+v, %v", name, report, err)
			}
			continue
		}
		if err != nil || in.Jobs()[0].Work != c.want {
			t.Errorf("%s: %v, %v, expected a run time of %v", name, in, err, c.want)
		}
	}
}
