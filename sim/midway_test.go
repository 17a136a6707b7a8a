package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// entries is a list of entries.
type entries []sim.Entry

func (l *entries) Next(e *sim.Entry) bool {
	if len(*l) == 0 {
		return false
	}
	*e, *l = (*l)[0], (*l)[1:]
	return true
}

// firstPart keeps what the first job got.
type firstPart struct {
	part  sim.Part
	since float64
	ends  map[string]float64
}

func (f *firstPart) Arrived(float64, *sim.Job) {}
func (f *firstPart) Started(now float64, j *sim.Job, parts []sim.Part) {
	if j.Request.ID == "a" {
		f.part, f.since = parts[0], now
	}
}
func (f *firstPart) Left(now float64, j *sim.Job, _ sim.Outcome, _ string) {
	f.ends[j.Request.ID] = now
}
func (f *firstPart) Decided(float64) {}

// A run that begins in the middle goes on with a job that runs as the whole run did, where the policy can take it over and the job still runs; where not, that is an error.
func TestRunsThatBeginInTheMiddle(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}, Licences: map[string]int{}}).Job(
		model.JobSpec{ID: "a", Work: new(10.0), Processors: model.Rigid(2)}, model.JobSpec{ID: "b", Arrival: 4, Work: new(3.0)},
	).Build()
	if err != nil {
		t.Fatal(err)
	}
	easy := backfill.EASY(1, 1, backfill.Ranking{})
	whole := &firstPart{ends: map[string]float64{}}
	if _, _, err := sim.Simulate(t.Context(), in, easy, sim.Options{Observer: whole}); err != nil {
		t.Fatal(err)
	}
	b := model.NewBuilder("")
	b.Spec().Horizon = &model.HorizonSpec{To: 100}
	outside, err := b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(model.JobSpec{ID: "a", Work: new(10.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.SimulateFrom(t.Context(), outside, &entries{}, easy, sim.Options{}); !errors.Is(err, sim.ErrHorizon) {
		t.Errorf("with a horizon: %v", err)
	}
	never := sim.Discipline{General: func(*sim.Platform, uint64) sim.Policy { return &hold{decide: func(*hold, *sim.Engine) {}} }}
	for name, c := range map[string]struct {
		policy sim.Discipline
		begins float64
		want   string
	}{
		"goes on":              {easy, 6, ""},
		"goes on to its end":   {easy, 10, ""},
		"has ended":            {easy, 11, "has run since 0 and ends at 10, before the run begins at 11"},
		"cannot be taken over": {never, 6, "job a runs already, and the policy cannot take it over"},
	} {
		seen := &firstPart{ends: map[string]float64{}}
		list := &entries{{Job: 0, Arrival: c.begins, Waited: c.begins, Runs: &whole.part, Since: whole.since}, {Job: 1, Arrival: c.begins, Waited: c.begins - 4}}
		_, err := sim.SimulateFrom(t.Context(), in, list, c.policy, sim.Options{Observer: seen})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			continue
		}
		if err != nil || seen.ends["a"] != whole.ends["a"] || seen.ends["b"] != whole.ends["b"] {
			t.Errorf("%s: ends %v, %v; the whole run has %v", name, seen.ends, err, whole.ends)
		}
	}
}
