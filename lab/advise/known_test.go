package advise

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// monthly are jobs of two users in each of 12 months: the user big has a thousand, the user small the given number, spread over the days. All run for 1000 s, except those of small for which odd says otherwise.
func monthly(small int, odd func(month, k int) bool) []Past {
	var jobs []Past
	add := func(user string, month, k, n int, used float64) {
		at := float64(month)*Month + float64(k)*Month/float64(n)
		jobs = append(jobs, Past{Kind: Kind{User: user, Requested: 86400}, Arrival: at, End: at + used, Used: used, Processors: 1})
	}
	for month := range 12 {
		for k := range 1000 {
			add("big", month, k, 1000, 1000)
		}
		for k := range small {
			used := 1000.0
			if odd != nil && odd(month, k) {
				used = 20000
			}
			add("small", month, k, small, used)
		}
	}
	return jobs
}

// stateOf is what advice says of a user, and how many jobs of the last month got a limit.
func stateOf(a *Advice, jobs []Past, user string) (state State, given int) {
	for _, l := range a.Limits {
		if l.User == user {
			state = l.State
		}
	}
	for k, j := range jobs {
		if j.Kind.User == user && j.Arrival >= 11*Month && a.Given[k] > 0 {
			given++
		}
	}
	return state, given
}

// A kind of which fewer jobs are known than the confidence needs is tried, but gets no advice: 299 jobs are needed for 1 in 100 at 95 %.
func TestTooFewForConfidence(t *testing.T) {
	for _, c := range []struct {
		small int // a month; six of them count, of which the last day is not known yet
		want  State
	}{{40, tooFew}, {60, Advised}} {
		jobs := monthly(c.small, nil)
		a := advise(jobs, Rules{Risk: 0.01, Confidence: 0.95})
		if state, given := stateOf(a, jobs, "big"); state != Advised || given != 1000 {
			t.Fatalf("big: %s, %d jobs of the last month with advice", state, given)
		}
		if state, given := stateOf(a, jobs, "small"); state != c.want || (given > 0) != (c.want == Advised) {
			t.Errorf("%d jobs a month: %s, %d jobs of the last month with advice; expected %s", c.small, state, given, c.want)
		}
	}
}

// Jobs enough on too few days, or of no time, are not called too few.
func TestEnoughIsNotTooFew(t *testing.T) {
	for _, c := range []struct{ jobs, every, used float64 }{{400, 60, 600}, {400, 6000, 0}, {100, 60, 600}} {
		var jobs []Past
		for k := range int(c.jobs) {
			at := float64(k) * c.every
			jobs = append(jobs, Past{Kind{User: "u", Requested: 7200}, at, at + c.used, c.used, 1})
		}
		jobs = append(jobs, Past{Kind{User: "later"}, 40 * 86400, 40 * 86400, 0, 1})
		l := &advise(jobs, Rules{Risk: 0.01, Confidence: 0.95}).Limits[0]
		if few := strings.HasSuffix(l.what(299), "too few"); l.User != "u" || l.State != tooFew || few != (c.jobs < 299) {
			t.Errorf("%+v: %+v, %q", c, l, l.what(299))
		}
	}
}

// A kind of which a month would have had more than the risk killed, by however little, gets no advice for six months, though all of the site kept half of the risk.
func TestContradicted(t *testing.T) {
	race.OneGoroutine(t)
	for _, c := range []struct {
		month, killed int
		want          State
	}{{8, 15, contradicted}, {8, 9, Advised}, {4, 15, Advised}, {11, 15, contradicted}} {
		jobs := monthly(100, func(month, k int) bool { return month == c.month && k >= 40 && k < 40+c.killed })
		a := advise(jobs, Rules{Risk: 0.1, Confidence: 0.95})
		if !a.Walk.Holds() {
			t.Fatalf("%+v", a.Walk)
		}
		if state, _ := stateOf(a, jobs, "small"); state != c.want {
			t.Errorf("%d of 100 killed in month %d: %s, expected %s", c.killed, c.month, state, c.want)
		}
	}
}

// The names of queues in the caveats are replaced too where the instance has no partitions of these names.
func TestQueuesOfCaveats(t *testing.T) {
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Name: "n", Caveats: []string{"partitions secret (at most 4 at one time), hidden are merged"},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}},
		Jobs:     []model.JobSpec{{ID: "1", Processors: model.Rigid(1), Work: new(1.0), Queue: "secret"}, {ID: "2", Processors: model.Rigid(1), Work: new(1.0), Queue: "hidden"}}})
	if err != nil {
		t.Fatal(err)
	}
	anonymous, _, hide, err := Anonymised(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "partitions Q1 (at most 4 at one time), Q2 are merged"
	if got := strings.Join(anonymous.Caveats(), "\n"); got != want || hide("secret") != "Q1" {
		t.Errorf("found %q, expected %q", got, want)
	}
}
