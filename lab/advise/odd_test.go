package advise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/schema"
)

// valid checks the JSON of a report against its schema.
func valid(t *testing.T, r *Report) {
	t.Helper()
	text, _ := schema.Text("advice")
	described, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("advice.json", described); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("advice.json")
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("the report is not what its schema says: %v", err)
	}
	broken := strings.Replace(string(written), `"policy":`, `"rule":`, 1)
	if value, err = jsonschema.UnmarshalJSON(strings.NewReader(broken)); err != nil || compiled.Validate(value) == nil {
		t.Errorf("the schema takes a report without its policy: %v", err)
	}
}

// Odd traces give a report of which all of the text, the page and the JSON can be written, with no figure that is none.
func TestOddTraces(t *testing.T) {
	type change func(k int, j *model.JobSpec)
	none := func(int, *model.JobSpec) {}
	for _, c := range []struct {
		name string
		jobs int
		gap  float64 // s between arrivals
		zero float64 // Unix time of time 0
		of   change
	}{
		{"one job", 1, 0, 1767571200, none},
		{"two jobs at a time", 2, 0, 1767571200, none},
		{"one user", 40, 7200, 1767571200, func(_ int, j *model.JobSpec) { j.User = "ann" }},
		{"no users", 40, 7200, 1767571200, func(_ int, j *model.JobSpec) { j.User, j.Group, j.Queue = "", "", "" }},
		{"limits all equal", 40, 7200, 1767571200, func(_ int, j *model.JobSpec) { j.Estimate = new(86400.0) }},
		{"no limits", 40, 7200, 1767571200, func(_ int, j *model.JobSpec) { j.Estimate = nil }},
		{"limits fully used", 40, 7200, 1767571200, func(_ int, j *model.JobSpec) { j.Estimate = j.Work }},
		{"no run time", 40, 7200, 1767571200, func(_ int, j *model.JobSpec) { j.Work = new(0.0) }},
		{"some without run time", 40, 7200, 1767571200, func(k int, j *model.JobSpec) { j.Work = new(float64(k % 2)) }},
		{"since 1970", 40, 7200, 0, func(_ int, j *model.JobSpec) { j.Arrival += 1.7e9 }},
		{"a single week", 80, 7000, 1767571200, none},
		{"years apart", 12, 4e7, 1767571200, none},
		{"all the machine", 20, 7200, 1767571200, func(_ int, j *model.JobSpec) { j.Processors = model.Rigid(64) }},
	} {
		spec := model.InstanceSpec{Schema: model.InstanceSchema, Name: "odd", Units: &model.Units{Time: "s"}, TimeZero: &c.zero, TimeZone: "UTC",
			Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 64}}}}}
		needs := map[string]Needs{}
		for k := range c.jobs {
			j := model.JobSpec{ID: fmt.Sprint(k), Arrival: float64(k) * c.gap, Processors: model.Rigid(1 + k%8), Tasks: 1, Work: new(600 + 60*float64(k)), Estimate: new(14400.0), User: fmt.Sprint("u", k%3), Group: "g", Queue: "q"}
			c.of(k, &j)
			spec.Jobs = append(spec.Jobs, j)
			needs[j.ID] = Needs{Memory: 0, Used: -1, Devices: -1, Busy: -1}
		}
		in, err := model.New(spec)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, part := range append(Parts(), "") {
			asked := input(in, needs)
			asked.Only = part
			r, err := Make(t.Context(), asked)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			valid(t, r)
			if told := strings.Contains(r.Text(), "is used to") || strings.Contains(r.Text(), "Fullest is"); told && c.gap == 0 {
				t.Errorf("%s: a load, where no time is between the arrivals:\n%s", c.name, r.Text())
			}
			for _, wrong := range []string{"NaN", "Inf", "<nil>", "%!"} {
				text, _, _ := strings.Cut(written(t, r), "<script") // the page's own programs name them
				if strings.Contains(text, wrong) {
					t.Errorf("%s: %s in %q", c.name, wrong, text[max(0, strings.Index(text, wrong)-100):])
				}
			}
			for line := range strings.Lines(r.Text()) {
				if utf8.RuneCountInString(line) > 81 {
					t.Errorf("%s: wider than 80 columns: %q", c.name, line)
				}
			}
		}
	}
}
