package slurm

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model/budget"
)

// Settings are what slurm.conf, or scontrol show config, says of priorities and of the scheduler.
type Settings struct {
	Priority   multifactor.Settings
	Type       string            // PriorityType; empty: not stated
	Scheduler  []Option          // SchedulerParameters, in the order given
	Partitions []PartitionRules  // only slurm.conf states them
	HasNodes   bool              // it states nodes
	stated     map[string]string // by name in small letters; empty: stated to be nothing
}

// Option is one of the SchedulerParameters; one without a value is switched on.
type Option struct{ Name, Value string }

// PartitionRules are what a PartitionName line says of priorities.
type PartitionRules struct {
	Name      string
	JobFactor float64              // PriorityJobFactor
	Tier      float64              // PriorityTier
	Billing   []multifactor.Weight // TRESBillingWeights; nil: not stated
	MaxTime   float64              // minutes; 0: no limit
}

// Partition is the partition for a calculation of priorities. What its nodes have is not known here.
func (p *PartitionRules) Partition() multifactor.Partition {
	return multifactor.Partition{Name: p.Name, JobFactor: p.JobFactor, Billing: p.Billing, MaxTime: p.MaxTime}
}

// ReadSettings reads slurm.conf, or what scontrol show config prints. What is not stated has Slurm's default. A setting that is stated twice counts as stated last. Lines of
// nodes are passed over, and so are settings of other concerns; a setting or a flag of priorities that is not known is an error, which names the file and the line. The files
// of Include lines are opened by open, with names relative to the file that includes them; without it such a line is an error. O(n) for a file of n bytes.
func ReadSettings(src Source, open func(name string) (io.ReadCloser, error)) (*Settings, error) {
	return readSettings(src, open, true)
}

// readSettings is ReadSettings. Where priorities are not looked at, what is wrong with them is no error.
func readSettings(src Source, open func(name string) (io.ReadCloser, error), priorities bool) (*Settings, error) {
	s := &settingsReader{Settings: Settings{Priority: multifactor.DefaultSettings(), stated: map[string]string{}}, usual: PartitionRules{JobFactor: 1, Tier: 1}, partitions: map[string]int{}, priorities: priorities}
	if err := (&confLines{open: open, take: s.take}).read(src); err != nil {
		return nil, err
	}
	if !s.known {
		faults := lines.NewFaults(src.Name)
		faults.At("", "expected slurm.conf, or what %s prints, found no setting such as PriorityType or AccountingStorageEnforce", configCommand)
		return nil, faults.Err()
	}
	return &s.Settings, nil
}

// settingsReader takes the words of slurm.conf.
type settingsReader struct {
	Settings
	usual      PartitionRules // what PartitionName=DEFAULT said last
	partitions map[string]int
	known      bool // some setting is one of Slurm's
	priorities bool // what is wrong with the settings of priorities is an error
}

// settingReaders read the settings of priorities, by their names in small letters. What they return is what is wrong with the value.
var settingReaders = map[string]func(s *settingsReader, value string) error{
	"priorityweightage":       func(s *settingsReader, value string) error { return weight(&s.Priority.WeightAge, value) },
	"priorityweightassoc":     func(s *settingsReader, value string) error { return weight(&s.Priority.WeightAssoc, value) },
	"priorityweightfairshare": func(s *settingsReader, value string) error { return weight(&s.Priority.WeightFairshare, value) },
	"priorityweightjobsize":   func(s *settingsReader, value string) error { return weight(&s.Priority.WeightJobSize, value) },
	"priorityweightpartition": func(s *settingsReader, value string) error { return weight(&s.Priority.WeightPartition, value) },
	"priorityweightqos":       func(s *settingsReader, value string) error { return weight(&s.Priority.WeightQOS, value) },
	"priorityweighttres": func(s *settingsReader, value string) (err error) {
		s.Priority.WeightTRES, err = weights(value, false)
		return err
	},
	"prioritymaxage":        func(s *settingsReader, value string) error { return wholeMinutes(&s.Priority.MaxAge, value) },
	"prioritydecayhalflife": func(s *settingsReader, value string) error { return wholeMinutes(&s.Priority.HalfLife, value) },
	"prioritycalcperiod": func(s *settingsReader, value string) error {
		err := wholeMinutes(&s.Priority.CalcPeriod, value)
		if err == nil && s.Priority.CalcPeriod == 0 {
			return fmt.Errorf("expected a time above 0, found %s", lines.Quote(value))
		}
		return err
	},
	"priorityusageresetperiod": func(s *settingsReader, value string) error {
		k := slices.Index(multifactor.Periods, strings.ToUpper(value))
		if k < 0 {
			return fmt.Errorf("expected one of %s, found %s", strings.Join(multifactor.Periods, ", "), lines.Quote(value))
		}
		s.Priority.Reset = multifactor.Period(k)
		return nil
	},
	"priorityfavorsmall": func(s *settingsReader, value string) error {
		yes := strings.EqualFold(value, "YES")
		if !yes && !strings.EqualFold(value, "NO") {
			return fmt.Errorf("expected YES or NO, found %s", lines.Quote(value))
		}
		s.Priority.FavourSmall = yes
		return nil
	},
	"fairsharedampeningfactor": func(s *settingsReader, value string) error {
		return wholeIn(&s.Priority.Dampening, value, 1, math.MaxUint16)
	},
	"priorityflags":                func(s *settingsReader, value string) error { return s.flags(value) },
	"prioritytype":                 func(s *settingsReader, value string) error { s.Type = value; return nil },
	"priorityparameters":           func(*settingsReader, string) error { return nil },
	"prioritysitefactorplugin":     func(*settingsReader, string) error { return nil },
	"prioritysitefactorparameters": func(*settingsReader, string) error { return nil },
}

