package slurm_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/solve"
)

// The options become the policy with which to ask, in its units, and what is Slurm's default is not stated.
func TestPlansLikeThisSlurm(t *testing.T) {
	for text, want := range map[string]string{
		"bf_continue":                   "backfill",
		"bf_interval=30,bf_window=1440": "backfill",
		"bf_interval=60,bf_window=2880,bf_resolution=300,default_queue_depth=500,bf_max_job_test=1000,bf_max_job_user=20,bf_max_job_part=40": "backfill:interval=60:window=172800:resolution=300:depth=500:tests=1000:tests_user=20:tests_queue=40",
		"BF_Max_Job_Test=7,bf_max_job_test=9,bf_max_job_user=0":                                                                             "backfill:tests=9",
		"bf_interval=-1":     "error: expected a whole number above 0",
		"bf_interval":        "error: bf_interval",
		"bf_window=1d":       "error: bf_window",
		"bf_max_job_test=0":  "error: expected a whole number above 0",
		"bf_resolution=1e99": "error: expected a whole number above 0",
	} {
		settings, err := slurm.ReadSettings(slurm.Source{Reader: strings.NewReader("SchedulerParameters=" + text + "\n"), Name: "slurm.conf"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := settings.Plans()
		if wrong, refused := strings.CutPrefix(want, "error: "); refused != (err != nil) || refused && !strings.Contains(err.Error(), wrong) || !refused && got != want {
			t.Errorf("%s: %q, %v; expected %q", text, got, err, want)
		}
		if err == nil {
			if _, err := solve.Choose(got); err != nil {
				t.Errorf("%s: %v", got, err)
			}
		}
	}
}

// Whatever the options say, the answer is a policy that there is, or an error.
func TestPlansAreAPolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		option := rapid.SampledFrom([]string{"bf_interval", "bf_window", "bf_resolution", "default_queue_depth", "bf_max_job_test", "bf_max_job_user", "bf_max_job_part", "bf_other"})
		value := rapid.OneOf(rapid.StringMatching(`[0-9]{1,9}`), rapid.StringMatching(`[-0-9a-z.]{0,4}`))
		var words []string
		for range rapid.IntRange(1, 5).Draw(t, "options") {
			words = append(words, option.Draw(t, "option")+"="+value.Draw(t, "value"))
		}
		settings, err := slurm.ReadSettings(slurm.Source{Reader: strings.NewReader("SchedulerParameters=" + strings.Join(words, ",") + "\n"), Name: "slurm.conf"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if plans, err := settings.Plans(); err == nil {
			if _, err := solve.Choose(plans); err != nil {
				t.Fatalf("%s: %v", plans, err)
			}
		}
	})
}

// The report of a queue names the policy, and what that policy does not follow. A damaged option is an error with its line.
func TestReportNamesThePolicy(t *testing.T) {
	sources := func(config string) slurm.Sources {
		return slurm.Sources{Jobs: source("jobs", queue(on("a1"))), Nodes: source("nodes", nodes(node("a1", "p", ""))), Config: source("config.txt", config)}
	}
	_, report := read(t, sources("SLURM_VERSION = 22.05.8\nSchedulerParameters     = bf_interval=60,bf_one_resv_per_job,bf_window=2880\n"), slurm.Options{})
	if want := "this Slurm plans like the policy backfill:interval=60:window=172800"; len(report.Hints) != 2 || report.Hints[0] != want || !strings.Contains(report.Hints[1], "bf_one_resv_per_job") {
		t.Errorf("hints %q", report.Hints)
	}
	if !strings.Contains(report.String(), report.Hints[0]) {
		t.Errorf("the report is silent:\n%s", report)
	}
	_, _, err := slurm.Read(sources("SLURM_VERSION = 22.05.8\nSchedulerParameters     = bf_interval=x\n"), slurm.Options{})
	if err == nil || !strings.Contains(err.Error(), "config.txt: line 2") || !strings.Contains(err.Error(), "bf_interval") {
		t.Errorf("%v", err)
	}
}

// Where partitions may preempt others, the waiting jobs of a higher tier than that of a job that runs are counted.
func TestPreemptionByTierIsCounted(t *testing.T) {
	waits := `"partition": "high"`
	for _, c := range []struct {
		kind, mode string
		counted    bool
	}{{"preempt/partition_prio", "REQUEUE", true}, {"preempt/partition_prio", "OFF", false}, {"preempt/none", "OFF", false}} {
		_, report := read(t, slurm.Sources{
			Jobs: source("jobs", queue(strings.Replace(on("a1"), `"job_state"`, `"partition": "low", "job_state"`, 1), waits)), Nodes: source("nodes", nodes(node("a1", "low high", ""))),
			Partitions: source("partitions", "PartitionName=low Nodes=a1 PriorityTier=1 Default=YES State=UP\n\nPartitionName=high Nodes=a1 PriorityTier=9 State=UP\n"),
			Config:     source("config.txt", "SLURM_VERSION = 22.05.8\nPreemptType = "+c.kind+"\nPreemptMode = "+c.mode+"\n"),
		}, slurm.Options{})
		if got := strings.Contains(report.String(), "higher tier"); got != c.counted {
			t.Errorf("%s, %s:\n%s", c.kind, c.mode, report)
		}
	}
}

// A job that is added without a queue goes to the default partition.
func TestDefaultPartition(t *testing.T) {
	in, _ := read(t, slurm.Sources{
		Jobs: source("jobs", queue(on("a1"))), Nodes: source("nodes", nodes(node("a1", "low", ""), node("a2", "high", ""))),
		Partitions: source("partitions", "PartitionName=low Nodes=a1 MaxTime=60 State=UP Default=NO\n\nPartitionName=high Nodes=a2 State=UP Default=YES\n"),
	}, slurm.Options{})
	for _, p := range in.Partitions() {
		if p.Default != (p.ID == "high") {
			t.Errorf("%+v", p)
		}
	}
}
