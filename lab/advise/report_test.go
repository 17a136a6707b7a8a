package advise

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// site is a small system for seven months: six programs, the last two of which need most of the time that they ask for.
func site(t *testing.T) (*model.Instance, map[string]Needs) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Name: "secret site", Units: &model.Units{Time: "s"}, TimeZero: new(1767571200.0), TimeZone: "UTC",
		Clusters:   []model.ClusterSpec{{ID: "secret-cluster", Machines: []model.MachineSpec{{ID: "secret-machine", Count: 64}}}},
		Partitions: []model.PartitionSpec{{ID: "secret-queue", Clusters: []string{"secret-cluster"}}}, Caveats: []string{"Limits of secret-queue are left out: secret-cluster, (secret-queue)."}}
	needs := map[string]Needs{}
	at := 0.0
	for k := range 6600 {
		at += random.ExpFloat64() * 2800
		program := random.IntN(6)
		used := []float64{600, 900, 2400, 7200, 14400, 20000}[program] * (0.6 + 0.8*random.Float64())
		id := fmt.Sprintf("secret-job-%d", k)
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: id, Arrival: at, Processors: model.Rigid([]int{4, 8, 16, 8, 16, 32}[program]), Tasks: 1, Work: &used, Estimate: new([]float64{43200, 43200, 43200, 43200, 28800, 28800}[program]),
			User: fmt.Sprintf("secret-user-%d", program), Group: fmt.Sprintf("secret-group-%d", program%2), Queue: "secret-queue"})
		needs[id] = Needs{Name: fmt.Sprintf("secret-name-%d", program), Memory: 1000, Used: 100, Devices: 1, Busy: 0.5}
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in, needs
}

// input is what the command gives [Make].
func input(in *model.Instance, needs map[string]Needs) Input {
	return Input{Instance: in, Needs: needs, Named: true, Policy: "easy", Others: []string{"fcfs"}, Rules: Rules{Risk: 0.05, Confidence: 0.95}, More: 0.5, Options: lab.Defaults(),
		Run: func(ctx context.Context, policy string, in *model.Instance) (*model.Solution, error) {
			choice, err := solve.Choose(policy)
			if err != nil {
				return nil, err
			}
			result, err := solve.Run(ctx, choice, in, solve.Options{Seed: 1, Unbounded: true})
			return result.Solution, err
		},
		Explain: func(ctx context.Context, in *model.Instance, job string) (*whatif.Answer, error) {
			choice, err := solve.Choose("easy")
			if err != nil {
				return nil, err
			}
			policy, _ := solve.PolicyOf(choice.Solver)
			return whatif.Submit(ctx, "easy", policy, in, job, 1)
		}}
}

// written are the report's text, page and JSON.
func written(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WritePage(&b, lab.Origin{Command: "allot advise", Version: "0"}); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return r.Text() + b.String() + string(list)
}

func TestMake(t *testing.T) {
	in, needs := site(t)
	r, err := Make(t.Context(), input(in, needs))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(r.Text(), "\n") {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("wider than 80 columns: %q", line)
		}
	}
	valid(t, r)
	if len(r.First) != 3 {
		t.Errorf("%d first sentences, expected 3: %q", len(r.First), r.First)
	}
	advised := 0
	for _, l := range r.Limits.Limits {
		if l.State == Advised {
			advised++
		}
		if l.State == Advised && l.Limit < l.Most {
			t.Errorf("%+v: too short", l)
		}
	}
	if advised == 0 || r.Limits.Gain == nil || !(r.Limits.Gain.shown() < 0) {
		t.Errorf("%d kinds are advised, gain %+v; expected some, and that shorter limits help", advised, r.Limits.Gain)
	}
	if math.Abs(r.Needs.MemoryUsed-0.1) > 1e-9 || r.Needs.DevicesUsed != 0.5 || r.Needs.MemoryJobs != 6600 {
		t.Errorf("%+v, expected a tenth of the memory and half of the devices", r.Needs)
	}
	if r.Load.Added != 32 || !(r.Load.More.shown() < 0) {
		t.Errorf("%d processors added, expected 32 and that they help", r.Load.Added)
	}
	// The use of the cluster is the mean of the hours, weighted by how often they come, so it lies between them.
	low, high := 1.0, 0.0
	for _, row := range r.Load.Hours {
		for _, x := range row {
			low, high = min(low, x), max(high, x)
		}
	}
	if use := r.Load.Clusters[0].Use; !(low <= use && use <= high && high <= 1+1e-9) {
		t.Errorf("the cluster is used to %v, its hours to %v to %v", use, low, high)
	}
	again, err := Make(t.Context(), input(in, needs))
	if err != nil {
		t.Fatal(err)
	}
	if written(t, r) != written(t, again) {
		t.Error("two reports of one trace differ")
	}
}

