package slurm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/internal/suggest"
)

// PolicySetting is a setting of slurm.conf that the policy backfill in the order slurm has as a parameter. Others have to stay as they are where settings are tried.
type PolicySetting struct {
	Name  string  // in slurm.conf: of a setting, of one of the PriorityFlags or of one of the SchedulerParameters
	Param string  // the policy's
	Unit  float64 // of the numbers that Slurm can state, in the policy's units: 60 of whole minutes; 0: no number
	kind  settingKind
}

// settingKind says how slurm.conf states a setting.
type settingKind int

const (
	wholeSetting settingKind = iota
	clockSetting             // a time such as 7-00:00:00
	yesSetting               // YES or NO
	flagSetting              // one of the PriorityFlags, YES or NO here
	cycleSetting             // one of the SchedulerParameters
)

// policySettings are in the order of slurm.conf's manual, those of the scheduler last.
var policySettings = func() []PolicySetting {
	list := []PolicySetting{
		{"PriorityWeightAge", "weight_age", 1, wholeSetting}, {"PriorityWeightAssoc", "weight_association", 1, wholeSetting}, {"PriorityWeightFairshare", "weight_share", 1, wholeSetting},
		{"PriorityWeightJobSize", "weight_size", 1, wholeSetting}, {"PriorityWeightPartition", "weight_queue", 1, wholeSetting}, {"PriorityWeightQOS", "weight_quality", 1, wholeSetting},
		{"PriorityMaxAge", "max_age", 60, clockSetting}, {"PriorityDecayHalfLife", "half_life", 60, clockSetting}, {"PriorityCalcPeriod", "calc_period", 60, clockSetting},
		{"FairShareDampeningFactor", "damping", 1, wholeSetting}, {"PriorityFavorSmall", "favour_small", 0, yesSetting},
		{"NO_FAIR_TREE", "fair_share", 0, flagSetting}, {"SMALL_RELATIVE_TO_TIME", "size_by_time", 0, flagSetting},
	}
	for _, c := range cycleOptions {
		list = append(list, PolicySetting{c.name, c.param, c.units, cycleSetting})
	}
	return list
}()

// PolicySettings are the settings that the policy has as parameters.
func PolicySettings() []PolicySetting { return slices.Clone(policySettings) }