// otherRecords begin lines of slurm.conf that state no setting.
var otherRecords = []string{"nodename", "downnodes", "nodeset", "frontendname", "switchname"}

// knownSettings are settings of other concerns by which slurm.conf is told from other files, beside those of priorities.
var knownSettings = []string{"accountingstorageenforce", "slurm_version", "preempttype", "clustername", "schedulertype", "schedulerparameters"}

// decisive are settings of other concerns that an answer hangs on.
var decisive = []string{"FairShareDampeningFactor", "SchedulerParameters", "SchedulerType", "AccountingStorageType", "SelectType", "PreemptType", "PartitionName"}

// meant is the setting that an answer hangs on of which a key in small letters is a slip; empty: none. Slurm refuses such a key.
func meant(key string) string { return suggest.Slip(key, decisive) }

// take takes the words of a line.
func (s *settingsReader) take(at confPlace, words []confWord) {
	switch key := words[0].key; {
	case slices.Contains(otherRecords, key):
		s.HasNodes = s.HasNodes || key == "nodename"
		return
	case key == "partitionname":
		if s.priorities {
			s.partition(at, words)
		}
		return
	}
	for _, w := range words {
		read := settingReaders[w.key]
		s.known = s.known || read != nil || slices.Contains(knownSettings, w.key)
		s.state(w)
		switch {
		case w.key == "schedulerparameters":
			s.schedule(at, w.value)
		case !s.priorities:
		case read == nil && strings.HasPrefix(w.key, "priority"):
			at.fault("%s is no setting of priorities", lines.Quote(w.name))
		case isOption(w.key):
			at.fault("%s: expected it in SchedulerParameters, found it apart", lines.Name(w.name))
		case read == nil && meant(w.key) != "":
			at.fault("%s is no setting of Slurm; did you mean %s?", lines.Quote(w.name), meant(w.key))
		case read == nil, w.value == "" && w.key != "priorityflags": // scontrol show config prints what is not stated so
		default:
			if err := read(s, w.value); err != nil {
				at.fault("%s: %s", lines.Name(w.name), err)
			}
		}
	}
}

// schedule reads SchedulerParameters.
func (s *settingsReader) schedule(at confPlace, value string) {
	s.Scheduler = optionsOf(value)
	for _, o := range s.Scheduler {
		if err := o.check(); err != nil {
			at.fault("SchedulerParameters: %s", err)
		}
	}
}

// state keeps what a setting says.
func (s *settingsReader) state(w confWord) {
	const most = 2000
	if _, again := s.stated[w.key]; again || len(s.stated) < most {
		s.stated[w.key] = w.value
	}
}

// partition takes a line of a partition.
func (s *settingsReader) partition(at confPlace, words []confWord) {
	p := s.usual
	p.Name = words[0].value
	if k, again := s.partitions[p.Name]; again {
		p = s.Partitions[k]
	}
	number := func(into *float64, w confWord) {
		if err := wholeIn(into, w.value, 0, math.MaxUint16); err != nil {
			at.fault("%s: %s", lines.Name(w.name), err)
		}
	}
	for _, w := range words[1:] {
		switch w.key {
		case "priorityjobfactor":
			number(&p.JobFactor, w)
		case "prioritytier":
			number(&p.Tier, w)
		case "priority":
			number(&p.JobFactor, w)
			p.Tier = p.JobFactor
		case "tresbillingweights":
			list, err := weights(w.value, true)
			if err != nil {
				at.fault("%s: %s", lines.Name(w.name), err)
			}
			p.Billing = list
		case "maxtime":
			minutes, _, err := parseLimit(w.value)
			if err != nil {
				at.fault("%s: %s", lines.Name(w.name), err)
			}
			p.MaxTime = minutes
		}
	}
	if strings.EqualFold(p.Name, "DEFAULT") {
		s.usual = p
		return
	}
	if k, again := s.partitions[p.Name]; again {
		s.Partitions[k] = p
		return
	}
	if !at.faults.Names(atLine(at.line), budget.NamesOf[PartitionRules]()) {
		return
	}
	s.partitions[p.Name] = len(s.Partitions)
	s.Partitions = append(s.Partitions, p)
}

