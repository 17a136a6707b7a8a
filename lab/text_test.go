package lab

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (−want +got):\n%s", name, diff)
	}
}

// site is 900 jobs of 90 days from 2026-01-10 on, of users in two accounts and queues, with what was recorded, and schedules under policies of the given names: each makes the jobs of some
// users wait longer, and the others less.
func site(t testing.TB, users []string, caveats []string, policies ...string) (*model.Instance, []Run) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	b := model.NewBuilder("site").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 64}}})
	b.Spec().Caveats, b.Spec().TimeZero, b.Spec().TimeZone = caveats, new(1768003200.0), "UTC"
	runs := make([]Run, len(policies))
	for k, name := range policies {
		runs[k] = Run{name, k < len(policies)-1 || len(policies) < 4, &model.Solution{}} // the last of many plans ahead
	}
	for k := range 900 {
		id, at, takes, wide := fmt.Sprint("j", k), 8640*float64(k), 60*float64(1+rng.IntN(200)), 1+rng.IntN(16)
		wait := 600 * rng.ExpFloat64()
		who := k % len(users)
		b.Job(model.JobSpec{ID: id, Work: new(takes), Processors: model.Rigid(wide), Arrival: at, User: users[who], Group: []string{"physics", "chemistry"}[who%2],
			Queue: []string{"cpu", "gpu", "cpu"}[k%3], Recorded: new(at + 1.1*wait)})
		for p := range runs {
			factor := 1.0
			if p > 0 {
				factor = []float64{0.5, 2, 1}[(who+p)%3] * (0.9 + 0.2*rng.Float64())
			}
			start := at + wait*factor
			runs[p].Solution.Jobs = append(runs[p].Solution.Jobs, placed(id, wide, start, start+takes))
		}
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, runs
}

// Of a text no line is wider than 80 cells, whatever the names of policies, users, queues and the trace are, and however many policies there are. The answer comes first.
func TestTextFits(t *testing.T) {
	long := strings.Repeat("a-very-long-name_", 20)
	var many []string
	for k := range 12 {
		many = append(many, fmt.Sprintf("easy:depth=%d:order=sjf:bound_wait=172800", k+1))
	}
	for name, c := range map[string]struct{ users, caveats, policies []string }{
		"two":        {[]string{"a", "b", "c"}, nil, []string{"easy", "easy:depth=5"}},
		"one":        {[]string{"a"}, nil, []string{"easy"}},
		"many":       {[]string{"a", "b", "c"}, []string{"reservations"}, many},
		"long":       {[]string{long + "1", long + "2", "用户" + long}, []string{long, strings.Repeat("many words ", 40)}, []string{"easy", "exec-online:python3 " + long + "=1", "exec-online:python3 " + long + "=2", "計算機の方針" + long}},
		"no blanks":  {[]string{strings.Repeat("x", 300)}, nil, []string{strings.Repeat("y", 300), strings.Repeat("z", 300)}},
		"wide":       {[]string{strings.Repeat("宽", 100)}, nil, []string{strings.Repeat("字", 99), strings.Repeat("字", 100)}},
		"whitespace": {[]string{"a\nb", "\x1b[31mred"}, []string{"a\nb"}, []string{"x\ny", "x  y "}},
	} {
		in, runs := site(t, c.users, c.caveats, c.policies...)
		for _, opt := range []Options{Defaults(), func() Options { o := Defaults(); o.Day = 864000; return o }()} {
			r, err := Compare(t.Context(), in, runs, opt)
			if err != nil {
				t.Fatal(err)
			}
			text := r.Text()
			for line := range strings.Lines(text) {
				if got := texttable.Cells(strings.TrimSuffix(line, "\n")); got > 80 || strings.ContainsRune(line, '\x1b') {
					t.Errorf("%s: %d cells: %q", name, got, line)
				}
			}
			joined := func(text string) string { return strings.Join(strings.Fields(text), "") } // a long word is broken
			if first := r.Answer()[0]; !strings.HasPrefix(joined(text), joined(first)) {
				t.Errorf("%s: begins with %q, expected %q", name, text[:200], first)
			}
		}
	}
}

// The whole text of a site whose policies differ, with dates, accounts, queues, a record and a policy that plans ahead.
func TestTextOfASite(t *testing.T) {
	in, runs := site(t, []string{"ada", "bob", "cyd", "dan"}, []string{"210 of 900 jobs (23.3 %) are touched by what the instance leaves out: 210 quality of service"}, "easy", "easy:order=sjf", "easy:order=sjf:bound_wait=172800", "fcfs-list")
	r, err := Compare(t.Context(), in, runs, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "site.txt", r.Text())
}

