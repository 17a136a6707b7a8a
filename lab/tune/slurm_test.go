package tune

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
	"pgregory.net/rapid"

	detector "github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// siteConf is a site whose large jobs go first.
const siteConf = `SchedulerType=sched/backfill
PriorityType=priority/multifactor
PriorityWeightJobSize=100000
PriorityWeightQOS=1000
SchedulerParameters=bf_continue,bf_interval=60
NodeName=cn[1-4] CPUs=16
PartitionName=low Nodes=cn[1-4]
PartitionName=high Nodes=cn[1-4] PriorityJobFactor=100
`

// siteTrace is jobs, 3,200 in six months, on 4 nodes, with a quality of service and one of two partitions each.
func siteTrace(t *testing.T, jobs int) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	b.WriteString("JobID|User|Account|Partition|QOS|State|Submit|Start|End|TimelimitRaw|NCPUS|NNodes\n")
	at := 1767571200
	for k := range jobs {
		at += rng.IntN(10000)
		user := rng.IntN(6)
		run := []int{600, 900, 2400, 7200, 14400, 36000}[user] * (5 + rng.IntN(10)) / 10
		width := []int{4, 8, 16, 16, 32, 32}[user]
		fmt.Fprintf(&b, "%d|u%d|a%d|%s|%s|COMPLETED|%d|%d|%d|%d|%d|%d\n", k, user, user%2, []string{"low", "high"}[k%2], []string{"normal", "urgent"}[rng.IntN(10)/9], at, at, at+run, run/40, width, (width+15)/16)
	}
	reader := slurm.NewTraceReader()
	reader.Processors = 64
	in, _, err := reader.Read(strings.NewReader(b.String()), "site")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// someQualities are those of the trace, as sacctmgr prints them.
const someQualities = "Name|Priority|UsageFactor\nnormal|0|1\nurgent|10|1\n"

// site is the site of a slurm.conf with its trace.
func site(t *testing.T, conf string, in *model.Instance, qualities string) (*model.Instance, *Slurm) {
	t.Helper()
	files, open := slurm.Files{SlurmConf: conf, QOS: qualities}.Texts()
	settings, err := files.Settings(open)
	if err != nil {
		t.Fatal(err)
	}
	if in, err = files.Onto(in, open); err != nil {
		t.Fatal(err)
	}
	s, err := NewSlurm(settings, in)
	if err != nil {
		t.Fatal(err)
	}
	s.Again = func(settings []string) string { return "again " + strings.Join(settings, " ") }
	return in, s
}

