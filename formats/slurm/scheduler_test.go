package slurm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// suggestion reads a configuration and returns what the report says of it.
func suggestion(text string) (string, error) {
	report := model.ImportReport{}
	settings, err := readSettings(Source{strings.NewReader(text), "config"}, nil, false)
	if err != nil {
		return "", err
	}
	plansAs(settings.Scheduler, settings.stated, &report)
	var list []string
	for _, n := range report.Notes {
		list = append(list, n.Reason)
	}
	return strings.Join(list, "\n"), err
}

func TestSuggestedPolicy(t *testing.T) {
	const printed = "Configuration data as of 2026-11-27T16:59:13\nSchedulerParameters     = "
	for text, want := range map[string]string{
		printed + "(null)": "plans like this Slurm: backfill:order=priority",
		printed + "bf_interval=30,bf_continue,bf_max_job_user=0,bf_max_job_start=0":                                                                   "plans like this Slurm: backfill:order=priority",
		printed + "bf_window=2880,BF_Interval=60,bf_resolution=300,default_queue_depth=50,bf_max_job_test=1000,bf_max_job_user=5,bf_max_job_part=7\n": "plans like this Slurm: backfill:order=priority:interval=60:window=172800:resolution=300:depth=50:tests=1000:tests_user=5:tests_queue=7",
		"ClusterName=a SchedulerType=sched/backfill\nNodeName=cn[1-4] CPUs=4\nSchedulerParameters=\"bf_interval=60,bf_min_age_reserve=60,bf_new=a\" # comment\n": `setting SchedulerParameters bf_min_age_reserve=60: the policy backfill does not have it: every job that is tested is planned
setting SchedulerParameters bf_new=a: the policy backfill does not have it: this option is not known
plans like this Slurm: backfill:order=priority:interval=60`,
		printed + "default_queue_depth=0": `setting SchedulerParameters default_queue_depth=0: the policy backfill looks at one job at least
plans like this Slurm: backfill:order=priority:depth=1`,
		printed + "bf_interval=-1":                              "setting SchedulerParameters bf_interval=-1: this Slurm does not backfill, so no choice is suggested",
		"SchedulerType=sched/builtin\n":                         "setting SchedulerType=sched/builtin: the policy backfill plans as sched/backfill does, so no choice is suggested",
		"AccountingStorageEnforce = associations,limits\n":      "",
		"SLURM_VERSION = 25.11.0\nSchedulerType=sched/backfill": "plans like this Slurm: backfill:order=priority",
	} {
		if got, err := suggestion(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v; expected %q", text, got, err, want)
		}
	}
}

// Each option of the planner takes the numbers that Slurm takes.
func TestRangesOfSchedulerParameters(t *testing.T) {
	for _, c := range []struct {
		name        string
		least, most int
	}{
		{"bf_interval", 1, 10_800}, {"bf_window", 1, 43_200}, {"bf_resolution", 1, 3600}, {"default_queue_depth", 0, 1e9}, {"bf_max_job_test", 1, 1e6}, {"bf_max_job_user", 0, 1e6}, {"bf_max_job_part", 0, 1e6},
		{"bf_max_job_start", 0, 1e9},
	} {
		for value, ok := range map[int]bool{c.least - 1: false, c.least: true, c.most: true, c.most + 1: false} {
			if text := fmt.Sprintf("SchedulerParameters=%s=%d\n", c.name, value); c.name != "bf_interval" || value >= 0 {
				if _, err := suggestion(text); (err == nil) != ok {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	}
}

func TestBadSchedulerParameters(t *testing.T) {
	for text, want := range map[string]string{
		"PreemptType=preempt/none\nSchedulerParameters=bf_window=1d":   "config: line 2: SchedulerParameters: bf_window: expected a number",
		"SchedulerParameters=bf_interval=0":                            "config: line 1: SchedulerParameters: bf_interval: expected a whole number in [1, 10800], found \"0\"",
		"SchedulerParameters=bf_continue,bf_max_job_test":              "config: line 1: SchedulerParameters: bf_max_job_test: expected a number",
		"SchedulerParameters=bf_max_job_start=1.5":                     "config: line 1: SchedulerParameters: bf_max_job_start: expected a whole number",
		"SchedulerType=sched/backfill\nthis is no setting":             "config: line 2: expected key=value",
		"Configuration data as of 2026-11-27T16:59:13\nBatch = 10 s\n": "config: expected slurm.conf, or what scontrol show config prints",
	} {
		if _, err := suggestion(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, expected %s", text, err, want)
		}
	}
}

// FuzzSchedulerParameters: what is suggested is a choice that the policy takes.
func FuzzSchedulerParameters(f *testing.F) {
	f.Add("bf_interval=60,bf_window=43200,bf_max_job_part=1", true)
	f.Add("default_queue_depth=0,bf_interval=-1", false)
	f.Add("bf_resolution=1e3,bf_max_job_user=1000000,x==", true)
	f.Fuzz(func(t *testing.T, parameters string, printed bool) {
		text := "SchedulerParameters=" + parameters
		if printed {
			text = "Configuration data as of now\n" + text
		}
		got, err := suggestion(text)
		if wellFaulted(t, err); err != nil {
			return
		}
		_, choice, suggested := strings.Cut("\n"+got, "\nplans like this Slurm: ")
		if !suggested {
			return
		}
		if err := taken(choice); err != nil {
			t.Fatalf("%q suggests %q: %v", text, choice, err)
		}
	})
}