// What the answer says in each case.
func TestAnswer(t *testing.T) {
	d := func(mean float64, holm float64) *Difference {
		return &Difference{Jobs: 10, Mean: mean, First: 100, Ratio: new(1 + mean/100), RatioLow: new(1 + mean/100 - 0.01), RatioHigh: new(1 + mean/100 + 0.01), Low: new(mean - 1), High: new(mean + 1), P: new(holm), Holm: new(holm), Greater: 4, Less: 5}
	}
	policy := func(name string, wait *Difference, classes ...Class) Policy {
		return Policy{Name: name, Classes: append([]Class{{Kind: kindAll, Wait: &Spread{Mean: 100, Max: 500}, WaitDifference: wait}}, classes...)}
	}
	user := func(name string, wait *Difference) Class {
		return Class{Kind: kindUser, Name: name, WaitDifference: wait}
	}
	first := policy("first", nil)
	same, left, trap := d(0, 1), policy("left", d(-10, 0.01)), policy("trap", d(-10, 0.01), user("u", d(-20, 0.01)))
	same.Greater, same.Less = 0, 0
	left.LeftOut = 3
	trap.Classes[0].Wait = &Spread{Mean: 90, Max: 800}
	for name, c := range map[string]struct {
		policies []Policy
		tests    int
		want     []string
	}{
		"better": {[]Policy{first, policy("b", d(-20, 0.01), user("u", d(-20, 0.01)), user("v", d(5, 0.2)), user("w", nil))}, 2,
			[]string{"b is shown to be better than first: mean wait −20.0 % [−21.0 %, −19.0 %], −20 s.", "Nobody is shown to pay: of 2 classes tested none is shown to wait longer, 1 perhaps; 1 could not be tested."}},
		"who pays": {[]Policy{first, policy("b", d(-20, 0.01), user("u", d(30, 0.01)), user("v", d(5, 0.01)), user("w", d(5, 0.01)), user("x", d(5, 0.01)))}, 2,
			[]string{"b is shown to be better than first: mean wait −20.0 % [−21.0 %, −19.0 %], −20 s.", "Who pays: user u +30 s (+30.0 %); user v +5 s (+5.0 %); user w +5 s (+5.0 %); 1 more."}},
		"worse": {[]Policy{first, policy("b", d(20, 0.01))}, 2,
			[]string{"b is shown to be worse than first: mean wait +20.0 % [+19.0 %, +21.0 %], +20 s.", "Who pays is not known: no class of jobs has enough blocks of days."}},
		"order": {[]Policy{first, policy("b", d(-10, 0.01), user("u", d(0, 1))), policy("c", d(-20, 0.01), user("u", d(0, 1))), policy("d", d(7, 0.01)), policy("e", d(9, 0.01)), policy("f", d(3, 0.3)), policy("g", same)}, 2,
			[]string{"c is shown to be better than first: mean wait −20.0 % [−21.0 %, −19.0 %], −20 s.", "Nobody is shown to pay under c: of 1 class tested none is shown to wait longer.", "b (−10.0 % [−11.0 %, −9.0 %]) is shown to be better too.",
				"e (+9.0 % [+8.0 %, +10.0 %]) and d (+7.0 % [+6.0 %, +8.0 %]) are shown to be worse than first.",
				"No difference from first in the mean wait is shown for f (+3.0 % [+2.0 %, +4.0 %]): among so many comparisons an interval that leaves 0 out may be chance.", "Under g every job waits as long as under first."}},
		"none better": {[]Policy{first, policy("b", d(20, 0.01), user("u", d(0, 1))), policy("c", d(0.5, 0.7))}, 2,
			[]string{"No policy is shown to be better than first.", "b is shown to be worse than first: mean wait +20.0 % [+19.0 %, +21.0 %], +20 s.", "Nobody is shown to pay under b: of 1 class tested none is shown to wait longer.",
				"No difference from first in the mean wait is shown for c (+0.5 % [−0.5 %, +1.5 %])."}},
		"perhaps better": {[]Policy{first, policy("b", d(-3, 0.3))}, 2,
			[]string{"No difference from first in the mean wait is shown for b (−3.0 % [−4.0 %, −2.0 %]): among so many comparisons an interval that leaves 0 out may be chance."}},
		"a trap": {[]Policy{first, trap}, 2,
			[]string{"trap is shown to be better than first: mean wait −10.0 % [−11.0 %, −9.0 %], −10 s.", "Nobody is shown to pay: of 1 class tested none is shown to wait longer.", "The longest wait grows from 8 min 20 s to 13 min 20 s."}},
		"left out": {[]Policy{first, left}, 2,
			[]string{"left is shown to be better than first: mean wait −10.0 % [−11.0 %, −9.0 %], −10 s.", "Who pays is not known: no class of jobs has enough blocks of days.", "Jobs without a place: 3 under left. Only jobs that both policies place are compared."}},
		"alone": {[]Policy{first}, 0, []string{"Only first ran (on line), so nothing is compared: its mean wait is 1 min 40 s."}},
		"apart": {[]Policy{first, policy("b", nil)}, 0, []string{"Nothing is known of b: no job is placed by both it and first."}},
	} {
		r := &Report{Time: "s", Confidence: 0.95, Days: 20, Block: 3, Groups: []Group{{Online: true, Policies: c.policies, Tests: map[string]int{kindAll: c.tests}}}}
		if diff := cmp.Diff(c.want, r.Answer()); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
}

// Accounts that part the jobs as users do, or outnumber users, say nothing of their own; others are a class each.
func TestAccounts(t *testing.T) {
	kinds := func(accounts []string) map[string]int {
		b := model.NewBuilder("lab").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
		for k, account := range accounts {
			b.Job(model.JobSpec{ID: fmt.Sprint(k), Work: new(1.0), User: []string{"u", "v"}[k%2], Group: account})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, c := range newStudy(t.Context(), in, Defaults()).classes {
			count[c.kind]++
		}
		return count
	}
	for name, c := range map[string]struct {
		accounts []string
		want     int
	}{
		"as users": {[]string{"7", "8", "7", "8"}, 0}, "none": {[]string{"", "", "", ""}, 0}, "one": {[]string{"p", "p", "p", "p"}, 1}, "across": {[]string{"p", "p", "q", "q"}, 2}, "some": {[]string{"7", "", "7", ""}, 1}, "more than users": {[]string{"p", "q", "r", "p"}, 0},
	} {
		if got := kinds(c.accounts); got[kindAccount] != c.want || got[kindUser] != 2 {
			t.Errorf("%s: %v, expected %d accounts", name, got, c.want)
		}
	}
}

// The periods of a window: days, weeks or months, of the calendar in the zone of the instance where it has dates. 1768003200 is 2026-01-10T00:00:00Z, a Saturday, by another program (date -u).
func TestPeriods(t *testing.T) {
	for name, c := range map[string]struct {
		zone string
		days []float64 // of arrivals, after the first
		want string
	}{
		"days without dates":   {"", []float64{0, 1.5, 3}, "day 1: 1, day 2: 1, day 3: 0, day 4: 1"},
		"weeks without dates":  {"", []float64{0, 6.9, 15}, "days 1 to 7: 2, days 8 to 14: 0, days 15 to 21: 1"},
		"months without dates": {"", []float64{0, 30, 61}, "days 1 to 30: 1, days 31 to 60: 1, days 61 to 90: 1"},
		"days":                 {"UTC", []float64{0, 0.99, 1, 2}, "2026-01-10: 2, 2026-01-11: 1, 2026-01-12: 1"},
		"days elsewhere":       {"America/New_York", []float64{0, 0.99, 1, 2}, "2026-01-09: 1, 2026-01-10: 2, 2026-01-11: 1"},
		"weeks":                {"UTC", []float64{0, 1.99, 2, 20}, "week of 2026-01-05: 2, week of 2026-01-12: 1, week of 2026-01-19: 0, week of 2026-01-26: 1"},
		"months":               {"UTC", []float64{0, 21.99, 22, 80}, "2026-01: 2, 2026-02: 1, 2026-03: 1"},
		"one":                  {"UTC", []float64{0}, "2026-01-10: 1"},
	} {
		b := model.NewBuilder("lab").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		if c.zone != "" {
			b.Spec().TimeZero, b.Spec().TimeZone = new(1768003200.0-1000), c.zone
		}
		for k, day := range c.days {
			b.Job(model.JobSpec{ID: fmt.Sprint(k), Work: new(1.0), Arrival: 1000 + 86400*day})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, class := range newStudy(t.Context(), in, Defaults()).periods() {
			got = append(got, fmt.Sprintf("%s: %d", class.name, len(class.jobs)))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s\nexpected %s", name, text, c.want)
		}
	}
	// A thousand years are not 12,000 months.
	in := instance(t, model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(1.0), Arrival: 86400 * 365 * 1000})
	if list := newStudy(t.Context(), in, Defaults()).periods(); len(list) > 250 || len(list[0].jobs) != 1 || len(list[len(list)-1].jobs) != 1 {
		t.Errorf("%d periods", len(list))
	}
}