// Settings are tuned: the lines, read behind those of the file, are what was found; the same seed gives the same bytes; and what is judged alone is judged the same.
func TestSlurmSettingsAreTuned(t *testing.T) {
	if detector.Enabled {
		t.Skip("hundreds of replays; the other tests share their runs among goroutines too")
	}
	in, of := site(t, siteConf, siteTrace(t, 3200), someQualities)
	tuned := func() (*Space, *Answer) {
		space, err := NewSlurmSpace("backfill:order=slurm", of, []string{"PriorityWeightAge", "PriorityWeightQOS=1..5000", "bf_window=720,1440,2880", "PriorityFavorSmall"})
		if err != nil {
			t.Fatal(err)
		}
		opt := Defaults()
		opt.Limits, opt.Dir, opt.Jobs, opt.Anyway = Limits{Runs: 120}, t.TempDir(), 2, true
		a, err := Trace(t.Context(), space, in, "mean_wait", opt)
		if err != nil {
			t.Fatal(err)
		}
		return space, a
	}
	space, a := tuned()
	if a.Keep || a.SlurmConf == nil || !slices.Contains(a.SlurmConf.Lines, "PriorityFavorSmall=YES") || a.Runs > 120 {
		t.Fatalf("%s", a.Text())
	}
	if !testing.Short() {
		if _, again := tuned(); again.Text() != a.Text() {
			t.Errorf("the same tuning says\n%s\nand\n%s", a.Text(), again.Text())
		}
	}
	changed, err := slurm.ReadSettings(slurm.Source{Reader: strings.NewReader(siteConf + strings.Join(a.SlurmConf.Lines, "\n")), Name: "changed"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	values, err := changed.Parameters()
	if err != nil {
		t.Fatal(err)
	}
	found, err := solve.Choose(a.Found)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range params.Of(found.Solver) {
		if want, stated := values[p.Name]; stated && p.Default != want {
			t.Errorf("%s: the lines say %s, found is %s", p.Name, want, p.Default)
		}
	}
	choice, err := space.SlurmChoice(a.SlurmConf.Settings)
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	held, err := JudgeSlurm(t.Context(), space, in, "mean_wait", choice, opt) // the record has every job start at once, on more processors than there are
	if err != nil || !held.Withheld || held.HeldOut != nil || len(held.SlurmConf.Tried) > 0 || !strings.Contains(held.Text(), "processors busy at once where 64 are stated") {
		t.Errorf("not held back: %v, %s", err, held.Text())
	}
	opt.Anyway = true
	judged, err := JudgeSlurm(t.Context(), space, in, "mean_wait", choice, opt)
	if err != nil {
		t.Fatal(err)
	}
	if *judged.HeldOut.Ratio != *a.HeldOut.Ratio || *judged.HeldOut.High != *a.HeldOut.High || !slices.Equal(judged.SlurmConf.Lines, a.SlurmConf.Lines) {
		t.Errorf("judged alone:\n%s\nexpected\n%s", judged.Text(), a.Text())
	}
	text := a.Text()
	for _, want := range []string{"of slurm.conf\n", "Lines of slurm.conf to change, with what they were:\n\n", "\nPriorityFavorSmall=YES  # was NO\n", "again PriorityFavorSmall=YES", "mean wait by queue"} {
		if !strings.Contains(text, want) {
			t.Errorf("expected %q in\n%s", want, text)
		}
	}
	var page bytes.Buffer
	if err := a.WritePage(&page, "allot tune"); err != nil || !strings.Contains(page.String(), "PriorityFavorSmall=YES") || !strings.Contains(page.String(), "Warning: the nice value") {
		t.Errorf("%v: %s", err, page.String())
	}
}

// What only the site states has a part in the order: the factors of partitions, and the qualities of service of jobs.
func TestSiteCounts(t *testing.T) {
	if detector.Enabled {
		t.Skip("hundreds of replays; the other tests share their runs among goroutines too")
	}
	trace := siteTrace(t, 800)
	wait := func(qualities string, of func(j *model.Job) bool, setting string) (before, after float64) {
		in, stated := site(t, siteConf, trace, qualities)
		space, err := NewSlurmSpace("backfill:order=slurm", stated, nil)
		if err != nil {
			t.Fatal(err)
		}
		choice, err := space.SlurmChoice([]string{setting})
		if err != nil {
			t.Fatal(err)
		}
		mean := func(c *solve.Choice) float64 {
			result, err := solve.Run(t.Context(), *c, in, solve.Options{Seed: 1, Unbounded: true})
			if err != nil {
				t.Fatal(err)
			}
			sum, n := 0.0, 0.0
			for k := range result.Solution.Jobs {
				number, _ := in.JobIndex(result.Solution.Jobs[k].Job)
				if j := &in.Jobs()[number]; of(j) {
					sum, n = sum+result.Solution.Jobs[k].Start-j.Arrival, n+1
				}
			}
			return sum / n
		}
		return mean(&space.base), mean(choice)
	}
	high := func(j *model.Job) bool { return j.Queue() == "high" }
	if before, after := wait("", high, "PriorityWeightPartition=1000000"); !(after < before) {
		t.Errorf("jobs of a partition with a factor wait %v, without its weight %v", after, before)
	}
	urgent := func(j *model.Job) bool { return j.Quality() == "urgent" }
	if before, after := wait("Name|Priority|UsageFactor\nurgent|10|1\n", urgent, "PriorityWeightQOS=1000000"); !(after < before) {
		t.Errorf("urgent jobs wait %v, with little weight %v", after, before)
	}
	if before, after := wait("", urgent, "PriorityWeightQOS=1000000"); before != after {
		t.Errorf("qualities that nobody knows change the wait from %v to %v", before, after)
	}
}

func TestSlurmErrors(t *testing.T) {
	in := siteTrace(t, 3200)
	for conf, want := range map[string]string{
		"PriorityType=priority/basic":                                        "PriorityType=priority/basic: only",
		"SchedulerType=sched/builtin\nSchedulerParameters=bf_interval=-1":    "bf_interval=-1",
		"AccountingStorageType=accounting_storage/none\nPriorityWeightAge=1": "without slurmdbd",
	} {
		settings, err := slurm.ReadSettings(slurm.Source{Reader: strings.NewReader(conf), Name: "slurm.conf"}, func(string) (io.ReadCloser, error) { return nil, io.EOF })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewSlurm(settings, in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", conf, err)
		}
	}
	for _, c := range []struct{ policy, vary, want string }{
		{"easy", "", "expected the order slurm"}, {"titan", "", "expected a policy that has the order slurm"}, {"nobody", "", "nobody"}, {"backfill:order=slurm:interval=60", "", "in slurm.conf only"},
		{"backfill:order=slurm", "PriorityWeightsAge", "did you mean"}, {"backfill:order=slurm", "PriorityMaxAge=5..1", "the smaller first"}, {"backfill:order=slurm", "bf_window=5", "at least two values"},
		{"backfill:order=slurm", "weight_age=0.5..2", "expected a multiple of 1"}, {"backfill:order=slurm", "kill", "expected one of PriorityWeightAge"},
		{"backfill:order=slurm", "PriorityMaxAge=0..1-0", "PriorityMaxAge=0..1-0: expected a time above 0, found"}, {"backfill:order=slurm", "PriorityCalcPeriod=0,5", "expected a time above 0"},
		{"backfill:order=slurm", "PriorityWeightAge=0..1000:log", "PriorityWeightAge=0..1000:log: expected an interval above 0 for a logarithmic scale"}, {"backfill:order=slurm", "PriorityWeightAge=5,5", "PriorityWeightAge=5,5: expected values that differ"},
	} {
		var vary []string
		if c.vary != "" {
			vary = []string{c.vary}
		}
		_, of := site(t, siteConf, in, "")
		if _, err := NewSlurmSpace(c.policy, of, vary); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: got %v, expected %q", c.policy, c.vary, err, c.want)
		}
	}
	_, of := site(t, siteConf, in, "")
	space, err := NewSlurmSpace("backfill:order=slurm", of, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"PriorityWeightAge": "NAME=VALUE", "PriorityWeightAge=-1": "PriorityWeightAge=-1", "max_age=90": "multiple of 60", "PriorityMaxAge=0": "PriorityMaxAge=0: expected a time above 0", "PriorityWeightJobSize=100000": "differs from slurm.conf", "x=1": "expected one of",
	} {
		if _, err := space.SlurmChoice([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if _, err := space.SlurmChoice([]string{"PriorityWeightAge=1", "weight_age=2"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("got %v", err)
	}
}

// A value that is tried is one that people defend: two digits at most, of which the second is 0 or 5; whole hours, six hours or days of times; always within the interval, and the intervals that
// are asked for keep their ends.
func TestSensibleValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]float64{1, 60}).Draw(t, "unit")
		low := unit * float64(rapid.IntRange(1, 50).Draw(t, "low"))
		d := &Dimension{Kind: Real, Low: low, High: low + unit*float64(rapid.IntRange(1, 100000).Draw(t, "more")), Log: rapid.Bool().Draw(t, "log"), Step: unit, unit: unit}
		x, err := strconv.ParseFloat(d.at(rapid.Float64Range(0, 1).Draw(t, "place")), 64)
		if err != nil || x < d.Low || x > d.High || math.Mod(x, unit) != 0 {
			t.Fatalf("%v, %v of %v", x, err, d)
		}
		if x == d.Low || x == d.High {
			return
		}
		digits := strings.TrimRight(strconv.FormatFloat(x/unit, 'f', 0, 64), "0")
		hours := math.Mod(x, 3600) == 0 && unit == 60
		if len(digits) > 2 && !hours || len(digits) == 2 && digits[1] != '5' && !hours {
			t.Fatalf("%v of %v", x/unit, d)
		}
		if hours && (x >= 2*86400 && math.Mod(x, 86400) != 0 || x >= 43200 && x < 2*86400 && math.Mod(x, 6*3600) != 0) {
			t.Fatalf("%v of %v", x/3600, d)
		}
	})
}
