package slurm

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/internal/lines"
)

// plansBy are the parameters of the policy backfill that SchedulerParameters set: the option, the parameter, its value as Slurm has it by default, the factor from one unit to the
// other, and what 0 says.
var plansBy = []struct {
	option, parameter string
	usual, factor     float64
	noLimit           bool // 0: there is no limit, which is the parameter's default
}{
	{"bf_interval", "interval", 30, 1, false},
	{"bf_window", "window", 1440, 60, false},
	{"bf_resolution", "resolution", 60, 1, false},
	{"default_queue_depth", "depth", 100, 1, false},
	{"bf_max_job_test", "tests", 500, 1, false},
	{"bf_max_job_user", "tests_user", 0, 1, true},
	{"bf_max_job_part", "tests_queue", 0, 1, true},
}

// Plans is the policy that plans as the settings say, to be pasted wherever a policy is named: backfill with those of the SchedulerParameters that differ from Slurm's defaults. An
// option whose value is no number above 0 is an error.
func (s *Settings) Plans() (string, error) {
	choice := "backfill"
	for _, by := range plansBy {
		value := by.usual
		for _, o := range s.Scheduler { // the last one counts
			if !strings.EqualFold(o.Name, by.option) {
				continue
			}
			x, err := lines.NonNegative(o.Value)
			if err != nil || x != math.Trunc(x) || x > 1e9 || x == 0 && !by.noLimit {
				return "", fmt.Errorf("SchedulerParameters: %s: expected a whole number above 0, found %s", by.option, lines.Quote(o.Value))
			}
			value = x
		}
		if value != by.usual {
			choice += fmt.Sprintf(":%s=%.0f", by.parameter, value*by.factor)
		}
	}
	return choice, nil
}

// scheduler are the settings of a text of SchedulerParameters.
func scheduler(text string) *Settings {
	s := &Settings{}
	for _, word := range splitWords(text) {
		name, value, _ := strings.Cut(word, "=")
		s.Scheduler = append(s.Scheduler, Option{name, value})
	}
	return s
}
