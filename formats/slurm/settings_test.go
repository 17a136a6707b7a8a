package slurm

import (
	"errors"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/model"
)

// conf is a slurm.conf with all that the reader must know of its form.
const conf = `# a comment
ClusterName=lab   SlurmctldHost = head   # two on a line, and blanks
priorityTYPE=priority/multifactor
PriorityWeightAge=1 \
  PriorityWeightFairShare=2
PriorityWeightJobSize=3
PriorityWeightPartition=4
PriorityWeightQOS=5
PriorityWeightAssoc=6
PriorityWeightTRES=CPU=7,Mem=8,GRES/gpu=9
PriorityWeightAge=10
PriorityMaxAge=1-12
PriorityDecayHalfLife=90
PriorityCalcPeriod=00:00:30
PriorityUsageResetPeriod=Quarterly
PriorityFavorSmall=yes
PriorityFlags=DEPTH_OBLIVIOUS,no_normal_all
FairShareDampeningFactor=3
SchedulerParameters="bf_interval=60,bf_continue"
NodeName=cn[1-4] CPUs=16 Priority=x
PartitionName=DEFAULT PriorityJobFactor=7 MaxTime=1:00:00
PartitionName=batch Nodes=ALL TRESBillingWeights="CPU=1.0,Mem=0.25G,GRES/gpu=2.0"
PartitionName=short Nodes=ALL PriorityTier=2 PriorityJobFactor=1 MaxTime=INFINITE
PartitionName=old Nodes=ALL Priority=3
`

// confPriorities are the priorities of conf.
var confPriorities = multifactor.Settings{
	WeightAge: 10, WeightFairshare: 2, WeightJobSize: 3, WeightPartition: 4, WeightQOS: 5, WeightAssoc: 6,
	WeightTRES: []multifactor.Weight{{TRES: "cpu", Weight: 7}, {TRES: "mem", Weight: 8}, {TRES: "gres/gpu", Weight: 9}},
	MaxAge:     36 * 3600, HalfLife: 90 * 60, CalcPeriod: 60, Reset: multifactor.Quarterly, Dampening: 3, FavourSmall: true,
	Flags: multifactor.Flags{Classic: true, DepthOblivious: true, RawAssoc: true, RawPartition: true, RawQOS: true, RawTRES: true},
}

// readConf reads settings from a text.
func readConf(text string) (*Settings, error) {
	return ReadSettings(Source{strings.NewReader(text), "slurm.conf"}, nil)
}

func TestReadSettings(t *testing.T) {
	s, err := readConf(conf)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Priority, confPriorities) {
		t.Errorf("expected %+v, found %+v", confPriorities, s.Priority)
	}
	if s.Type != "priority/multifactor" || !reflect.DeepEqual(s.Scheduler, []Option{{"bf_interval", "60"}, {"bf_continue", ""}}) {
		t.Errorf("found %q, %+v", s.Type, s.Scheduler)
	}
	want := []PartitionRules{
		{Name: "batch", JobFactor: 7, Tier: 1, MaxTime: 60, Billing: []multifactor.Weight{{TRES: "cpu", Weight: 1}, {TRES: "mem", Weight: 0.25 / 1024}, {TRES: "gres/gpu", Weight: 2}}},
		{Name: "short", JobFactor: 1, Tier: 2},
		{Name: "old", JobFactor: 3, Tier: 3, MaxTime: 60},
	}
	if !reflect.DeepEqual(s.Partitions, want) {
		t.Errorf("expected %+v, found %+v", want, s.Partitions)
	}
	if value, stated := s.Stated("SlurmctldHost"); value != "head" || !stated {
		t.Errorf("SlurmctldHost: found %q, %v", value, stated)
	}
}

