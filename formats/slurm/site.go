package slurm

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// Files are the files of a site of Slurm beside its jobs, by their names.
type Files struct {
	SlurmConf  string `json:"slurm_conf,omitempty" zero:"none" absent:"none" doc:"'FILE' with slurm.conf, or what scontrol show config prints: the site's machines and partitions, as far as it states them, and its policy"`
	Nodes      string `json:"nodes,omitempty" zero:"those of --slurm-conf, else one pool of processors" absent:"those of --slurm-conf, else one pool of processors" doc:"of a trace of sacct: 'FILE' with what scontrol show node prints, with --json or without, the table of sinfo -N, or slurm.conf"`
	Partitions string `json:"partitions,omitempty" zero:"those of --slurm-conf, else those that the nodes name" absent:"those of --slurm-conf, else those that the nodes name" doc:"of a trace of sacct: 'FILE' with what scontrol show partition prints, with --json or without"`
	Assoc      string `json:"assoc,omitempty" zero:"none" absent:"none" doc:"with --slurm-conf: 'FILE' with what sacctmgr show assoc -P prints (with ParentName in its format, or with tree): the shares of accounts and users"`
	QOS        string `json:"qos,omitempty" zero:"none" absent:"none" doc:"with --slurm-conf: 'FILE' with what sacctmgr show qos -P prints: the priorities of qualities of service"`
}