// weight reads the weight of a term, a whole number of 32 bits.
func weight(into *float64, value string) error { return wholeIn(into, value, 0, math.MaxUint32) }

// wholeIn reads a whole number in a range.
func wholeIn(into *float64, text string, least, most float64) error {
	x, err := lines.NonNegative(text)
	if err == nil && (x != math.Trunc(x) || x < least || x > most) {
		err = fmt.Errorf("expected a whole number in [%.0f, %.0f], found %s", least, most, lines.Quote(text))
	}
	if err == nil {
		*into = x
	}
	return err
}

// wholeMinutes reads a time as Slurm does where it keeps minutes: seconds are rounded up to a minute. The result is in seconds.
func wholeMinutes(into *float64, value string) error {
	minutes, limited, err := parseLimit(value)
	if err == nil && !limited && strings.Trim(value, "0:-") != "" {
		err = fmt.Errorf("expected a time, found %s", lines.Quote(value))
	}
	if err == nil {
		*into = math.Ceil(minutes) * 60
	}
	return err
}

// weights reads the weights of resources, such as CPU=1.0,Mem=0.25G. A weight of memory in bills is for each MB, or for each of the unit that it states.
func weights(text string, bills bool) ([]multifactor.Weight, error) {
	list := []multifactor.Weight{}
	for _, word := range splitWords(text) {
		stated, value, found := strings.Cut(word, "=")
		name := strings.ToLower(stated)
		if !found || name == "" {
			return nil, fmt.Errorf("expected weights such as CPU=1.0,Mem=0.25G, found %s", lines.Quote(word))
		}
		if slices.ContainsFunc(list, func(w multifactor.Weight) bool { return w.TRES == name }) {
			return nil, fmt.Errorf("%s is there twice", lines.Quote(stated))
		}
		per := 1.0
		if last := len(value) - 1; bills && name == "mem" && last > 0 {
			if unit, stated := map[byte]float64{'K': 1.0 / 1024, 'M': 1, 'G': 1 << 10, 'T': 1 << 20, 'P': 1 << 30}[value[last]&^0x20]; stated {
				per, value = unit, value[:last]
			}
		}
		x, err := lines.NonNegative(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Name(stated), err)
		}
		list = append(list, multifactor.Weight{TRES: name, Weight: x / per})
	}
	return list, nil
}

// flagsOf are where the settings keep PriorityFlags, by name.
func flagsOf(f *multifactor.Flags) map[string]*bool {
	return map[string]*bool{
		"NO_FAIR_TREE": &f.Classic, "DEPTH_OBLIVIOUS": &f.DepthOblivious, "SMALL_RELATIVE_TO_TIME": &f.RelativeToTime, "CALCULATE_RUNNING": &f.CalculateRunning,
		"ACCRUE_ALWAYS": &f.AccrueAlways, "INCR_ONLY": &f.IncreaseOnly, "MAX_TRES": &f.MaxTRES, "MAX_TRES_GRES": &f.MaxTRESGRES,
		"NO_NORMAL_ASSOC": &f.RawAssoc, "NO_NORMAL_PART": &f.RawPartition, "NO_NORMAL_QOS": &f.RawQOS, "NO_NORMAL_TRES": &f.RawTRES,
	}
}

// flags reads PriorityFlags. DEPTH_OBLIVIOUS is a kind of the classic fair share, so it sets that too, as Slurm does.
func (s *settingsReader) flags(value string) error {
	f := multifactor.Flags{}
	known := flagsOf(&f)
	for _, word := range splitWords(value) {
		switch word = strings.ToUpper(word); {
		case known[word] != nil:
			*known[word] = true
		case word == "NO_NORMAL_ALL":
			f.RawAssoc, f.RawPartition, f.RawQOS, f.RawTRES = true, true, true, true
		case word != "FAIR_TREE":
			return fmt.Errorf("%s is none of %s, NO_NORMAL_ALL", lines.Quote(word), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	f.Classic = f.Classic || f.DepthOblivious
	s.Priority.Flags = f
	return nil
}

// Stated is what a setting says, and whether it is stated and not empty. Its name may be in any case.
func (s *Settings) Stated(name string) (string, bool) {
	value := s.stated[strings.ToLower(name)]
	return value, value != ""
}