// Slurm puts nothing in the place of a \ at the end of a line, and ignores the blanks behind it; two of them end no line so.
func TestLinesGoOn(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SchedulerParameters=bf_continue,bf_interval=300,\\\nbf_max_job_test=10", "bf_continue,bf_interval=300,bf_max_job_test=10"},
		{"SchedulerParameters=bf_continue,bf_inter\\ \t\r\nval=300", "bf_continue,bf_interval=300"},
		{"SchedulerParameters=bf_continue\\\\\nPriorityWeightAge=1", `bf_continue\\`},
	} {
		s, err := readConf("PriorityWeightQOS=1\n" + c.text + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := s.Stated("SchedulerParameters"); got != c.want {
			t.Errorf("%q: expected %q, found %q", c.text, c.want, got)
		}
	}
}

// The file of nodes is read in the same way, and with blanks around =.
func TestNodesLinesGoOn(t *testing.T) {
	doc := readText(Source{strings.NewReader("NodeName = cn[1-\\ \n4] CPUs =16\nPartitionName =batch Nodes=cn[1\\\n-4]\n"), "slurm.conf"}, nil, lines.NewFaults("slurm.conf"))
	if err := doc.faults.Err(); err != nil || len(doc.nodes) != 4 || doc.nodes[3].cpus.value != 16 || len(doc.partitions) != 1 || doc.partitions[0].nodes != "cn[1-4]" {
		t.Errorf("found %d nodes, partitions %+v, %v", len(doc.nodes), doc.partitions, err)
	}
}

// TestReadPrinted reads what scontrol show config prints.
func TestReadPrinted(t *testing.T) {
	s, err := readConf(`Configuration data as of 2026-11-27T12:00:00
FairShareDampeningFactor = 1
PriorityParameters      = (null)
PrioritySiteFactorParameters = (null)
PrioritySiteFactorPlugin = (null)
PriorityDecayHalfLife   = 7-00:00:00
PriorityCalcPeriod      = 00:05:00
PriorityFavorSmall      = No
PriorityFlags           = 
PriorityMaxAge          = 7-00:00:00
PriorityUsageResetPeriod = NONE
PriorityType            = priority/multifactor
PriorityWeightAge       = 1000
PriorityWeightTRES      = (null)
SchedulerParameters     = (null)
SLURM_CONF              = /etc/slurm/slurm.conf # not a comment

Slurmctld(primary) at head is UP
`)
	if err != nil {
		t.Fatal(err)
	}
	want := multifactor.DefaultSettings()
	want.WeightAge = 1000
	if !reflect.DeepEqual(s.Priority, want) {
		t.Errorf("expected %+v, found %+v", want, s.Priority)
	}
	if _, stated := s.Stated("PriorityWeightTRES"); stated {
		t.Error("(null) is stated")
	}
}

func TestSettingsErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "expected slurm.conf"},
		{"\nPriorityWeightAge=-1", "line 2: PriorityWeightAge: "},
		{"PriorityWeightAge=4294967296", "expected a whole number in [0, 4294967295]"},
		{"PriorityWeightFoo=1", `"PriorityWeightFoo" is no setting of priorities`},
		{"PriorityFlags=FAIR_TREE,TICKET_BASED", `"TICKET_BASED" is none of ACCRUE_ALWAYS`},
		{"PriorityMaxAge=UNLIMITED", "expected a time"},
		{"PriorityMaxAge=x", "expected a time limit"},
		{"PriorityCalcPeriod=0", "expected a time above 0"},
		{"PriorityUsageResetPeriod=HOURLY", "expected one of NONE, NOW"},
		{"PriorityFavorSmall=1", "expected YES or NO"},
		{"FairShareDampeningFactor=0", "FairShareDampeningFactor: expected a whole"},
		{"FairShareDampeningFactor=70000", "expected a whole number in [1, 65535]"},
		{"PriorityWeightTRES=CPU", "expected weights such as"},
		{"PriorityWeightTRES=CPU=1,cpu=2", "is there twice"},
		{"PriorityWeightTRES=CPU=x", "CPU: "},
		{"PartitionName=a PriorityJobFactor=70000", "PriorityJobFactor: "},
		{"PartitionName=a TRESBillingWeights=Mem=xG", "TRESBillingWeights: Mem"},
		{"PartitionName=a MaxTime=x", "MaxTime: "},
		{"include other.conf", `expected no line Include, found one of "other.conf"`},
		{"Gres gpu", "expected key=value"},
		{"SchedulerParamters=bf_interval=60", `"SchedulerParamters" is no setting of Slurm; did you mean SchedulerParameters?`},
		{"PartionName=a Nodes=ALL", "did you mean PartitionName?"},
		{"SchedulerParameters=bf_continue,\\\n  BF_interval=60", "BF_interval: expected it in SchedulerParameters, found it apart"},
		{"PriorityFlags=", "expected a value after PriorityFlags="},
		{`ClusterName="lab`, "at the end of the value"},
	} {
		_, err := readConf(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "slurm.conf") {
			t.Errorf("%q: expected %q, found %v", c.text, c.want, err)
		}
	}
}

