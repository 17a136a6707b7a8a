package serve

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// largest is a text of the largest value that a numeric parameter takes, and whether it has one.
func largest(kind string, bounds *params.Range) (string, bool) {
	if kind != "int" && kind != "int64" && kind != "float64" {
		return "", false
	}
	_, most, found := strings.Cut(strings.TrimRight(fmt.Sprint(bounds), ")]"), ", ")
	if value, err := strconv.ParseFloat(most, 64); !found || err != nil || value > 1e9 {
		return "1000000000", true
	}
	return most, true
}

// No parameter of a client takes gigabytes: the largest values are refused, or cost little. Each alone, on 2,000 jobs.
func TestHostileParameters(t *testing.T) {
	opt := Options{Limits: Public()}
	opt.Time, opt.Usual = 100*time.Millisecond, 100*time.Millisecond
	s := New(opt)
	batch := many(2000)
	requests := map[string][2]string{}
	for _, d := range solve.Describe() {
		for _, p := range d.Parameters {
			if value, ok := largest(p.Type, p.Range); ok {
				if d.Name == "titan" {
					requests["mct+titan "+p.Name] = [2]string{"solve", with(batch, fmt.Sprintf(`"solver": "mct+titan:coding=list:%s=%s"`, p.Name, value))}
				}
				requests[d.Name+" "+p.Name] = [2]string{"solve", with(batch, fmt.Sprintf(`"solver": %q, "param": {%q: %q}`, d.Name, p.Name, value))}
			}
		}
	}
	plan := doNow(New(Options{Limits: Public()}), &Client{}, named(t, "solve"), []byte(with(batch, `"solver": "mct"`)), nil)
	if plan.err != nil {
		t.Fatal(plan.err)
	}
	solution := string(plan.result.(*Solved).Solution)
	for _, format := range []string{"svg", "html", "text", "png", "pdf"} {
		for _, side := range []string{"width", "height"} {
			requests["draw "+format+" "+side] = [2]string{"draw", with(batch, fmt.Sprintf(`"solutions": [%s], "format": %q, %q: 1000000000`, solution, format, side))}
			requests["plot "+format+" "+side] = [2]string{"draw", with(batch, fmt.Sprintf(`"plot": "utilisation", "solutions": [%s], "format": %q, %q: 1000000000`, solution, format, side))}
		}
	}
	requests["plot period"] = [2]string{"draw", with(batch, fmt.Sprintf(`"plot": "utilisation", "solutions": [%s], "period": 1e-9`, solution))}
	for _, name := range []string{"runs", "least", "recent", "trials", "day"} {
		for _, value := range []string{"1000000", "1000000000"} {
			requests["simulate "+name+value] = [2]string{"simulate", with(batch, fmt.Sprintf(`"quantiles": true, %q: %s`, name, value))}
			requests["backtest "+name+value] = [2]string{"simulate", with(batch, fmt.Sprintf(`"backtest": true, %q: %s`, name, value))}
		}
	}
	requests["backtest day"] = [2]string{"simulate", with(batch, `"backtest": true, "day": 1e-9`)}
	for _, name := range []string{"replicates", "block", "narrow", "day", "short", "load"} {
		for _, value := range []string{"1000000", "1000000000", "1e-9"} {
			requests["policies "+name+value] = [2]string{"policies", fmt.Sprintf(`{"trace": %s, %q: %s}`, quoted(batch), name, value)}
		}
	}
	requests["rolling"] = [2]string{"solve", with(batch, `"solver": "mct", "rolling": 1e-9`)}
	for k, name := range sortedKeys(requests) {
		if k%race.Fewer(1, 3) != 0 {
			continue
		}
		var found reply
		grown := peak.Heap(func() {
			found = doNow(s, &Client{}, named(t, requests[name][0]), []byte(requests[name][1]), nil)
		})
		if grown > 200<<20 {
			t.Errorf("%s: the heap grew by %d MB", name, grown>>20)
		}
		if found.err != nil && found.err.Code == failure {
			t.Errorf("%s: %v", name, found.err)
		}
	}
}

// named is the operation of a name.
func named(t *testing.T, name string) *Operation {
	t.Helper()
	o, ok := Named(name)
	if !ok {
		t.Fatal(name)
	}
	return o
}

// A population that takes more memory than the service has is refused before it is made.
func TestHostilePopulation(t *testing.T) {
	s := New(Options{Limits: Public()})
	for name, body := range map[string]string{
		"solve":   with(many(2000), `"solver": "mct+titan:coding=list:population=1000000"`),
		"compare": `{"solvers": ["mct", "titan:population=1000000"], "instances": [` + quoted(many(2000)) + `]}`,
	} {
		if r := doNow(s, &Client{}, named(t, name), []byte(body), nil); r.err == nil || r.err.Code != TooLarge {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
