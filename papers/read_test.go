package papers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/papers"
)

// Reading is strict: fields that are unknown or missing, and references to nothing, are listed with their paths.
func TestReadIsStrict(t *testing.T) {
	good := fmt.Sprintf(small, claim("c", `"form": "percent", "value": -20, "at": ["4"]`))
	if _, err := papers.Read(strings.NewReader(good), "small.json"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{`"title": "t",`, `"title": "t", "colour": 1,`, "colour: unknown field"},
		{`"set_up": "s", `, ``, `expected the field "set_up"`},
		{`"id": "test/one"`, `"id": "one"`, "id: expected PAPER/FIGURE"},
		{`"allot-experiment/1"`, `"allot-experiment/2"`, "format: expected"},
		{`"quantity": "MCP"`, `"quantity": "PB"`, "claims[0].quantity: expected one of the quantities"},
		{`"policy": "M"`, `"policy": "W"`, "claims[0].policy: expected one of the policies"},
		{`"against": "D"`, `"against": "M"`, "claims[0].against: expected another of the policies"},
		{`"at": ["4"]`, `"at": ["5"]`, "claims[0].at[0]: expected one of the points"},
		{`"form": "percent"`, `"form": "factor"`, "claims[0].form: expected one of percent"},
		{`"value": -20`, `"value": 0`, "claims[0].value: expected a number other than 0"},
		{`, "value": -20`, ``, "claims[0].value: expected it where the form needs it"},
		{`"value": -20`, `"value": -20, "direction": "less"`, "claims[0].direction"},
		{`"form": "percent", "value": -20`, `"form": "trend", "direction": "less"`, "claims[0].at: expected at least 2 points, found 1"},
		{`"form": "percent", "value": -20`, `"form": "peak", "direction": "less"`, "claims[0].at: expected at least 3 points, found 1"},
		{`"form": "percent", "value": -20`, `"form": "trend", "direction": "none"`, "claims[0].direction: expected none only for a trend with within"},
		{`"form": "percent", "value": -20`, `"form": "equivalence", "within": 0`, "claims[0].within: expected a number above 0"},
		{`"form": "percent", "value": -20`, `"form": "equivalence"`, "claims[0].within: expected it where the form needs it"},
		{`"form": "percent", "value": -20`, `"form": "interaction", "direction": "less", "contrast": {"4": 1, "8": 1}`, "claims[0].contrast: expected coefficients that add up to 0, found 2"},
		{`"form": "percent", "value": -20`, `"form": "interaction", "direction": "less", "contrast": {"4": 1, "9": -1}`, "claims[0].contrast: expected one of the points"},
		{`"form": "percent", "value": -20`, `"form": "nearest", "target": {"PB": 3}`, "claims[0].target: expected one of the quantities"},
		{`"form": "percent", "value": -20`, `"form": "percent", "value": -20, "base": {"speed": 1}`, "claims[0].base: expected metrics with one value"},
		{`"id": "plain", "text": "t",`, `"id": "plain", "text": "t", "post_hoc": true,`, "readings[0].post_hoc: expected it not at the first reading"},
		{`"set_up": "s",`, `"set_up": "s", "not_yet": "w",`, "suite: expected one of suite, worked and not_yet, found 2"},
		{`{"mcp": 1}`, `{"mcp@1": 1}`, "expected metrics with one value"},
		{`"form": "percent", "value": -20`, `"form": "table", "table": []`, "claims[0].form: expected table, schedule or metrics where there are worked values"},
		{`{"mcp": 1}`, `{"cp": 1}`, "expected metrics with one value"},
		{`{"mcp": 1}`, `{}`, "expected at least one metric"},
		{`{"mcp": 2, "makespan": -1}`, `{"speed": 2}`, "readings[3].quantities.MCP: expected metrics with one value"},
		{`"quantities": {"MCP": {"mcp": 2`, `"quantities": {"PB": {"mcp": 2`, "readings[3].quantities: expected one of the quantities"},
		{`"D": "dll"}`, `"D": "mct"}`, "readings[0].policies.D: expected the label of one of the suite's solvers"},
		{`"D": "dll"}`, `"W": "dll"}`, `readings[0].policies: expected the label of "D"`},
		{`"id": "own"`, `"id": "plain"`, "readings[1].id: expected another name"},
		{`{"id": "8", "x": 8}`, `{"id": "4", "x": 8}`, "points[1].id: expected another name"},
		{`"percent": "of its own"`, `"percent": "of all"`, "readings[1].percent: expected one of"},
		{`"generate": "muscle"`, `"generate": "mussel"`, "mussel"},
		{`["muscle", "dll"]`, `["muscle", "dll", "dlx"]`, "dlx"},
	} {
		if !strings.Contains(good, test.old) {
			t.Fatalf("the experiment has no %s", test.old)
		}
		_, err := papers.Read(strings.NewReader(strings.ReplaceAll(good, test.old, test.new)), "small.json")
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one that has %q", test.new, err, test.want)
		}
	}
}

// FuzzRead reads anything without a panic.
func FuzzRead(f *testing.F) {
	f.Add(fmt.Sprintf(small, claim("c", `"form": "percent", "value": -20, "at": ["4"]`)))
	f.Add(fmt.Sprintf(small, claim("c", `"form": "trend", "direction": "more", "at": ["4", "8"]`)))
	f.Add(`{"worked": {"instance": {}}, "claims": [{"form": "table", "table": [[["J1"]]]}]}`)
	f.Fuzz(func(_ *testing.T, text string) {
		e, err := papers.Read(strings.NewReader(text), "fuzz.json")
		if err == nil {
			_, _ = e.Findings(nil)
		}
	})
}