// files opens files of texts by name.
func files(texts map[string]string) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		text, found := texts[name]
		if !found {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

func TestInclude(t *testing.T) {
	read := func(text string) (*Settings, error) {
		return ReadSettings(Source{strings.NewReader(text), "etc/slurm.conf"}, files(map[string]string{
			"etc/more.conf": "PriorityWeightAge=7\nInclude parts/deep.conf\n", "etc/parts/deep.conf": "PriorityWeightQOS=8\n",
			"etc/self.conf": "include self.conf\n", "etc/wrong.conf": "\nPriorityWeightAge=x\n",
		}))
	}
	s, err := read("PriorityWeightAge=1\nInclude more.conf\n")
	if err != nil || s.Priority.WeightAge != 7 || s.Priority.WeightQOS != 8 {
		t.Errorf("found %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"\nInclude none.conf": "line 2: Include: file does not exist", "Include self.conf": "at most 1000 files in the whole reading", "Include wrong.conf": "etc/wrong.conf: line 2", "Include a%c": "without %c",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: expected %q, found %v", text, want, err)
		}
	}
}

// drawPriorities draws priorities that slurm.conf can state.
func drawPriorities(t *rapid.T) multifactor.Settings {
	weight := func(name string) float64 { return float64(rapid.Uint32().Draw(t, name)) }
	minutes := func(name string, least int) float64 { return float64(rapid.IntRange(least, 1<<22).Draw(t, name)) * 60 }
	p := multifactor.Settings{
		WeightAge: weight("age"), WeightAssoc: weight("assoc"), WeightFairshare: weight("fair share"), WeightJobSize: weight("size"), WeightPartition: weight("partition"),
		WeightQOS: weight("qos"), MaxAge: minutes("max age", 0), HalfLife: minutes("half-life", 0), CalcPeriod: minutes("period", 1),
		Reset: multifactor.Period(rapid.IntRange(0, len(multifactor.Periods)-1).Draw(t, "reset")), Dampening: float64(rapid.IntRange(1, 65535).Draw(t, "dampening")),
		FavourSmall: rapid.Bool().Draw(t, "small"),
	}
	for _, name := range rapid.SampledFrom([][]string{nil, {"cpu"}, {"mem", "cpu", "gres/gpu"}}).Draw(t, "tres") {
		p.WeightTRES = append(p.WeightTRES, multifactor.Weight{TRES: name, Weight: float64(rapid.IntRange(0, 1e9).Draw(t, name)) / 1000})
	}
	flags := flagsOf(&p.Flags)
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		*flags[name] = rapid.Bool().Draw(t, name)
	}
	p.Classic = p.Classic || p.DepthOblivious
	return p
}

func TestLinesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := drawPriorities(t), drawPriorities(t)
		var text strings.Builder
		if err := WriteLines(&text, from); err != nil {
			t.Fatal(err)
		}
		s, err := readConf(text.String())
		if err != nil || !reflect.DeepEqual(s.Priority, from) {
			t.Fatalf("expected %+v, found %+v, %v", from, s, err)
		}
		changed, err := Changed(from, to)
		if err != nil {
			t.Fatal(err)
		}
		kept := strings.Split(text.String(), "\n")
		for _, line := range changed {
			if name, goes := strings.CutPrefix(line, "# without a line "); goes {
				kept = slices.DeleteFunc(kept, func(line string) bool { return strings.HasPrefix(line, name+"=") })
			}
		}
		s, err = readConf(strings.Join(append(kept, changed...), "\n"))
		if err != nil || !reflect.DeepEqual(s.Priority, to) {
			t.Fatalf("expected %+v, found %+v, %v after %q", to, s.Priority, err, changed)
		}
		if same, err := Changed(to, to); err != nil || len(same) > 0 {
			t.Fatalf("expected no change, found %q, %v", same, err)
		}
	})
}

func TestLinesErrors(t *testing.T) {
	p := multifactor.DefaultSettings()
	p.WeightAge = 0.5
	if _, err := Lines(p); err == nil || !strings.Contains(err.Error(), "PriorityWeightAge: expected a whole number") {
		t.Errorf("found %v", err)
	}
	p = multifactor.DefaultSettings()
	p.HalfLife = 90
	if _, err := Lines(p); err == nil || !strings.Contains(err.Error(), "PriorityDecayHalfLife: expected whole minutes") {
		t.Errorf("found %v", err)
	}
}

func TestReadAssociations(t *testing.T) {
	const shares = "Account|User|RawShares|RawUsage\nroot|||70\n root|root|1|0\n chem||40|70\n  chem|eve|1|30\n  organic||2|40\n   organic|eve|parent|40\n"
	const flat = "Account|User|Partition|Share|Priority\nroot|||1|\nchem|||40|\nchem|eve||1|5\norganic|||2|\norganic|eve||parent|\n"
	const tree = "Account|User|Share|Priority\nroot||1|\n chem||40|\n  chem|eve|1|5\n  organic||2|\n   organic|eve|parent|\n"
	const named = "Account|User|Share|Priority|ParentName\nroot||1||\nchem||40||root\nchem|eve|1|5|\norganic||2||chem\norganic|eve|parent||\n"
	want := []multifactor.Association{
		{Account: "root", Shares: 1}, {Account: "chem", Parent: "root", Shares: 40}, {Account: "chem", User: "eve", Shares: 1, Priority: 5},
		{Account: "organic", Parent: "chem", Shares: 2}, {Account: "organic", User: "eve", Inherits: true},
	}
	source := func(text string) Source {
		if text == "" {
			return Source{}
		}
		return Source{strings.NewReader(text), "file"}
	}
	for _, text := range []string{tree, named} {
		if got, err := ReadAssociations(source(text), Source{}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: expected %+v, found %+v, %v", text, want, got, err)
		}
	}
	for k, usage := range []float64{70, 70, 30, 40, 40} {
		want[k].Usage = usage
	}
	for _, text := range []string{flat, tree, named} {
		if got, err := ReadAssociations(source(text), source(shares)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: expected %+v, found %+v, %v", text, want, got, err)
		}
	}
	for _, c := range []struct{ assoc, shares, want string }{
		{flat, "", "nothing says which account is under which"},
		{"Account|User\n", "", "expected a column Share"},
		{"Account|User|Share\na||x\n", shares, "row 2: expected a number"},
		{tree, "Account|User|RawUsage\na||x\n", "row 2: RawUsage"},
	} {
		if _, err := ReadAssociations(source(c.assoc), source(c.shares)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: expected %q, found %v", c.assoc, c.want, err)
		}
	}
}

func TestReadQualities(t *testing.T) {
	got, err := ReadQualities(Source{strings.NewReader("Name|Priority|UsageFactor\nnormal|0|1.000000\nlong|20|0.5\n"), "qos"})
	if want := []multifactor.Quality{{Name: "long", Priority: 20, UsageFactor: 0.5}, {Name: "normal", UsageFactor: 1}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("expected %+v, found %+v, %v", want, got, err)
	}
	if _, err := ReadQualities(Source{strings.NewReader("Name|Priority|UsageFactor\nnormal|x|1\n"), "qos"}); err == nil || !strings.Contains(err.Error(), `quality of service "normal"`) {
		t.Errorf("found %v", err)
	}
}

