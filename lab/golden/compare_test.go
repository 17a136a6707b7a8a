package golden_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/lab/golden"
)

// wrongStarts are schedules made by hand that differ from the reference at one rule.
var wrongStarts = []struct {
	file, text string // text: the table, with ; for the end of a line
	want       string // what is said of it, from the difference on
}{
	{"runs-on.easy.csv", "job,start,end;1,0,5;2,5,9;3,2,22;4,9,13", `job 1: wrong end (2 other starts differ)
run-time: job 1 runs for 12 s from 0 to 12, and is not to end at 5: an estimate ends no job`},
	{"one-job.fcfs.csv", "job,start,end;1,7,18", `job 1: wrong end
run-time: job 1 runs for 10 s from 7 to 17, and is not to end at 18`},
	{"one-job.fcfs.csv", "job,start,processors;1,7,1", `job 1: wrong number of processors
processors: job 1 holds 2 processors, not 1`},
	{"one-job.easy.csv", "job,start;1,0", `job 1: expected start 7, found 0
before-submit: job 1 is submitted at 7`},
	{"one-job.conservative.csv", "job,start", `job 1: expected start 7, found never
reservation: the reservation of job 1, made at 7, is 7, the first time from which 2 processors are neither held nor reserved for its estimate of 10 s`},
	{"too-wide.fcfs.csv", "job,start;1,0;2,5;3,2;4,10", `job 2: expected start never, found 5 (1 other start differs)
too-wide: job 2 needs 5 processors and the machine has 4: it is refused and never starts`},
	{"exact-fit.easy.csv", "job,start;1,0;2,1;3,6", `job 3: expected start 10, found 6
capacity: job 3 needs 4 processors, and at 6 job 1 holds 3 of 4`},
	{"look-further.fcfs.csv", "job,start;1,0;2,10;3,15;4,15;5,16", `job 5: expected start 15, found 16
head: job 5 is the head of the queue, and it needs 1 processor and 1 is free at 15. Job 2 ends at 15, and what ends at a second frees its processors before anything starts`},
	{"in-order.fcfs.csv", "job,start;1,0;2,10;3,2", `job 3: expected start 10, found 2
order: job 2 is ahead of job 3 in the queue and still waits at 2: it needs 2 processors`},
	{"tie-by-number.fcfs.csv", "job,start;1,0;2,11;3,15;4,5", `job 2: expected start 5, found 11 (2 other starts differ)
head: job 2 is the head of the queue, and it needs 3 processors and 4 are free at 5. Job 1 ends at 5, and what ends at a second frees its processors before anything starts. Job 4, which starts at 5 instead, is behind it in the queue: of jobs submitted at the same second the smaller number goes first`},
	{"no-time.fcfs.csv", "job,start;1,0;2,2;3,2;4,3", `job 4: expected start 2, found 3
head: job 4 is the head of the queue, and it needs 1 processor and 1 is free at 2. A job of no time gives its processors back at the same second: jobs 2 and 3. Job 1 ends at 2, and what ends at a second frees its processors before anything starts`},
	{"in-order.easy.csv", "job,start;1,0;2,10;3,5", `job 3: expected start 2, found 5
backfill: job 3 could have been backfilled: it needs 1 processor and 1 is free at 2, and by its estimate it would end at 7, not after the shadow time 10 of job 2`},
	{"extra-kept.easy.csv", "job,start;1,0;2,10;3,2;4,10", `job 4: expected start 2, found 10
backfill: job 4 could have been backfilled: it needs 1 processor and 2 are free at 2, and 1 of 1 extra is left beside job 2 at its shadow time 10`},
	{"extra-twice.easy.csv", "job,start;1,0;2,22;3,2;4,2", `job 4: expected start 15, found 2 (1 other start differs)
shadow: job 4 would delay job 2, the head of the queue, whose shadow time is 10: by its estimate it would end at 22, and it needs 1 processor where 0 of 1 extra are left`},
	{"past-the-shadow.easy.csv", "job,start;1,0;2,11;3,2", `job 3: expected start 15, found 2 (1 other start differs)
shadow: job 3 would delay job 2, the head of the queue, whose shadow time is 10: by its estimate it would end at 11, and it needs 1 processor where 0 of 0 extra are left`},
	{"late-one-second.easy.csv", "job,start;1,0;2,12;3,7;4,17", `job 3: expected start 6, found 7
backfill: job 3 could have been backfilled: it needs 1 processor and 1 is free at 6, and by its estimate it would end at 7, not after the shadow time 7 of job 2. Job 1 has outlived its estimate and is taken to end at 7`},
	{"no-estimate.easy.csv", "job,start;1,0;2,11;3,2;4,11;5,15", `job 3: expected start 15, found 2 (2 other starts differ)
shadow: job 3 would delay job 2, the head of the queue, whose shadow time is 10: by its estimate it would end at 11, and it needs 1 processor where 0 of 0 extra are left. Job 3 states no estimate: its run time of 9 s counts`},
	{"past-the-shadow.easy.csv", "job,start;1,0;2,10;3,14", `job 3: expected start 15, found 14
capacity: job 3 needs 1 processor, and at 14 job 2 holds 4 of 4`},
	{"second-in-line.easy.csv", "job,start;1,0;2,10;3,23;4,4", `job 4: expected start 3, found 4
backfill: job 4 could have been backfilled: it needs 1 processor and 1 is free at 3, and 1 of 1 extra is left beside job 2 at its shadow time 10`},
	{"wider-than-extra.easy.csv", "job,start;1,0;2,10;3,15;4,7", `job 4: expected start 15, found 7
no-instant: nothing ends and nothing is submitted at 7, so that nothing can start`},
	{"second-in-line.conservative.csv", "job,start;1,0;2,10;3,23;4,3", `job 4: expected start 20, found 3 (1 other start differs)
reservation: job 4 would delay job 3, which has 4 processors reserved from 15: by its estimate job 4 would hold its 1 processor until 23, and 0 are not reserved then. Its own reservation is 20`},
	{"second-in-line.conservative.csv", "job,start;1,0;2,10;3,15;4,4", `job 4: expected start 20, found 4
no-instant: nothing ends, nothing is submitted and no reservation that could be kept is due at 4. The reservation of job 4 is 20`},
	{"hole-at-the-front.conservative.csv", "job,start;1,0;2,10;3,15;4,20;5,15;6,20", `job 4: expected start 3, found 20
hole: the reservation of job 4, made at 3, is 3, the first time from which 2 processors are neither held nor reserved for its estimate of 7 s. A hole may lie before the reservation of a job ahead, here of job 2`},
	{"compression.conservative.csv", "job,start;1,0;2,3;3,10;4,15", `job 3: expected start 8, found 10 (1 other start differs)
compression: the reservation of job 3 moves at 3 from 15 to 8: a job ends early then, and in the order of the queue each job exchanges its reservation for the earliest that there is. Job 2 ends at 8, and what ends at a second frees its processors before anything starts`},
	{"reservation-due.conservative.csv", "job,start;1,0;2,8;3,1;4,4", `job 2: expected start 10, found 8
compression: the reservation of job 2 is 10: a reservation moves forward only at an instant at which a job ends early, once for each job in the order of the queue, while those of the jobs behind stay`},
	{"late-one-second.conservative.csv", "job,start;1,0;2,12;3,8;4,17", `job 3: expected start 6, found 8
hole: the reservation of job 3, made at 6, is 6, the first time from which 1 processor is neither held nor reserved for its estimate of 1 s. A hole may lie before the reservation of a job ahead, here of job 2. Job 1 has outlived its estimate and is taken to end at 7`},
	{"no-alarm.conservative.csv", "job,start;1,0;2,2;3,1;4,2;5,10;6,8", `job 6: expected start 9, found 8
no-instant: nothing ends, nothing is submitted and no reservation that could be kept is due at 8. The reservation of job 6 is 9. Job 4 has outlived its estimate and is taken to end at 9`},
	{"runs-on.conservative.csv", "job,start;1,0;2,23;3,2;4,27", `job 2: expected start 22, found 23
reservation: the reservation of job 2 moves at 22 from 13 to 22: a job has outlived its estimate, so that all reservations are made again. Job 3 ends at 22, and what ends at a second frees its processors before anything starts`},
}

