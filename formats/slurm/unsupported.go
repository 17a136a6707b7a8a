package slurm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// followedOptions are the SchedulerParameters that a simulation follows, or that change nothing in it, by name.
var followedOptions = []string{
	"bf_interval", "bf_window", "bf_resolution", "bf_max_job_test", "bf_max_job_user", "bf_max_job_part", "default_queue_depth", "batch_sched_delay", // policy backfill
	"bf_continue", "bf_yield_interval", "bf_yield_sleep", "bf_yield_rpc_cnt", "max_rpc_cnt", "build_queue_timeout", // how the work of the controller is cut
	"enable_user_top", "max_script_size", "max_array_tasks", "requeue_setup_env_fail", // what users may do
}

// unfollowedOptions say what some of the other SchedulerParameters would do.
var unfollowedOptions = map[string]string{
	"bf_max_time":                "cycles take no time",
	"max_sched_time":             "cycles take no time",
	"sched_interval":             "the main scheduler looks at the whole queue when a cycle is due",
	"sched_min_interval":         "the main scheduler looks when jobs have arrived or ended",
	"sched_max_job_start":        "any number of jobs may start at an instant",
	"defer":                      "the main scheduler looks when jobs have arrived or ended",
	"defer_batch":                "the main scheduler looks when jobs have arrived or ended",
	"bf_licenses":                "licences are not planned ahead",
	"bf_running_job_reserve":     "running jobs are not part of the plan, except through what is free of machines",
	"bf_min_prio_reserve":        "every job that is tested is planned",
	"bf_min_age_reserve":         "every job that is tested is planned",
	"bf_one_resv_per_job":        "a job of several partitions is planned once",
	"bf_job_part_count_reserve":  "every job that is tested is planned",
	"bf_max_job_assoc":           "associations do not limit how many jobs are tested",
	"bf_max_job_user_part":       "users do not limit by partition how many jobs are tested",
	"bf_max_job_array_resv":      "each task of an array is a job",
	"bf_max_job_start":           "any number of jobs may start in a cycle",
	"bf_window_linear":           "the groups of running jobs that are taken to have ended double in width",
	"bf_busy_nodes":              "the machines of a plan are the first that fit",
	"bf_topopt_enable":           "the topology of the network is not known",
	"partition_job_depth":        "partitions do not limit how many jobs the main scheduler looks at",
	"assoc_limit_stop":           "a job that waits for a limit blocks no other",
	"preempt_youngest_first":     "no job is preempted",
	"preempt_strict_order":       "no job is preempted",
	"preempt_reorder_count":      "no job is preempted",
	"pack_serial_at_end":         "machines are chosen by the rule of the policy",
	"spec_cores_first":           "cores are not told apart",
	"salloc_wait_nodes":          "nodes start at once",
	"bf_hetjob_prio":             "the parts of a heterogeneous job are jobs of their own",
	"bf_hetjob_immediate":        "the parts of a heterogeneous job are jobs of their own",
	"nohold_on_prolog_fail":      "no prolog runs",
	"bf_allow_magnetic_slot":     "reservations do not draw jobs",
	"time_min_as_soft_limit":     "jobs have one time limit",
	"extra_constraints":          "jobs have no extra constraints",
	"ignore_constraint_validity": "constraints are checked",
}

// Refused lists what the settings state under which a simulation of priority/multifactor and sched/backfill has no meaning, each with its name. Nil: nothing.
func (s *Settings) Refused() []string {
	var list []string
	for _, c := range []struct{ name, only, why string }{
		{"PriorityType", "priority/multifactor", "only priority/multifactor is simulated"},
		{"SchedulerType", "sched/backfill", "only sched/backfill is simulated"},
		{"AccountingStorageType", "accounting_storage/slurmdbd", "without slurmdbd Slurm counts neither the age nor the fair share of jobs"},
	} {
		if value, stated := s.Stated(c.name); stated && !strings.EqualFold(value, c.only) {
			list = append(list, fmt.Sprintf("%s=%s: %s", c.name, lines.Name(value), c.why))
		}
	}
	if slices.ContainsFunc(s.Scheduler, Option.noBackfill) {
		list = append(list, "SchedulerParameters=bf_interval=-1: without backfilling there is nothing to simulate")
	}
	return list
}

// Unsupported lists what the settings state and a simulation does not do, each with its name: other plugins for priorities, preemption, site factors, and SchedulerParameters that
// it does not follow. Nil: nothing. A caller that simulates refuses the settings, or says so before its answer.
func (s *Settings) Unsupported() []string {
	var list []string
	add := func(name, value, why string) {
		list = append(list, fmt.Sprintf("%s=%s: %s", name, lines.Name(value), why))
	}
	if s.Type != "" && !strings.EqualFold(s.Type, "priority/multifactor") {
		add("PriorityType", s.Type, "only priority/multifactor is simulated")
	}
	for _, c := range []struct{ name, none, why string }{
		{"PreemptType", "preempt/none", "no job is preempted"},
		{"PrioritySiteFactorPlugin", "none", "the plugin's factors are not known"},
		{"SchedulerType", "sched/backfill", "only sched/backfill is simulated"},
		{"SelectType", "", "only select/cons_tres and select/cons_res are simulated"},
	} {
		value, stated := s.Stated(c.name)
		plugin := strings.TrimPrefix(strings.ToLower(value), "site_factor/")
		switch {
		case !stated || plugin == c.none:
		case c.name == "SelectType" && (plugin == "select/cons_tres" || plugin == "select/cons_res"):
		default:
			add(c.name, value, c.why)
		}
	}
	for _, p := range s.Partitions {
		if first := s.Partitions[0]; p.Tier != first.Tier {
			add("PriorityTier", fmt.Sprint(p.Tier), "tiers of partitions do not order the queue (partition "+lines.Quote(p.Name)+", beside "+lines.Quote(first.Name)+")")
			break
		}
	}
	for _, o := range s.Scheduler {
		if !slices.Contains(followedOptions, strings.ToLower(o.Name)) {
			list = append(list, "SchedulerParameters="+o.text()+": "+o.instead())
		}
	}
	return list
}