// Texts takes the files for their texts: it returns files with names of their own, and a function that opens them.
func (f Files) Texts() (Files, func(name string) (io.ReadCloser, error)) {
	texts := map[string]string{}
	named := func(name, text string) string {
		if text == "" {
			return ""
		}
		texts[name] = text
		return name
	}
	files := Files{named("slurm_conf", f.SlurmConf), named("nodes", f.Nodes), named("partitions", f.Partitions), named("assoc", f.Assoc), named("qos", f.QOS)}
	return files, func(name string) (io.ReadCloser, error) {
		text, known := texts[name]
		if !known {
			return nil, fmt.Errorf("no file %s is given", lines.Name(name))
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

// check says which files do not go together: a [*model.InputError] with the option.
func (f Files) check() error {
	faults := lines.NewFaults("")
	for _, c := range []struct{ option, path string }{{"Assoc", f.Assoc}, {"QOS", f.QOS}} {
		if c.path != "" && f.SlurmConf == "" {
			faults.At("option "+c.option, "expected --slurm-conf too")
		}
	}
	return faults.Err()
}

// site is what the files say of a site's policy.
type site struct {
	settings     *Settings
	associations []multifactor.Association // with no usage; nil: not known
	qualities    []multifactor.Quality     // nil: not known
}

// source reads a file whole, from a budget.
func source(path string, open opener, b *budget.Budget) (Source, error) {
	file, err := open(path)
	if err != nil {
		return Source{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(b.Reader(file))
	return Source{b.Reader(bytes.NewReader(text)), model.InputName(path)}, err
}

// Settings reads slurm.conf, with the files that it includes; nil: none is named.
func (f Files) Settings(open func(name string) (io.ReadCloser, error)) (*Settings, error) {
	return f.settings(open, budget.Own())
}

func (f Files) settings(open opener, b *budget.Budget) (*Settings, error) {
	if f.SlurmConf == "" {
		return nil, nil
	}
	src, err := source(f.SlurmConf, open, b)
	if err != nil {
		return nil, err
	}
	return ReadSettings(src, open)
}

// site reads what the files say of the policy; nil: they do not.
func (f Files) site(open opener, b *budget.Budget) (*site, error) {
	if err := f.check(); err != nil || f.SlurmConf == "" {
		return nil, err
	}
	s := &site{}
	var err error
	if s.settings, err = f.settings(open, b); err != nil {
		return nil, err
	}
	for _, table := range []struct {
		path string
		read func(src Source) error
	}{
		{f.Assoc, func(src Source) (err error) { s.associations, err = ReadAssociations(src, Source{}); return err }},
		{f.QOS, func(src Source) (err error) { s.qualities, err = ReadQualities(src); return err }},
	} {
		if table.path == "" {
			continue
		}
		src, err := source(table.path, open, b)
		if err == nil {
			err = table.read(src)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Onto is an instance with the policy of the site, whose machines stay; the same instance where no slurm.conf is named. The files are opened by open.
func (f Files) Onto(in *model.Instance, open func(name string) (io.ReadCloser, error)) (*model.Instance, error) {
	s, err := f.site(open, budget.Own())
	if err != nil || s == nil {
		return in, err
	}
	spec := in.Spec()
	spec.Caveats = slices.Clone(spec.Caveats)
	s.onto(&spec, false)
	return model.New(spec)
}

// onto states the policy of the site in an instance, and in its caveats what of it is not followed or not known. Of a queue as it is now Slurm has told the priorities, and the report of
// the import what is not followed.
func (s *site) onto(spec *model.InstanceSpec, now bool) {
	ranked := slices.ContainsFunc(spec.Jobs, func(j model.JobSpec) bool { return strings.Contains(j.UserClass, priorityPrefix) })
	policy, said := s.settings.policy(ranked, now)
	spec.Policy, spec.PolicyAssumed, spec.Site = policy, false, nil
	if strings.Contains(policy, orderSlurm) {
		spec.Site = s.spec()
		said = append(said, s.unknown(spec)...)
	}
	for _, what := range said {
		if !now && !slices.Contains(spec.Caveats, what) {
			spec.Caveats = append(spec.Caveats, what)
		}
	}
}

// assumed states Slurm's default policy in an instance of a site whose settings no file says, and that it is assumed. Where the record has priorities these order the queue.
func assumed(spec *model.InstanceSpec) {
	s := &site{settings: &Settings{Priority: multifactor.DefaultSettings()}}
	s.onto(spec, true)
	spec.PolicyAssumed = true
}

// orderSlurm is a choice's order of priority/multifactor.
const orderSlurm = ":order=slurm"

// policy is the policy of the settings, as a choice; where it is not known, the nearest one, and what is said of that. Ranked: the record has priorities; now: they are those of Slurm at time 0.
func (s *Settings) policy(ranked, now bool) (choice string, said []string) {
	say := func(format string, parts ...any) { said = append(said, fmt.Sprintf(format, parts...)) }
	choice = "backfill"
	scheduler, _ := s.Stated("SchedulerType")
	if strings.EqualFold(scheduler, "sched/builtin") || slices.ContainsFunc(s.Scheduler, Option.noBackfill) {
		choice = "fcfs"
	}
	for _, what := range s.Unsupported() {
		if !strings.HasPrefix(what, "PriorityType=priority/basic:") && !(choice == "fcfs" && strings.HasPrefix(what, "Scheduler")) {
			say("not followed of slurm.conf: %s", what)
		}
	}
	kind := strings.ToLower(s.Type)
	if kind == "" && s.before(23, 11) {
		kind = "priority/basic"
	} else if kind == "" {
		if kind = "priority/multifactor"; !s.before(1000, 0) {
			say("slurm.conf does not state PriorityType: it is taken to be priority/multifactor, as Slurm does since 23.11")
		}
	}
	order := ""
	if now || kind != "priority/basic" {
		if ranked {
			order = ":order=priority"
		}
		if kind == "priority/multifactor" && !now {
			if text, why := s.orderText(); why == "" {
				order = text
			} else {
				say("not followed of slurm.conf: %s", why)
			}
		}
	}
	if choice += order; strings.HasPrefix(choice, "backfill") {
		choice += cyclesText(s.Scheduler)
	}
	return choice, said
}

// orderText is the order slurm with its parameters that are not the policy's usual ones; or why there is none.
func (s *Settings) orderText() (text, why string) {
	stated := *s
	f := &stated.Priority
	if kind, is := s.Stated("AccountingStorageType"); is && !strings.EqualFold(kind, "accounting_storage/slurmdbd") {
		f.WeightAge, f.WeightFairshare = 0, 0 // without slurmdbd Slurm counts neither
	}
	values, err := stated.Parameters()
	if err != nil {
		return "", err.Error()
	}
	usual := Settings{Priority: multifactor.DefaultSettings()}
	left, _ := usual.Parameters()
	for _, weighs := range []string{"weight_age", "weight_size", "weight_share"} {
		delete(left, weighs) // the policy has others
	}
	text = orderSlurm
	for _, p := range policySettings {
		if value, is := values[p.Param]; is && p.kind != cycleSetting && value != left[p.Param] {
			text += ":" + p.Param + "=" + value
		}
	}
	return text, ""
}

// before says that the settings state a version of Slurm, as scontrol show config does, and that it is an earlier one.
func (s *Settings) before(year, month int) bool {
	version, _ := s.Stated("SLURM_VERSION")
	parts := strings.Split(version, ".")
	if len(parts) < 2 {
		return false
	}
	y, err := strconv.Atoi(parts[0])
	m, wrong := strconv.Atoi(parts[1])
	return err == nil && wrong == nil && cmp.Or(cmp.Compare(y, year), cmp.Compare(m, month)) < 0
}

// spec is what the order slurm counts by beside its parameters; nil: nothing.
func (s *site) spec() *model.SiteSpec {
	spec := &model.SiteSpec{}
	rest, usual := s.settings.Priority, multifactor.DefaultSettings()
	usual.WeightTRES, usual.Flags, usual.Reset = rest.WeightTRES, rest.Flags, rest.Reset
	usual.Classic, usual.RelativeToTime = false, false // parameters say it
	if usual.DepthOblivious {
		usual.Classic = true
	}
	spec.Settings, _ = Changed(multifactor.DefaultSettings(), usual) // what was read is stateable
	for _, p := range s.settings.Partitions {
		line := "PartitionName=" + quoted(p.Name)
		if p.JobFactor != 1 {
			line += " PriorityJobFactor=" + plain(p.JobFactor)
		}
		if p.Billing != nil {
			line += " TRESBillingWeights=" + strings.Join(kit.Each(p.Billing, func(w multifactor.Weight) string { return w.TRES + "=" + plain(w.Weight) }), ",")
		}
		if strings.Contains(line, "= ") || strings.Count(line, "=") > 1 {
			spec.Settings = append(spec.Settings, line)
		}
	}
	if len(s.associations) > 0 {
		spec.Accounts = []string{"Account|User|Partition|ParentName|Share|Priority"}
		for _, a := range s.associations {
			share := plain(a.Shares)
			if a.Inherits {
				share = "parent"
			}
			spec.Accounts = append(spec.Accounts, strings.Join([]string{a.Account, a.User, a.Partition, a.Parent, share, plain(a.Priority)}, "|"))
		}
	}
	if len(s.qualities) > 0 {
		spec.Qualities = []string{"Name|Priority|UsageFactor"}
		for _, q := range s.qualities {
			spec.Qualities = append(spec.Qualities, strings.Join([]string{q.Name, plain(q.Priority), plain(q.UsageFactor)}, "|"))
		}
	}
	if len(spec.Settings)+len(spec.Accounts)+len(spec.Qualities) == 0 {
		return nil
	}
	return spec
}

// quoted is a value of slurm.conf.
func quoted(text string) string {
	if strings.ContainsAny(text, " \t") {
		return `"` + text + `"`
	}
	return text
}

// OfSite is what an instance states of its site: the priorities that no parameter of the order slurm says, the partitions, the associations and the qualities of service.
func OfSite(spec *model.SiteSpec) (settings *Settings, associations []multifactor.Association, qualities []multifactor.Quality, err error) {
	settings = &Settings{Priority: multifactor.DefaultSettings()}
	text := func(list []string) Source { return Source{strings.NewReader(strings.Join(list, "\n") + "\n"), "site"} }
	if len(spec.Settings) > 0 {
		lines := append([]string{"ClusterName=site"}, spec.Settings...) // so that they are slurm.conf, whatever they say
		settings, err = ReadSettings(text(lines), nil)
	}
	if err == nil && len(spec.Accounts) > 0 {
		associations, err = ReadAssociations(text(spec.Accounts), Source{})
	}
	if err == nil && len(spec.Qualities) > 0 {
		qualities, err = ReadQualities(text(spec.Qualities))
	}
	return settings, associations, qualities, err
}

// unknown says what the order slurm does not know of the jobs, and counts those that it touches.
func (s *site) unknown(spec *model.InstanceSpec) (list []string) {
	say := func(format string, parts ...any) { list = append(list, fmt.Sprintf(format, parts...)) }
	jobs := len(spec.Jobs)
	count := func(holds func(j *model.JobSpec) bool) (n int) {
		for k := range spec.Jobs {
			if holds(&spec.Jobs[k]) {
				n++
			}
		}
		return n
	}
	known := map[string]bool{}
	for _, q := range s.qualities {
		known[q.Name] = true
	}
	stating := count(func(j *model.JobSpec) bool { return j.Quality != "" })
	strange := count(func(j *model.JobSpec) bool { return j.Quality != "" && !known[j.Quality] })
	switch {
	case stating == 0:
		say("the trace does not state the quality of service of jobs: its priority counts as 0")
	case len(known) == 0:
		say("%d of %d jobs state a quality of service; their priorities are not known (--qos) and count as 0", stating, jobs)
	case strange > 0:
		say("%d of %d jobs state a quality of service that is not in the file: its priority counts as 0", strange, jobs)
	}
	say("the nice value and the site factor of jobs are not known: they count as 0")
	if len(s.associations) == 0 {
		say("the shares of accounts and users are not known (--assoc): all accounts, and all users of an account, have equal shares")
	} else {
		known := map[[2]string]bool{}
		for _, a := range s.associations {
			known[[2]string{a.Account, a.User}] = true
		}
		if n := count(func(j *model.JobSpec) bool { return !known[[2]string{j.Group, j.User}] }); n > 0 {
			say("%d of %d jobs belong to accounts or users that are not among the associations: these have one share each", n, jobs)
		}
	}
	say("what accounts have used before the first job is not known: it counts as 0")
	partitions := map[string]bool{}
	for _, p := range s.settings.Partitions {
		partitions[p.Name] = true
	}
	if n := count(func(j *model.JobSpec) bool {
		return slices.ContainsFunc(strings.Split(j.Queue, ","), func(name string) bool { return !partitions[name] })
	}); len(partitions) > 0 && n > 0 {
		say("%d of %d jobs name a partition that slurm.conf does not have: its PriorityJobFactor counts as 1", n, jobs)
	}
	if s.settings.Priority.WeightJobSize > 0 && !slices.ContainsFunc(spec.Clusters, func(c model.ClusterSpec) bool {
		return slices.ContainsFunc(c.Machines, func(m model.MachineSpec) bool { return m.Processors > 1 })
	}) {
		say("the trace does not say which nodes there are: for PriorityWeightJobSize each processor is a node, and each job asks for one")
	}
	return list
}
