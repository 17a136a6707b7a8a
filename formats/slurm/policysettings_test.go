package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim/backfill"
)

// taken says why the policy backfill, which package solvers makes of these parameters, does not take a choice.
func taken(choice string) error {
	policy := &struct {
		backfill.Cycles
		backfill.Ranking
	}{backfill.DefaultCycles(), backfill.DefaultRanking()}
	name, list, _ := strings.Cut(choice, ":")
	if name != "backfill" {
		return fmt.Errorf("expected backfill, found %s", name)
	}
	for setting := range strings.SplitSeq(list, ":") {
		if name, value, ok := strings.Cut(setting, "="); ok {
			if err := params.Set(policy, name, value); err != nil {
				return err
			}
		}
	}
	return params.Check(policy)
}

// TestPolicyHasSettings: each setting is a parameter of the policy, and stands once.
func TestPolicyHasSettings(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range PolicySettings() {
		for _, name := range []string{p.Name, p.Param, strings.ToUpper(p.Name)} {
			if found, err := PolicySettingOf(name); err != nil || found != p {
				t.Errorf("%s: found %+v, %v", name, found, err)
			}
		}
		if seen[p.Param] {
			t.Errorf("%s stands twice", p.Param)
		}
		seen[p.Param] = true
	}
	if _, err := PolicySettingOf("PriorityWeightAges"); err == nil || !strings.Contains(err.Error(), "PriorityWeightAge") {
		t.Errorf("got %v", err)
	}
}

// What counts but is not varied is named, with the reason.
func TestNotVaried(t *testing.T) {
	for name, want := range map[string]string{
		"PriorityWeightTRES": "PriorityWeightTRES counts as slurm.conf states it and is not varied: it holds a weight for each resource", "priorityweighttres": "a weight for each resource",
		"DEPTH_OBLIVIOUS": "of PriorityFlags, only", "incr_only": "of PriorityFlags, only", "NO_NORMAL_ALL": "of PriorityFlags, only", "PriorityFlags": "it holds several flags",
		"PriorityJobFactor": "each partition has its own", "TRESBillingWeights": "each partition has its own", "PriorityUsageResetPeriod": "a rule of the accounts",
		"Nothing": "expected one of PriorityWeightAge",
	} {
		if _, err := PolicySettingOf(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
	}
	for _, p := range PolicySettings() {
		if _, err := PolicySettingOf(strings.ToLower(p.Name)); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// TestParametersRoundTrip: the policy takes the parameters of settings; settings with their own parameters change no line; and the lines of changed settings, put behind the old
// ones, are read as the new settings.
func TestParametersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string) *Settings {
			p := drawPriorities(t)
			p.MaxAge = max(p.MaxAge, 60)
			lines, err := Lines(p)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(lines, "\n") + "\nSchedulerParameters=bf_continue"
			for _, c := range cycleOptions {
				if rapid.Bool().Draw(t, what+c.name) {
					text += fmt.Sprintf(",%s=%d", c.name, rapid.IntRange(int(max(1, c.least)), 500).Draw(t, c.name))
				}
			}
			s, err := readConf(text)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		from, to := draw("from "), draw("to ")
		own, err := from.Parameters()
		if err != nil {
			t.Fatal(err)
		}
		text := "backfill:order=slurm"
		for name, value := range own {
			text += ":" + name + "=" + value
		}
		if err := taken(text); err != nil {
			t.Fatal(err)
		}
		same, err := from.With(own)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := ChangedLines(from, same); err != nil || len(list) > 0 {
			t.Fatalf("its own parameters change %q, %v", list, err)
		}
		values, err := to.Parameters()
		if err != nil {
			t.Fatal(err)
		}
		changed, err := from.With(values)
		if err != nil {
			t.Fatal(err)
		}
		list, err := ChangedLines(from, changed)
		if err != nil {
			t.Fatal(err)
		}
		before, err := Lines(from.Priority)
		if err != nil {
			t.Fatal(err)
		}
		list = slices.DeleteFunc(slices.Concat(before, []string{"SchedulerParameters=" + optionsText(from.Scheduler)}, list), func(line string) bool {
			return slices.ContainsFunc(list, func(gone string) bool {
				name, without := strings.CutPrefix(gone, "# without a line ")
				return without && strings.HasPrefix(line, name+"=")
			})
		})
		read, err := readConf(strings.Join(list, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := read.Parameters()
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range values {
			if got[name] != value && !(name == "fair_share" && from.Priority.DepthOblivious) {
				t.Fatalf("%s: expected %s, got %s, from %q", name, value, got[name], list)
			}
		}
	})
}

// A limit of 0 jobs is none, but for the depth: the policy looks at one job at least. What is not stated is no parameter, and 1 is one of each.
func TestParametersOfNoJobs(t *testing.T) {
	for _, c := range cycleOptions {
		one, err := readConf("SchedulerParameters=" + c.name + "=1")
		if err != nil {
			t.Fatal(err)
		}
		if values, err := one.Parameters(); err != nil || values[c.param] != plain(c.units) {
			t.Errorf("%s=1: %s is %q, %v", c.name, c.param, values[c.param], err)
		}
		want, stated := map[string]string{"depth": "1"}[c.param]
		s, err := readConf("SchedulerParameters=" + c.name + "=0")
		if c.least > 0 { // refused
			if err == nil {
				t.Errorf("%s=0 is no fault", c.name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		values, err := s.Parameters()
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range cycleOptions {
			if got, is := values[other.param]; got != want && other.param == c.param || is != (other.param == c.param && stated) {
				t.Errorf("%s=0: %s is %q", c.name, other.param, got)
			}
		}
	}
}

func TestPolicySettingValues(t *testing.T) {
	for _, c := range []struct{ name, slurm, policy string }{
		{"PriorityWeightAge", "1000", "1000"}, {"PriorityMaxAge", "7-00:00:00", "604800"}, {"PriorityDecayHalfLife", "0-12:00:00", "43200"}, {"PriorityFavorSmall", "YES", "true"},
		{"NO_FAIR_TREE", "YES", "classic"}, {"NO_FAIR_TREE", "NO", "tree"}, {"SMALL_RELATIVE_TO_TIME", "NO", "false"}, {"bf_window", "2880", "172800"}, {"bf_interval", "60", "60"},
	} {
		p, err := PolicySettingOf(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.ToPolicy(c.slurm); err != nil || got != c.policy {
			t.Errorf("%s=%s: got %s, %v, expected %s", c.name, c.slurm, got, err, c.policy)
		}
		if got, err := p.FromPolicy(c.policy); err != nil || got != c.slurm {
			t.Errorf("%s %s: got %s, %v, expected %s", c.name, c.policy, got, err, c.slurm)
		}
	}
	for _, c := range [][2]string{{"PriorityWeightAge", "-1"}, {"PriorityWeightAge", "1.5"}, {"PriorityMaxAge", "soon"}, {"PriorityFavorSmall", "1"}, {"bf_interval", "0"}, {"bf_window", "43201"}} {
		p, err := PolicySettingOf(c[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.ToPolicy(c[1]); err == nil {
			t.Errorf("%s=%s: got %s, expected an error", c[0], c[1], got)
		}
	}
	for _, c := range [][2]string{{"PriorityWeightAge", "1.5"}, {"PriorityMaxAge", "90"}, {"NO_FAIR_TREE", "true"}, {"bf_window", "30"}} {
		p, err := PolicySettingOf(c[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.FromPolicy(c[1]); err == nil {
			t.Errorf("%s %s: got %s, expected an error", c[0], c[1], got)
		}
	}
}