// No name is in any output of an anonymous report, and the figures are the same.
func TestAnonymised(t *testing.T) {
	in, needs := site(t)
	plain, err := Make(t.Context(), input(in, needs))
	if err != nil {
		t.Fatal(err)
	}
	hidden, labels, hide, err := Anonymised(in, needs)
	if err != nil {
		t.Fatal(err)
	}
	stated, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Units: &model.Units{Time: "s"}, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}},
		Jobs: []model.JobSpec{{ID: "j", Work: new(1.0), User: "secret-u", Group: "secret-g", Queue: "secret-p", Quality: "secret-s"}},
		Site: &model.SiteSpec{Settings: []string{"PartitionName=secret-p PriorityJobFactor=3"}, Accounts: []string{"Account|User|Partition|ParentName|Share", "root||||1", "secret-g|||root|1", "secret-g|secret-u|secret-p||2"}, Qualities: []string{"Name|Priority", "secret-s|4"}}})
	if err != nil {
		t.Fatal(err)
	}
	if stated, _, _, err = Anonymised(stated, nil); err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(stated.Spec()); bytes.Contains(text, []byte("secret")) || !bytes.Contains(text, []byte(`"A1|U1|Q1||2"`)) || !bytes.Contains(text, []byte("PartitionName=Q1 PriorityJobFactor=3")) || !bytes.Contains(text, []byte("root||||1")) {
		t.Errorf("a site: %s", text)
	}
	if text := hide("secret-queue; secret-queues, (secret-cluster)."); text != "Q1; secret-queues, (C1)." {
		t.Errorf("found %q", text)
	}
	if len(labels) != len(needs) {
		t.Errorf("%d jobs have needs, expected %d", len(labels), len(needs))
	}
	r, err := Make(t.Context(), input(hidden, labels))
	if err != nil {
		t.Fatal(err)
	}
	if at := strings.Index(written(t, r), "secret"); at >= 0 {
		t.Errorf("a name is left: %q", written(t, r)[max(0, at-80):at+40])
	}
	if !strings.Contains(written(t, plain), "secret-user") {
		t.Error("the plain report has no names: nothing is tested")
	}
	if plain.Waits.Mean != r.Waits.Mean || plain.Limits.Gain.shown() != r.Limits.Gain.shown() {
		t.Error("the figures differ from those with names")
	}
}

// A part alone is the part of the whole.
func TestOnly(t *testing.T) {
	in, needs := site(t)
	whole, err := Make(t.Context(), input(in, needs))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range Parts() {
		asked := input(in, needs)
		asked.Only = part
		r, err := Make(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		of := func(r *Report) string {
			text, err := json.Marshal(map[string]any{partLimits: r.Limits, partNeeds: r.Needs, partWaits: r.Waits, partLoad: r.Load, partPolicies: r.Policies}[part])
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if of(r) != of(whole) {
			t.Errorf("%s differs from that of the whole", part)
		}
		if n := len(r.sections(1)); n != 1 {
			t.Errorf("--only %s has %d sections", part, n)
		}
	}
}
