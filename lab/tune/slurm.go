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
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/solve"
)

// Slurm is a site of Slurm whose slurm.conf is tuned.
type Slurm struct {
	Settings *slurm.Settings
	Site     *backfill.Site // what the order slurm knows of it
	Caveats  []string       // what of its settings is not followed, and what is not known of it
	// Again is the command that judges settings such as PriorityWeightAge=1000 on what is set aside, to see the effect again.
	Again  func(settings []string) string
	digest string
}

// SlurmConf is an answer in the terms of slurm.conf.
type SlurmConf struct {
	Lines    []string `json:"lines"`              // to change; empty: none
	Tried    []string `json:"tried"`              // the lines of what was judged, whether it is recommended or not; empty: nothing was found
	Settings []string `json:"settings,omitempty"` // of what was judged: those that differ, by their names in slurm.conf
	Command  string   `json:"command,omitempty"`  // judges these settings again
}

// The names of the settings as they stand, and of those that were found, in comparisons.
const (
	standingConf = "slurm.conf"
	changedConf  = "the changed slurm.conf"
)

// siteTaker is a policy that orders its queue as Slurm does.
type siteTaker interface {
	OnSite(site *backfill.Site) error
}

// NewSlurmSpace makes the space of the settings of a site. The text is a policy in the order slurm, as [solve.Choose] reads it, to which the settings of slurm.conf are added; one that the text
// sets too is an error. The texts of vary are as for [NewSpace], with the names and the values of slurm.conf, such as PriorityWeightAge=0..10000 or bf_window=1440,2880, or
// those of the policy. Without them all settings are varied that the policy has and that may make a difference at the site. digest tells sites apart.
func NewSlurmSpace(text string, site *Slurm, vary []string, digest string) (*Space, error) {
	choice, err := solve.Choose(text)
	if err != nil {
		return nil, err
	}
	if err := onSite(&choice, site.Site); err != nil {
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
	site.digest = digest
	space.slurm = site
	space.slurm.settle(&space.base)
	return space, space.stateable()
}

// settle puts a choice on the site.
func (s *Slurm) settle(choice *solve.Choice) {
	if s == nil {
		return
	}
	if err := onSite(choice, s.Site); err != nil {
		panic(err) // the order is no dimension
	}
}

// onSite puts a policy in the order slurm on a site. Another choice is an error.
func onSite(choice *solve.Choice, site *backfill.Site) error {
	policy, _ := solve.PolicyOf(choice.Solver)
	taker, ok := policy.(siteTaker)
	if !ok {
		return fmt.Errorf("expected a policy that has the order slurm, such as backfill:order=slurm, found %s", choice.Label)
	}
	if err := taker.OnSite(site); err != nil {
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
	for _, q := range s.Site.Qualities {
		qualities[q.Priority] = true
	}
	for _, a := range s.Site.Associations {
		associations[a.Priority] = true
	}
	for _, p := range slurm.PolicySettings() {
		matters := true
		switch p.Param {
		case "weight_queue":
			matters = len(jobFactors) > 1
		case "weight_quality":
			matters = len(qualities) > 1 && s.Site.Of != nil
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
			ends = []string{d.number(d.Low), d.number(d.High)}
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
	s.slurm.settle(&choice)
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
	base := space.base
	base.Label = text(&base)
	t := &tuning{space: space, opt: opt, best: &candidate{choice: choice}, race: &race{standing: &candidate{choice: &base}}}
	t.question.Metric, t.question.Trace, t.question.Digest = metric, in.Name(), in.SHA256()+space.slurm.digest
	t.question.SetAside = []string{fmt.Sprintf("the last %d jobs", len(parts.held))}
	t.state(parts.plan, parts.places, nil)
	a := &Answer{Caveats: in.Caveats(), Format: format, Version: solve.Version(), Question: t.question, Found: choice.Label, Recommended: t.question.Solver, Keep: true}
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
	if !a.Keep {
		a.SlurmConf.Lines = a.SlurmConf.Tried
	}
	a.SlurmConf.Command = s.Again(a.SlurmConf.Settings)
	return nil
}

// NewSlurm gathers what is known of a site. tree and qualities are what sacctmgr says; nil: nothing. qos is the quality of service of the jobs of the trace by id; nil: the trace does not say it.
// Settings under which the simulation has no meaning are an error, which names them. Others that it does not follow are caveats.
func NewSlurm(settings *slurm.Settings, in *model.Instance, files SlurmFiles) (*Slurm, error) {
	if list := settings.Refused(); len(list) > 0 {
		return nil, fmt.Errorf("slurm.conf states what is not simulated:\n  %s", strings.Join(list, "\n  "))
	}
	s := &Slurm{Settings: settings, Site: &backfill.Site{Settings: settings.Priority, Associations: files.Associations}}
	s.Site.Qualities = files.Qualities
	if settings.Type == "" {
		s.Caveats = append(s.Caveats, "slurm.conf does not state PriorityType: it is taken to be priority/multifactor, as Slurm does since 23.11")
	}
	for _, p := range settings.Partitions {
		s.Site.Partitions = append(s.Site.Partitions, p.Partition())
	}
	for _, what := range settings.Unsupported() {
		s.Caveats = append(s.Caveats, "not followed of slurm.conf: "+what)
	}
	s.Caveats = append(s.Caveats, s.unknown(in, files)...)
	return s, nil
}

// SlurmFiles is what is known of a site besides its slurm.conf.
type SlurmFiles struct {
	Associations []multifactor.Association // with no usage; nil: not known
	Qualities    []multifactor.Quality     // nil: not known
	QOS          map[string]string         // of the jobs of the trace, by id; nil: the trace does not say it
}

// unknown says what is not known of the jobs, and counts those that it touches.
func (s *Slurm) unknown(in *model.Instance, files SlurmFiles) (list []string) {
	say := func(format string, parts ...any) { list = append(list, fmt.Sprintf(format, parts...)) }
	s.knowQualities(in, files, say)
	say("the nice value and the site factor of jobs are not known: they count as 0")
	p := &s.Settings.Priority
	if len(files.Associations) == 0 {
		say("the shares of accounts and users are not known (--assoc): all accounts, and all users of an account, have equal shares")
	} else {
		known := map[[2]string]bool{}
		for _, a := range files.Associations {
			known[[2]string{a.Account, a.User}] = true
		}
		if jobs := countJobs(in, func(j *model.Job) bool { return !known[[2]string{j.Group(), j.User()}] }); jobs > 0 {
			say("%d of %d jobs belong to accounts or users that are not among the associations: these have one share each", jobs, len(in.Jobs()))
		}
	}
	say("what accounts have used before the first job is not known: it counts as 0")
	partitions := map[string]bool{}
	for _, of := range s.Settings.Partitions {
		partitions[of.Name] = true
	}
	if jobs := countJobs(in, func(j *model.Job) bool {
		return slices.ContainsFunc(strings.Split(j.Queue(), ","), func(name string) bool { return !partitions[name] })
	}); len(partitions) > 0 && jobs > 0 {
		say("%d of %d jobs name a partition that slurm.conf does not have: its PriorityJobFactor counts as 1", jobs, len(in.Jobs()))
	}
	if single(in) && p.WeightJobSize > 0 {
		say("the trace does not say which nodes there are: for PriorityWeightJobSize each processor is a node, and each job asks for one")
	}
	return list
}

// knowQualities tells the order of the qualities of service of jobs, as far as they are known.
func (s *Slurm) knowQualities(in *model.Instance, files SlurmFiles, say func(format string, parts ...any)) {
	of := func(id string) string {
		if quality, known := files.QOS[id]; known {
			return quality
		}
		first, _, _ := strings.Cut(id, "-") // of a job that was requeued
		return files.QOS[first]
	}
	known := map[string]bool{}
	for _, q := range files.Qualities {
		known[q.Name] = true
	}
	stating := countJobs(in, func(j *model.Job) bool { return of(j.ID) != "" })
	strange := countJobs(in, func(j *model.Job) bool { return of(j.ID) != "" && !known[of(j.ID)] })
	switch {
	case stating == 0:
		say("the trace does not state the quality of service of jobs: its priority counts as 0")
	case len(known) == 0:
		say("%d of %d jobs state a quality of service; their priorities are not known (--qos) and count as 0", stating, len(in.Jobs()))
	case strange > 0:
		say("%d of %d jobs state a quality of service that is not in the file: its priority counts as 0", strange, len(in.Jobs()))
	}
	if stating > strange {
		s.Site.Of = func(id string) (quality string, nice, factor float64) {
			if quality = of(id); !known[quality] {
				quality = ""
			}
			return quality, 0, 0
		}
	}
}

// countJobs counts the jobs of which something holds.
func countJobs(in *model.Instance, holds func(j *model.Job) bool) (n int) {
	for k := range in.Jobs() {
		if holds(&in.Jobs()[k]) {
			n++
		}
	}
	return n
}

// single reports whether all machines have one processor.
func single(in *model.Instance) bool {
	for c := range in.Clusters() {
		for m := range in.Clusters()[c].Machines {
			if in.Clusters()[c].Machines[m].Processors > 1 {
				return false
			}
		}
	}
	return true
}