// TestWrongStarts: the first difference, and the rule in words.
func TestWrongStarts(t *testing.T) {
	set := open(t)
	for _, c := range wrongStarts {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(c.text, ";", "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := set.Check(context.Background(), []string{path})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if d := report.Results[0].Difference; d == nil || d.String() != c.want {
			t.Errorf("%s: %s: found\n%v\nexpected\n%s", c.file, c.text, d, c.want)
		}
	}
}

// TestAnyChangeIsFound: whatever start is changed, it is found as the first difference, and something is said of it.
func TestAnyChangeIsFound(t *testing.T) {
	set := open(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(set.Workloads).Filter(func(name string) bool { return !strings.HasPrefix(name, "thousand") }).Draw(t, "workload")
		policy := rapid.SampledFrom(golden.Policies()).Draw(t, "policy")
		w, err := set.Workload(name)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := set.Schedule(w, policy)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := golden.Compare(context.Background(), w, policy, reference, reference); d != nil || err != nil {
			t.Fatalf("the reference differs from itself: %v, %v", d, err)
		}
		changed := append(golden.Schedule{}, reference...)
		k := rapid.IntRange(0, len(changed)-1).Draw(t, "job")
		was := changed[k].Start
		changed[k] = golden.Place{Start: rapid.SampledFrom([]float64{math.NaN(), 0, 1, 2, 3, 5, 8, 10, 12.5, 15, 1e15}).Draw(t, "start"), End: math.NaN()}
		d, err := golden.Compare(context.Background(), w, policy, reference, changed)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(was) == fmt.Sprint(changed[k].Start) {
			if d != nil {
				t.Fatalf("no start was changed, found %s", d)
			}
			return
		}
		if d == nil || d.Job != w.Jobs[k].ID || d.Others != 0 || d.Text == "" || d.Rule == golden.Unexplained {
			t.Fatalf("%s.%s: job %s from %v to %v: found %v", name, policy, w.Jobs[k].ID, was, changed[k].Start, d)
		}
	})
}
