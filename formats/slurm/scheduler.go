package slurm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// cycleOption is one of the SchedulerParameters that the policy backfill has too.
type cycleOption struct {
	name, param        string
	usual, least, most float64 // what Slurm has where none is stated, and the range that it takes
	units              float64 // how many of the policy's units one of Slurm's is
}

// cycleOptions are in the order of the policy's parameters. A limit of 0 jobs of a user or a partition is none.
var cycleOptions = []cycleOption{
	{"bf_interval", "interval", 30, 1, 10_800, 1},
	{"bf_window", "window", 1440, 1, 43_200, 60}, // minutes
	{"bf_resolution", "resolution", 60, 1, 3600, 1},
	{"batch_sched_delay", "delay", 3, 0, 1e9, 1},
	{"default_queue_depth", "depth", 100, 0, 1e9, 1},
	{"bf_max_job_test", "tests", 500, 1, 1e6, 1},
	{"bf_max_job_user", "tests_user", 0, 0, 1e6, 1},
	{"bf_max_job_part", "tests_queue", 0, 0, 1e6, 1},
}

// zeroOptions are the whole numbers among the other SchedulerParameters of which 0 is what Slurm has where none is stated.
var zeroOptions = []string{
	"bf_max_job_start", "bf_min_prio_reserve", "bf_min_age_reserve", "bf_job_part_count_reserve", "bf_max_job_assoc", "bf_max_job_user_part", "partition_job_depth",
}

// optionsOf are the options of a text of SchedulerParameters.
func optionsOf(text string) (list []Option) {
	for _, word := range splitWords(text) {
		name, value, _ := strings.Cut(word, "=")
		list = append(list, Option{name, value})
	}
	return list
}

// isOption says that a name in small letters is that of an option of the SchedulerParameters that is known.
func isOption(name string) bool {
	_, unfollowed := unfollowedOptions[name]
	return unfollowed || slices.Contains(followedOptions, name) || slices.Contains(zeroOptions, name)
}

// text is the option as it is stated.
func (o Option) text() string {
	if o.Value == "" {
		return lines.Name(o.Name)
	}
	return lines.Name(o.Name) + "=" + lines.Name(o.Value)
}

// instead says what a simulation does, which does not follow the option.
func (o Option) instead() string {
	if what, known := unfollowedOptions[strings.ToLower(o.Name)]; known {
		return what
	}
	return "this option is not known"
}

// noBackfill reports whether the option switches backfilling off.
func (o Option) noBackfill() bool { return strings.EqualFold(o.Name, "bf_interval") && o.Value == "-1" }

// check says what is wrong with the value of an option whose values are known.
func (o Option) check() error {
	least, most, name := 0.0, 1e9, strings.ToLower(o.Name)
	if o.noBackfill() {
		return nil
	}
	if k := slices.IndexFunc(cycleOptions, func(c cycleOption) bool { return c.name == name }); k >= 0 {
		least, most = cycleOptions[k].least, cycleOptions[k].most
	} else if name == "bf_min_prio_reserve" {
		most = math.MaxUint32
	} else if !slices.Contains(zeroOptions, name) {
		return nil
	}
	if err := wholeIn(new(float64), o.Value, least, most); err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	return nil
}

// plansAs notes the choice of a policy that plans with the options, and the options that the policy does not have. Where the
// settings say nothing of the scheduler, it notes nothing.
func plansAs(options []Option, settings map[string]string, report *model.ImportReport) {
	note := func(text string) { report.Note(model.ImportKept, text, "configuration") }
	kind, typed := settings["schedulertype"]
	if _, stated := settings["schedulerparameters"]; !typed && !stated {
		return
	}
	if kind != "" && !strings.EqualFold(kind, "sched/backfill") {
		note("setting SchedulerType=" + lines.Name(kind) + ": the policy backfill plans as sched/backfill does, so no choice is suggested")
		return
	}
	if slices.ContainsFunc(options, Option.noBackfill) {
		note("setting SchedulerParameters bf_interval=-1: this Slurm does not backfill, so no choice is suggested")
		return
	}
	stated := map[string]float64{}
	for _, o := range options {
		name := strings.ToLower(o.Name)
		var value float64
		zero := slices.Contains(zeroOptions, name) && wholeIn(&value, o.Value, 0, 0) == nil
		switch {
		case slices.ContainsFunc(cycleOptions, func(c cycleOption) bool { return c.name == name }):
			if wholeIn(&value, o.Value, 0, math.MaxUint32) == nil {
				stated[name] = value
			}
		case !zero && !slices.Contains(followedOptions, name):
			note("setting SchedulerParameters " + o.text() + ": the policy backfill does not have it: " + o.instead())
		}
	}
	choice := "backfill:order=priority"
	for _, c := range cycleOptions {
		value, is := stated[c.name]
		if is && value == 0 && c.param == "depth" {
			note("setting SchedulerParameters default_queue_depth=0: the policy backfill looks at one job at least")
			value = 1
		}
		if is && value != c.usual {
			choice += fmt.Sprintf(":%s=%.0f", c.param, value*c.units)
		}
	}
	note("plans like this Slurm: " + choice)
}