// PolicySettingOf finds a setting by its name in slurm.conf, in any case, or by that of the policy's parameter.
func PolicySettingOf(name string) (PolicySetting, error) {
	var names []string
	for _, p := range policySettings {
		if strings.EqualFold(p.Name, name) || p.Param == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if why := notVaried(name); why != "" {
		return PolicySetting{}, fmt.Errorf("%s counts as slurm.conf states it and is not varied: %s; to see what another value does, put it into a copy of slurm.conf and take that", lines.Name(name), why)
	}
	return PolicySetting{}, fmt.Errorf("expected one of %s, or the policy's name of it; found %s%s", strings.Join(names, ", "), lines.Quote(name), suggest.Words(name, names))
}

// notVaried says why a setting that counts is none of those that the policy has as parameters; empty: it is one, or does not count.
func notVaried(name string) string {
	if upper := strings.ToUpper(name); upper == "NO_NORMAL_ALL" || flagsOf(new(multifactor.Flags))[upper] != nil {
		return "of PriorityFlags, only NO_FAIR_TREE and SMALL_RELATIVE_TO_TIME are"
	}
	return map[string]string{
		"priorityweighttres":       "it holds a weight for each resource, and a parameter one number",
		"tresbillingweights":       "each partition has its own, with a weight for each resource",
		"priorityjobfactor":        "each partition has its own",
		"priorityflags":            "it holds several flags; NO_FAIR_TREE and SMALL_RELATIVE_TO_TIME are varied by their own names",
		"priorityusageresetperiod": "it is a rule of the accounts, not of the queue",
	}[strings.ToLower(name)]
}

// ToPolicy returns the value of the policy's parameter of a value as slurm.conf states it.
func (p PolicySetting) ToPolicy(value string) (string, error) {
	switch p.kind {
	case yesSetting, flagSetting:
		yes := strings.EqualFold(value, "YES")
		if !yes && !strings.EqualFold(value, "NO") {
			return "", fmt.Errorf("expected YES or NO, found %s", lines.Quote(value))
		}
		return p.truth(yes), nil
	case clockSetting:
		var seconds float64
		err := wholeMinutes(&seconds, value)
		if err == nil && seconds == 0 && p.Param != "half_life" { // usage may be kept for ever
			err = fmt.Errorf("expected a time above 0, found %s", lines.Quote(value))
		}
		return plain(seconds), err
	}
	least, most := 0.0, float64(math.MaxUint32)
	if k := slices.IndexFunc(cycleOptions, func(c cycleOption) bool { return c.name == p.Name }); k >= 0 {
		least, most = max(1, cycleOptions[k].least), cycleOptions[k].most
	}
	var x float64
	err := wholeIn(&x, value, least, most)
	return plain(x * p.Unit), err
}

// truth is the policy's value of a setting that is YES or NO.
func (p PolicySetting) truth(yes bool) string {
	if p.Param == "fair_share" {
		return map[bool]string{true: "classic", false: "tree"}[yes]
	}
	return strconv.FormatBool(yes)
}

// FromPolicy returns the value as slurm.conf states it of a value of the policy's parameter. One that slurm.conf cannot state is an error.
func (p PolicySetting) FromPolicy(value string) (string, error) {
	switch p.kind {
	case yesSetting, flagSetting:
		for _, yes := range []bool{false, true} {
			if value == p.truth(yes) {
				return map[bool]string{true: "YES", false: "NO"}[yes], nil
			}
		}
		return "", fmt.Errorf("%s: expected %s or %s, found %s", p.Param, p.truth(false), p.truth(true), lines.Quote(value))
	}
	x, err := strconv.ParseFloat(value, 64)
	units := x / p.Unit
	if err != nil || units != math.Trunc(units) || units < 0 || units > math.MaxUint32 {
		return "", fmt.Errorf("%s: expected a multiple of %s, as %s states it; found %s", p.Param, plain(p.Unit), p.Name, lines.Quote(value))
	}
	if p.kind == clockSetting {
		return clockText(int(units)), nil
	}
	return plain(units), nil
}

// plain writes a number without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Parameters are the policy's parameters under which it plans as the settings say, by name; the order apart. Limits that Slurm switches off by a 0 are left out, and so are
// cycles where it does not backfill. A PriorityMaxAge of 0, which the policy does not take, is an error.
func (s *Settings) Parameters() (map[string]string, error) {
	f := &s.Priority
	if f.MaxAge == 0 {
		return nil, fmt.Errorf("PriorityMaxAge: expected a time above 0, found 0: the order slurm does not take it")
	}
	values := map[string]string{
		"weight_age": plain(f.WeightAge), "weight_association": plain(f.WeightAssoc), "weight_share": plain(f.WeightFairshare), "weight_size": plain(f.WeightJobSize),
		"weight_queue": plain(f.WeightPartition), "weight_quality": plain(f.WeightQOS), "max_age": plain(f.MaxAge), "half_life": plain(f.HalfLife), "calc_period": plain(f.CalcPeriod),
		"damping": plain(f.Dampening), "favour_small": strconv.FormatBool(f.FavourSmall), "size_by_time": strconv.FormatBool(f.RelativeToTime), "fair_share": "tree",
	}
	if f.Classic {
		values["fair_share"] = "classic"
	}
	for _, c := range cycleOptions {
		x, stated := s.cycle(c)
		if stated && x > 0 {
			values[c.param] = plain(x * c.units)
		} else if stated && c.param == "depth" { // the policy looks at one job at least
			values[c.param] = "1"
		}
	}
	return values, nil
}

// cycle is the value of one of the SchedulerParameters, in Slurm's units; false: it is not stated.
func (s *Settings) cycle(c cycleOption) (x float64, stated bool) {
	for _, o := range s.Scheduler {
		if strings.EqualFold(o.Name, c.name) && wholeIn(&x, o.Value, 0, math.MaxUint32) == nil {
			stated = true
		}
	}
	return x, stated
}

// With are the settings with other values of the policy's parameters, by name. A parameter that slurm.conf does not have, or a value that it cannot state, is an error.
func (s *Settings) With(values map[string]string) (*Settings, error) {
	changed := *s
	changed.Scheduler = slices.Clone(s.Scheduler)
	to := &settingsReader{Settings: changed}
	for _, p := range policySettings {
		value, given := values[p.Param]
		if !given {
			continue
		}
		text, err := p.FromPolicy(value)
		if err == nil {
			err = to.set(p, text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	for name := range values {
		if !slices.ContainsFunc(policySettings, func(p PolicySetting) bool { return p.Param == name }) {
			return nil, fmt.Errorf("%s: slurm.conf has no such setting", name)
		}
	}
	return &to.Settings, nil
}

// set sets what slurm.conf states.
func (s *settingsReader) set(p PolicySetting, text string) error {
	switch p.kind {
	case flagSetting:
		*flagsOf(&s.Priority.Flags)[p.Name] = text == "YES"
		s.Priority.Classic = s.Priority.Classic || s.Priority.DepthOblivious
		return nil
	case cycleSetting:
		o := Option{p.Name, text}
		if k := slices.IndexFunc(s.Scheduler, func(o Option) bool { return strings.EqualFold(o.Name, p.Name) }); k >= 0 {
			s.Scheduler[k].Value = text
		} else {
			s.Scheduler = append(s.Scheduler, o)
		}
		return o.check()
	}
	return settingReaders[strings.ToLower(p.Name)](s, text)
}

// ChangedLines returns the lines of slurm.conf in which the new settings of priorities and of the scheduler differ from the old ones. SchedulerParameters is one line, which
// repeats what stays.
func ChangedLines(from, to *Settings) ([]string, error) {
	list, err := Changed(from.Priority, to.Priority)
	if err != nil {
		return nil, err
	}
	if after := optionsText(to.Scheduler); after != optionsText(from.Scheduler) {
		list = append(list, "SchedulerParameters="+after)
	}
	return list, nil
}

// Before is, for each line of [ChangedLines], the value that the setting has before; a comment has none.
func Before(from *Settings, changed []string) ([]string, error) {
	stands, err := Lines(from.Priority)
	if err != nil {
		return nil, err
	}
	stands = append(stands, "SchedulerParameters="+cmp.Or(optionsText(from.Scheduler), "not stated"))
	list := make([]string, len(changed))
	for k, line := range changed {
		name, _, _ := strings.Cut(line, "=")
		list[k] = "not stated"
		if strings.HasPrefix(line, "#") {
			list[k] = ""
		}
		for _, old := range stands {
			if value, is := strings.CutPrefix(old, name+"="); is {
				list[k] = value
			}
		}
	}
	return list, nil
}

// optionsText is the options as SchedulerParameters states them.
func optionsText(options []Option) string {
	var words []string
	for _, o := range options {
		words = append(words, o.text())
	}
	return strings.Join(words, ",")
}
