package tune

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// Slurm is a site of Slurm whose slurm.conf is tuned.
type Slurm struct {
	Settings *slurm.Settings
	Caveats  []string // what of its settings the policy does not have
	// Again is the command that judges settings such as PriorityWeightAge=1000 on what is set aside, to see the effect again.
	Again func(settings []string) string

	associations []multifactor.Association
	qualities    []multifactor.Quality // that jobs of the trace have
}

// SlurmConf is an answer in the terms of slurm.conf.
type SlurmConf struct {
	Lines    []string `json:"lines"`              // to change; empty: none
	Before   []string `json:"before,omitempty"`   // the values of what was judged as they stand, line by line of tried
	Tried    []string `json:"tried"`              // the lines of what was judged, whether it is recommended or not; empty: nothing was found
	Settings []string `json:"settings,omitempty"` // of what was judged: those that differ, by their names in slurm.conf
	Command  string   `json:"command,omitempty"`  // judges these settings again
}

// The names of the settings as they stand, and of those that were found, in comparisons.
const (
	standingConf = "slurm.conf"
	changedConf  = "the changed slurm.conf"
)

// NewSlurmSpace makes the space of the settings of a site. The text is a policy in the order slurm, as [solve.Choose] reads it, to which the settings of slurm.conf are added; one that the text
// sets too is an error. The texts of vary are as for [NewSpace], with the names and the values of slurm.conf, such as PriorityWeightAge=0..10000 or bf_window=1440,2880, or
// those of the policy. Without them all settings are varied that the policy has and that may make a difference at the site.
func NewSlurmSpace(text string, site *Slurm, vary []string) (*Space, error) {
	choice, err := solve.Choose(text)
	if err != nil {
		return nil, err
	}
	if err := inOrder(&choice); err != nil {
		return nil, err
	}
	stated, err := site.Settings.Parameters()
	if err != nil {
		return nil, err
	}
	known := params.Of(choice.Solver)
	for _, p := range slurm.PolicySettings() {
		value, is := stated[p.Param]
		at := slices.IndexFunc(known, func(k params.Parameter) bool { return k.Name == p.Param })
		if _, twice := choice.Given[p.Param]; twice {
			return nil, fmt.Errorf("%s: expected %s in slurm.conf only, where it is %s", text, p.Param, p.Name)
		}
		switch {
		case is && at < 0:
			site.Caveats = append(site.Caveats, fmt.Sprintf("not followed of slurm.conf: %s: the policy %s does not have it", p.Name, choice.Info.Name))
		case is && known[at].Default != value:
			text += ":" + p.Param + "=" + value
		}
	}
	stands := vary
	if len(vary) == 0 {
		vary = site.varied(known)
	} else if vary, err = inPolicyTerms(vary); err != nil {
		return nil, err
	}
	space, err := NewSpace(text, vary)
	if err != nil {
		return nil, inTermsGiven(err, vary, stands)
	}
	space.slurm = site
	return space, space.stateable()
}

// inOrder refuses a choice that does not order its queue as Slurm does.
func inOrder(choice *solve.Choice) error {
	known := params.Of(choice.Solver)
	at := slices.IndexFunc(known, func(p params.Parameter) bool { return p.Name == "order" && slices.Contains(p.Values, "slurm") })
	switch {
	case at < 0:
		return fmt.Errorf("expected a policy that has the order slurm, such as backfill:order=slurm, found %s", choice.Label)
	case known[at].Default != "slurm":
		return fmt.Errorf("%s: expected the order slurm, as in %s:order=slurm", choice.Label, choice.Info.Name)
	}
	return nil
}

// varied are the parameters that are varied where nobody says which: those that may make a difference.
func (s *Slurm) varied(known []params.Parameter) (list []string) {
	jobFactors, qualities, associations := map[float64]bool{}, map[float64]bool{}, map[float64]bool{}
	for _, p := range s.Settings.Partitions {
		jobFactors[p.JobFactor] = true
	}
	for _, q := range s.qualities {
		qualities[q.Priority] = true
	}
	for _, a := range s.associations {
		associations[a.Priority] = true
	}
	for _, p := range slurm.PolicySettings() {
		matters := true
		switch p.Param {
		case "weight_queue":
			matters = len(jobFactors) > 1
		case "weight_quality":
			matters = len(qualities) > 1
		case "weight_association":
			matters = len(associations) > 1
		case "tests_queue":
			matters = len(s.Settings.Partitions) > 1
		case "fair_share":
			matters = !s.Settings.Priority.DepthOblivious
		case "calc_period", "damping", "delay":
			matters = false
		}
		if matters && slices.ContainsFunc(known, func(k params.Parameter) bool { return k.Name == p.Param }) {
			list = append(list, p.Param)
		}
	}
	return list
}

