package lab

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// sitedRecord is an instance with a recorded start for each job and the policy of a site, and the schedule in which every job starts at its arrival plus a delay.
func sitedRecord(t interface{ Fatal(args ...any) }, processors int, jobs []model.JobSpec, delay float64) (*model.Instance, Run) {
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Policy: "backfill", Units: &model.Units{Time: "s"}, Jobs: jobs,
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: processors}}}}})
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{}
	for _, j := range jobs {
		at := j.Arrival + delay
		sol.Jobs = append(sol.Jobs, model.Placement{Job: j.ID, Cluster: "c", Processors: model.Processors(0), Start: at, End: at + *j.Work})
	}
	return in, Run{Policy: Site, Online: true, Solution: sol}
}

// recordedJob is a job of a record.
func recordedJob(id int, user string, arrival, start, length float64, width int) model.JobSpec {
	return model.JobSpec{ID: fmt.Sprint(id), User: user, Queue: "q", Arrival: arrival, Recorded: &start, Work: &length, Estimate: &length, Processors: model.Rigid(width), Tasks: 1}
}

// What the record shows is counted again, second by second: the processors busy at once, and the jobs that waited although there was room.
func TestRecordShowsBySweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		processors := rapid.IntRange(1, 8).Draw(t, "processors")
		var jobs []model.JobSpec
		for k := range rapid.IntRange(1, 40).Draw(t, "jobs") {
			arrival := 10 * float64(rapid.IntRange(0, 60).Draw(t, "arrival"))
			wait := 10 * float64(rapid.IntRange(0, 12).Draw(t, "wait"))
			length := 10 * float64(rapid.IntRange(1, 20).Draw(t, "length"))
			jobs = append(jobs, recordedJob(k, "u", arrival, arrival+wait, length, rapid.IntRange(1, processors).Draw(t, "width")))
		}
		in, _ := sitedRecord(t, processors, jobs, 0)
		busy := func(at float64) (held int) {
			for _, j := range jobs {
				if *j.Recorded <= at && at < *j.Recorded+*j.Work {
					held += j.Processors.Min
				}
			}
			return held
		}
		most, room := 0, 0
		for at := 0.0; at < 1000; at += 10 {
			most = max(most, busy(at))
		}
		for _, j := range jobs {
			at := *j.Recorded
			for at-10 >= j.Arrival && processors-busy(at-10) >= j.Processors.Min {
				at -= 10
			}
			if *j.Recorded-at > 60 {
				room++
			}
		}
		said := strings.Join(recordShows(in), "\n")
		if want := fmt.Sprintf("%d processors busy at once where %d are stated", most, processors); strings.Contains(said, want) != (most > processors) {
			t.Fatalf("%q, and %d of %d processors are busy", said, most, processors)
		}
		if want := fmt.Sprintf("%d jobs that waited for more than a minute although as many processors were free", room); strings.Contains(said, want) != (room >= 10) {
			t.Fatalf("%q, and %d of %d jobs wait with room", said, room, len(jobs))
		}
	})
}

// The reasons of each kind: limits of users, nothing for hours, and jobs without a time limit; none where the record is what a simulation makes of it.
func TestReasonsOfARecord(t *testing.T) {
	var limited, quiet, unlimited []model.JobSpec
	for k := range 20 { // one job of a user at a time, on four processors
		limited = append(limited, recordedJob(k, "u", 0, 1000*float64(k), 1000, 1))
		at := 86400 * float64(k)
		quiet = append(quiet, recordedJob(k, fmt.Sprint("u", k), at, at+40000, 100, 1))
		long := recordedJob(k, "u", at, at, 100, 1)
		long.Estimate = new(float64(yearSeconds))
		unlimited = append(unlimited, long)
	}
	for name, c := range map[string]struct {
		jobs []model.JobSpec
		want string
	}{"limited": {limited, "limits of users or accounts"}, "quiet": {quiet, "nothing started or ended for 11 h 7 min"}, "unlimited": {unlimited, "100 % of the jobs without a time limit"}} {
		in, _ := sitedRecord(t, 4, c.jobs, 0)
		if said := strings.Join(recordShows(in), "\n"); !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}

// The rule of what explains a record holds back what rests on a replay, in all forms, unless somebody wants it anyway; without a record, and of an instance that states no policy, nothing is held
// back.
func TestHeldBack(t *testing.T) {
	var jobs []model.JobSpec
	for k := range 20 {
		jobs = append(jobs, recordedJob(k, "u", 1000*float64(k), 1000*float64(k)+float64(100*(k%5)), 50, 1))
	}
	compare := func(jobs []model.JobSpec, delay float64, anyway bool) *Report {
		in, run := sitedRecord(t, 4, jobs, delay)
		opt := Defaults()
		opt.AsSite, opt.Anyway = true, anyway
		other := run
		other.Policy = "other"
		r, err := Compare(t.Context(), in, []Run{run, other}, opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := compare(jobs, 5000, false)
	if r.Unexplained == nil || !r.Unexplained.Withheld || len(r.Groups) > 0 || len(r.Record.Fits) != 1 || strings.Contains(r.Text(), "other") || !strings.Contains(r.Text(), "does not explain the record") {
		t.Errorf("not held back: %s", r.Text())
	}
	if r = compare(jobs, 5000, true); r.Unexplained == nil || r.Unexplained.Withheld || len(r.Groups) != 1 || !strings.Contains(r.Text(), "does not explain the record") {
		t.Errorf("anyway: %s", r.Text())
	}
	var unrecorded []model.JobSpec
	for _, j := range jobs {
		j.Recorded = nil
		unrecorded = append(unrecorded, j)
	}
	if r = compare(unrecorded, 5000, false); r.Unexplained != nil || len(r.Groups) != 1 || !strings.Contains(r.Text(), "no record of starts") {
		t.Errorf("without a record: %s", r.Text())
	}
	exact := make([]model.JobSpec, len(jobs))
	for k, j := range jobs {
		exact[k] = j
		exact[k].Recorded = new(j.Arrival)
	}
	if r = compare(exact, 0, false); r.Unexplained != nil || !strings.Contains(r.Text(), "The site's policy explains the record") || len(r.Record.Fits[0].Queues) != 1 {
		t.Errorf("explained: %s", r.Text())
	}
}
