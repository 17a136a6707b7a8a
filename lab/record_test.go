package lab

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// recordedJobs are four jobs of one processor that were recorded to wait for 0, 100, 200 and 900 s.
func recordedJobs(t *testing.T, caveats ...string) (*model.Instance, func(waits ...float64) *model.Solution) {
	var jobs []model.JobSpec
	for k, wait := range []float64{0, 100, 200, 900} {
		arrival := float64(1000 * k)
		jobs = append(jobs, model.JobSpec{ID: string(rune('a' + k)), Arrival: arrival, Work: new(50.0), Recorded: new(arrival + wait), User: "u"})
	}
	b := model.NewBuilder("lab").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}).Job(jobs...)
	b.Spec().Caveats = caveats
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, func(waits ...float64) *model.Solution {
		s := &model.Solution{}
		for k, wait := range waits {
			start := jobs[k].Arrival + wait
			s.Jobs = append(s.Jobs, placed(jobs[k].ID, 1, start, start+50))
		}
		return s
	}
}

// TestRecordByHand: waits 0, 100, 200 and 900 have the mean 300 and the median 150, which is off by 150, 50, 50 and 750: 250 on average.
func TestRecordByHand(t *testing.T) {
	in, under := recordedJobs(t, "reservations")
	r, err := Compare(t.Context(), in, []Run{
		{"none", true, under(0, 0, 0, 0)},         // off by 300
		{"near", true, under(0, 100, 300, 800)},   // off by 50, the same mean
		{"seer", false, under(0, 100, 200, 900)},  // it plans ahead, so it is none of those that may explain
		{"half", true, under(0, 100, 200)},        // it leaves a job out; the others are right
		{"mean", true, under(900, 200, 100, 100)}, // off by (900+100+100+800)/4; its mean is near
	}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	record := r.Record
	if record.Jobs != 4 || record.Classes[0].Wait.Mean != 300 || record.Classes[0].Wait.Median != 150 || record.OffByMedian != 250 {
		t.Errorf("got %+v, %+v", record, record.Classes[0].Wait)
	}
	for k, want := range []Fit{
		{"none", 4, 0, 300, 300, false, nil}, {"near", 4, 300, 300, 50, true, nil}, {"half", 3, 100, 100, 0, false, nil}, {"mean", 4, 325, 300, 475, false, nil},
	} {
		if got := record.Fits[k]; !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if record.Nearest != "near" || !record.Explained {
		t.Errorf("got %s, %v", record.Nearest, record.Explained)
	}
	text := r.Text()
	const answer = "No difference from none in the mean wait is shown for near (+5 min), half (+1 min 40 s) and mean (+5 min 25 s): too few days for an interval (1 day in blocks of 3; 10 blocks with jobs are needed). " +
		"The longest wait under mean grows from 0 s to 15 min. Jobs without a place: 1 under half. Only jobs that both policies place are compared. "
	if !strings.HasPrefix(flat(text), answer+"The simulation fits what was recorded: mean wait 5 min recorded, 5 min under near. lab: ") {
		t.Errorf("got\n%s", text)
	}
	if want := "recorded: mean wait 5 min; nearest is near with 5 min, whose starts are off by 50 s on average (4 min 10 s, if one says the median wait for every job) on line "; !strings.Contains(flat(text), want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	online, ahead, _ := strings.Cut(text, "plans ahead")
	if strings.Count(online, "\n│ recorded ") != 2 || strings.Contains(ahead, "recorded") {
		t.Errorf("the record is a row of the first group alone, and no policy:\n%s", text)
	}
	var rows bytes.Buffer
	if err := r.WriteCSV(&rows); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(rows.String(), "\nrecord,recorded,all,all jobs,4,300,150,") {
		t.Errorf("got\n%s", rows.String())
	}
}

// TestNothingExplainsTheRecord: the answer says so before any advice.
func TestNothingExplainsTheRecord(t *testing.T) {
	in, under := recordedJobs(t)
	r, err := Compare(t.Context(), in, []Run{{"none", true, under(0, 0, 0, 0)}, {"less", true, under(0, 0, 0, 100)}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	text := r.Text()
	const want = "No simulated policy explains what happened here (mean wait 5 min recorded, 25 s simulated under less): "
	if !strings.HasPrefix(flat(text), want) {
		t.Errorf("got\n%s\nwant %s", text, want)
	}
	if r.Record.Explained || r.Record.Nearest != "less" {
		t.Errorf("got %+v", r.Record)
	}
}

// TestRounds: where nobody waited, a policy that is off by less than a minute explains the record.
func TestRounds(t *testing.T) {
	in, err := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}).
		Job(model.JobSpec{ID: "a", Work: new(50.0), Recorded: new(3.0)}, model.JobSpec{ID: "b", Arrival: 500, Work: new(50.0), Recorded: new(503.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for late, want := range map[float64]bool{0: true, 63: true, 64: false} {
		r, err := Compare(t.Context(), in, []Run{{"p", true, &model.Solution{Jobs: []model.Placement{placed("a", 1, late, late+50), placed("b", 1, 500+late, 550+late)}}}}, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Record.Fits[0]; got.Explains != want || math.Abs(got.Off-math.Abs(late-3)) > 1e-12 {
			t.Errorf("%v s late: got %+v", late, got)
		}
	}
}

// TestWithoutRecord: an instance without recorded starts has no record, and neither has one with other arrivals.
func TestWithoutRecord(t *testing.T) {
	in, runs := small(t)
	r, err := Compare(t.Context(), in, runs, Defaults())
	if err != nil || r.Record != nil || strings.Contains(r.Text(), "recorded") {
		t.Errorf("got %+v, %v", r, err)
	}
	recorded, under := recordedJobs(t)
	loaded, err := WithLoad(recorded, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = Compare(t.Context(), loaded, []Run{{"p", true, under(0, 0, 0, 0)}}, Defaults()); err != nil || r.Record != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}