// wellFaulted fails where an error is not one of a file.
func wellFaulted(t *testing.T, err error) {
	if wrong := (*model.InputError)(nil); err != nil && !errors.As(err, &wrong) {
		t.Errorf("expected an error of a file, found %v", err)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add(conf)
	f.Add("Configuration data as of now\nPriorityFlags = \nPriorityMaxAge = 7-00:00:00\n")
	f.Add("include x\nPartitionName=DEFAULT Priority=1\\\nPartitionName=a\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSettings(Source{strings.NewReader(text), "slurm.conf"}, files(map[string]string{"x": "include x"}))
		if wellFaulted(t, err); err != nil {
			return
		}
		lines, err := Lines(s.Priority)
		if err != nil {
			t.Fatalf("%+v cannot be stated: %v", s.Priority, err)
		}
		again, err := readConf(strings.Join(lines, "\n"))
		if err != nil || !reflect.DeepEqual(again.Priority, s.Priority) && len(s.Priority.WeightTRES) > 0 {
			t.Fatalf("expected %+v, found %+v, %v", s.Priority, again, err)
		}
		own, err := s.Parameters()
		if err != nil {
			return // PriorityMaxAge=0
		}
		delete(own, "depth") // 0 becomes 1
		same, err := s.With(own)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := ChangedLines(s, same); err != nil || slices.ContainsFunc(list, func(line string) bool { return !strings.HasPrefix(line, "SchedulerParameters=") }) {
			t.Fatalf("its own parameters change %q, %v", list, err)
		}
	})
}

func FuzzAssociations(f *testing.F) {
	f.Add("Account|User|Share|Priority\nroot||1|\n chem||40|\n  chem|eve|1|5\n", "Account|User|RawUsage\nroot||1\n", "Name|Priority|UsageFactor\nnormal|1|1\n")
	f.Fuzz(func(t *testing.T, assoc, shares, qos string) {
		list, err := ReadAssociations(Source{strings.NewReader(assoc), "assoc"}, Source{strings.NewReader(shares), "shares"})
		if wellFaulted(t, err); err == nil {
			_, _ = multifactor.NewTree(multifactor.DefaultSettings(), list) // it may refuse, but not panic
		}
		_, err = ReadQualities(Source{strings.NewReader(qos), "qos"})
		wellFaulted(t, err)
	})
}

func TestUnsupported(t *testing.T) {
	s, err := readConf(`PriorityType=priority/basic
PreemptType=preempt/qos
PrioritySiteFactorPlugin=site_factor/mine
SchedulerType=sched/builtin
SelectType=select/linear
SchedulerParameters=bf_interval=30,bf_licenses,BF_Max_Job_Start=5,bf_new
PartitionName=a PriorityTier=1
PartitionName=b PriorityTier=3
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"PriorityType=priority/basic: only priority/multifactor is simulated", "PreemptType=preempt/qos: no job is preempted",
		"PrioritySiteFactorPlugin=site_factor/mine: the plugin's factors are not known", "SchedulerType=sched/builtin: only sched/backfill is simulated",
		"SelectType=select/linear: only select/cons_tres and select/cons_res are simulated", "SchedulerParameters=bf_licenses: licences are not planned ahead",
		"SchedulerParameters=BF_Max_Job_Start=5: any number of jobs may start in a cycle", "SchedulerParameters=bf_new: this option is not known",
	}
	if got := s.Unsupported(); !reflect.DeepEqual(got, want) {
		t.Errorf("expected %q, found %q", want, got)
	}
	if s, err = readConf(strings.NewReplacer("PriorityTier=2", "PriorityTier=1", "Priority=3", "PriorityJobFactor=3").Replace(conf) + "PreemptType=preempt/none\nSelectType=select/cons_tres\nSchedulerType=sched/backfill\nPrioritySiteFactorPlugin=site_factor/none\n"); err != nil || s.Unsupported() != nil {
		t.Errorf("expected nothing, found %q, %v", s.Unsupported(), err)
	}
}