// inPolicyTerms turns the names and values of slurm.conf into those of the policy.
func inPolicyTerms(vary []string) ([]string, error) {
	list := slices.Clone(vary)
	for k, text := range vary {
		name, limits, limited := strings.Cut(text, "=")
		p, err := slurm.PolicySettingOf(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		if list[k] = p.Param; name == p.Param { // the policy's name, so the policy's values
			list[k] = text
			continue
		}
		if !limited {
			continue
		}
		var parts []string
		var scale string
		apart := ","
		low, high, interval := strings.Cut(limits, "..")
		if interval {
			apart = ".."
			for _, s := range []string{":log", ":linear"} {
				if rest, scaled := strings.CutSuffix(high, s); scaled {
					high, scale = rest, s
				}
			}
			parts = []string{low, high}
		} else {
			parts = strings.Split(limits, ",")
		}
		for at := range parts {
			if parts[at], err = p.ToPolicy(parts[at]); err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
		}
		if len(parts) < 2 {
			return nil, fmt.Errorf("%s: expected an interval LOW..HIGH or at least two values, found one", text)
		}
		if interval && !rising(parts) {
			return nil, fmt.Errorf("%s: expected an interval of two numbers or times, the smaller first", text)
		}
		list[k] += "=" + strings.Join(parts, apart) + scale
	}
	return list, nil
}

// inTermsGiven is an error about a parameter in the policy's terms as one in those that were given.
func inTermsGiven(err error, policy, given []string) error {
	for k := range given {
		if rest, is := strings.CutPrefix(err.Error(), policy[k]+": "); is && policy[k] != given[k] {
			name, _, _ := strings.Cut(policy[k], "=")
			return fmt.Errorf("%s: %s", given[k], strings.TrimPrefix(rest, "parameter "+name+": "))
		}
	}
	return err
}

// rising reports whether two texts are numbers, the smaller first.
func rising(ends []string) bool {
	low, err := strconv.ParseFloat(ends[0], 64)
	high, wrong := strconv.ParseFloat(ends[1], 64)
	return err == nil && wrong == nil && low < high
}

// stateable keeps the space to values that slurm.conf can state.
func (s *Space) stateable() error {
	for k := range s.Dimensions {
		d := &s.Dimensions[k]
		p, err := slurm.PolicySettingOf(d.Name)
		if err != nil {
			return err
		}
		ends := d.Values
		if d.Kind != categorical {
			ends, d.unit = []string{d.number(d.Low), d.number(d.High)}, p.Unit
			if d.Kind == Real && (d.Step == 0 || math.Mod(d.Step, p.Unit) != 0) {
				d.Step = p.Unit
			}
		}
		for _, value := range ends {
			if _, err := p.FromPolicy(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// SlurmChoice is the choice with settings such as PriorityWeightAge=1000, by their names in slurm.conf or the policy's; the others are as they stand. The settings may be any
// that the policy has.
func (s *Space) SlurmChoice(settings []string) (*solve.Choice, error) {
	values := map[string]string{}
	for _, text := range settings {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("expected NAME=VALUE such as PriorityWeightAge=1000, found %q", text)
		}
		p, err := slurm.PolicySettingOf(name)
		if err != nil {
			return nil, err
		}
		if name != p.Param {
			if value, err = p.ToPolicy(value); err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
		} else if _, err := p.FromPolicy(value); err != nil {
			return nil, err
		}
		if _, twice := values[p.Param]; twice {
			return nil, fmt.Errorf("%s: expected each setting once, found %s twice", text, p.Name)
		}
		values[p.Param] = value
	}
	stated, err := s.slurm.Settings.Parameters()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(values, func(name, value string) bool { return stated[name] == value })
	if len(values) == 0 {
		return nil, errors.New("expected a setting that differs from slurm.conf, found none")
	}
	choice, err := solve.Choose(s.text)
	if err == nil {
		err = choice.SetAll(values)
	}
	if err == nil {
		err = params.Check(choice.Solver)
	}
	if err != nil {
		return nil, err
	}
	choice.Label = text(&choice)
	return &choice, nil
}

// JudgeSlurm compares settings with those that stand, on the part of a trace that [Trace] sets aside.
func JudgeSlurm(ctx context.Context, space *Space, in *model.Instance, metric string, choice *solve.Choice, opt Options) (*Answer, error) {
	if err := trainable(space, in); err != nil {
		return nil, err
	}
	parts, err := partTrace(in, metric, opt.HeldOut)
	if err != nil {
		return nil, err
	}
	about, held, err := againstRecord(ctx, space, in, metric, &opt)
	if held != nil || err != nil {
		return held, err
	}
	base := space.base
	base.Label = text(&base)
	t := &tuning{space: space, opt: opt, best: &candidate{choice: choice}, race: &race{standing: &candidate{choice: &base}}}
	t.question.Metric, t.question.Trace, t.question.Digest = metric, in.Name(), in.SHA256()
	t.question.SetAside = []string{fmt.Sprintf("the last %d jobs", len(parts.held))}
	t.state(parts.plan, parts.places, nil)
	a := &Answer{Caveats: in.Caveats(), About: about, Format: format, Version: solve.Version(), Question: t.question, Found: choice.Label, Recommended: t.question.Solver, Keep: true}
	if err := t.judgeTrace(ctx, a, only(in, parts.held), metric); err != nil {
		return nil, err
	}
	a.decide()
	return a, space.slurm.answer(a, choice.Given)
}

// answer adds what the answer means for slurm.conf. given are the parameters of what was found, by name.
func (s *Slurm) answer(a *Answer, given map[string]string) error {
	if s == nil {
		return nil
	}
	a.Caveats = slices.Concat(a.Caveats, s.Caveats)
	a.SlurmConf = &SlurmConf{Lines: []string{}, Tried: []string{}}
	values := map[string]string{}
	stated, err := s.Settings.Parameters()
	if err != nil {
		return err
	}
	for _, p := range slurm.PolicySettings() {
		value, set := given[p.Param]
		if old, is := stated[p.Param]; !set || is && old == value {
			continue
		}
		values[p.Param] = value
		text, err := p.FromPolicy(value)
		if err != nil {
			return err
		}
		a.SlurmConf.Settings = append(a.SlurmConf.Settings, p.Name+"="+text)
	}
	if a.Found == a.Question.Solver {
		return nil
	}
	changed, err := s.Settings.With(values)
	if err != nil {
		return err
	}
	if a.SlurmConf.Tried, err = slurm.ChangedLines(s.Settings, changed); err != nil {
		return err
	}
	if a.SlurmConf.Before, err = slurm.Before(s.Settings, a.SlurmConf.Tried); err != nil {
		return err
	}
	if !a.Keep {
		a.SlurmConf.Lines = a.SlurmConf.Tried
	}
	a.SlurmConf.Command = s.Again(a.SlurmConf.Settings)
	return nil
}

// NewSlurm is a site whose trace states its policy, as [slurm.Files] make it. Settings under which the simulation has no meaning are an error, which names them.
func NewSlurm(settings *slurm.Settings, in *model.Instance) (*Slurm, error) {
	if list := settings.Refused(); len(list) > 0 {
		return nil, fmt.Errorf("slurm.conf states what is not simulated:\n  %s", strings.Join(list, "\n  "))
	}
	s := &Slurm{Settings: settings}
	if in.Site() == nil {
		return s, nil
	}
	_, associations, qualities, err := slurm.OfSite(in.Site())
	if err != nil {
		return nil, err
	}
	stated := map[string]bool{}
	for k := range in.Jobs() {
		stated[in.Jobs()[k].Quality()] = true
	}
	s.associations = associations
	if slices.ContainsFunc(qualities, func(q multifactor.Quality) bool { return stated[q.Name] }) {
		s.qualities = qualities
	}
	return s, nil
}
