package papers_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/papers"
	"github.com/allot-opt/allot/papers/verdict"
)

// lookup finds one experiment.
func lookup(t *testing.T, id string) *papers.Experiment {
	t.Helper()
	list, err := papers.Lookup(id)
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %d experiments, %v", id, len(list), err)
	}
	return list[0]
}

// run runs an experiment and returns what it writes.
func run(t *testing.T, e *papers.Experiment, opt papers.Options) (table, page string, outcome *papers.Outcome) {
	t.Helper()
	outcome, err := e.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var text, html bytes.Buffer
	if err := errors.Join(outcome.WriteTable(&text), outcome.WriteReport(&html)); err != nil {
		t.Fatal(err)
	}
	return text.String(), html.String(), outcome
}

// withSeeds copies the experiment and gives every source the given number of seeds.
func withSeeds(e *papers.Experiment, seeds int) *papers.Experiment {
	few := func(sources []bench.InstanceSource) []bench.InstanceSource {
		sources = slices.Clone(sources)
		for k := range sources {
			sources[k].Seeds.Count = seeds
		}
		return sources
	}
	c, suite := *e, *e.Suite
	suite.Instances = few(suite.Instances)
	c.Suite = &suite
	if e.Quick != nil {
		c.Quick = &papers.Quick{Instances: few(e.Quick.Instances)}
	}
	return &c
}

// filled puts the values of a point into a template.
func filled(template string, p papers.Point) string {
	for name, value := range p.Values {
		template = strings.ReplaceAll(template, "{"+name+"}", value)
	}
	return strings.ReplaceAll(template, "{point}", p.ID)
}

// Every reading names groups and labels that exist. With one repetition of the full mode, every claim under every reading has rows. In quick mode
// every claim is run under the first reading. The rows are made up, so the test does not look at metrics.
func TestReadingsHaveRows(t *testing.T) {
	race.OneGoroutine(t)
	for _, e := range papers.Known() {
		if e.Suite == nil {
			continue
		}
		for _, quick := range []bool{false, true} {
			few := withSeeds(e, 1)
			suite := few.Suite
			if quick && few.Quick == nil {
				continue
			}
			if quick {
				suite.Instances = slices.Clone(few.Quick.Instances)
			}
			for k, source := range suite.Instances { // the groups do not depend on the number of jobs
				suite.Instances[k].Parameters = maps.Clone(source.Parameters)
				suite.Instances[k].Measured = nil // which needs more workflows
				for name, few := range map[string]float64{"jobs": 200, "workflows": 10} {
					if n, ok := source.Parameters[name]; ok && len(n) == 1 && !strings.Contains(source.Group, "{"+name+"}") {
						suite.Instances[k].Parameters[name] = bench.Values{few}
					}
				}
			}
			plan, err := suite.Plan(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", e.ID, err)
			}
			if len(plan.Skipped) > 0 {
				t.Errorf("%s: %v", e.ID, plan.Skipped)
			}
			cells := map[[2]string]bool{}
			for _, c := range plan.Cells {
				cells[[2]string{plan.Instances[c.Instance].Group, c.Label}] = true
			}
			for _, r := range e.Readings {
				for _, p := range e.Points {
					if len(r.Points) > 0 && !slices.Contains(r.Points, p.ID) {
						continue
					}
					has := 0
					for _, policy := range e.Policies {
						if cells[[2]string{filled(r.Group, p), filled(r.Policies[policy], p)}] {
							has++
						}
					}
					if has != len(e.Policies) && (has > 0 || !quick) {
						t.Errorf("%s, reading %s at %s: %d of %d policies have runs (quick: %v)", e.ID, r.ID, p.ID, has, len(e.Policies), quick)
					}
				}
			}
		}
	}
}

// The worked values of He et al. (2004), Table 2 and Fig. 3, come out exactly, under both readings; a wrong value is named.
func TestWorkedValues(t *testing.T) {
	for _, id := range []string{"muscle/table2", "muscle/case"} {
		e := lookup(t, id)
		dir := filepath.Join(t.TempDir(), "new")
		table, _, outcome := run(t, e, papers.Options{Dir: dir})
		for _, f := range outcome.Findings {
			if f.Verdict != verdict.Replicates {
				t.Errorf("%s, claim %s, reading %s: %s: %s", id, f.Claim.ID, f.Reading.ID, f.Verdict, f.Reason)
			}
		}
		if !strings.Contains(table, "replicates: exactly") {
			t.Errorf("%s: the table says\n%s", id, table)
		}
		if _, err := os.Stat(filepath.Join(dir, "rows.jsonl")); err != nil {
			t.Error(err)
		}
		wrong := *e
		wrong.Claims = slices.Clone(e.Claims)
		for k := range wrong.Claims {
			c := &wrong.Claims[k]
			switch c.Form {
			case papers.Table:
				c.Table = slices.Clone(c.Table)
				c.Table[2] = [][]string{{"J2", "J1"}, {"J4"}}
			case papers.Schedule:
				c.Schedule = slices.Clone(c.Schedule)
				c.Schedule[4].Start = 5
			default:
				c.Metrics = papers.Terms{"mcp": 2.75, "idle_time": 8.001}
			}
		}
		_, _, outcome = run(t, &wrong, papers.Options{Dir: dir})
		for _, f := range outcome.Findings {
			want := map[string]string{
				papers.Table:    "row 3: expected [[J2 J1] [J4]], found [[J2 J1] [J4] [J6 J5]]",
				papers.Schedule: "expected J5 on C1, processors 3, from 5 to 6, found J5 on C1, processors 3, from 4 to 6",
				papers.Figures:  "idle_time: expected 8.00100, found 8",
			}[f.Claim.Form]
			if f.Verdict != verdict.Fails || f.Reason != want {
				t.Errorf("%s, claim %s made wrong: %s: %s; want %s", id, f.Claim.ID, f.Verdict, f.Reason, want)
			}
		}
	}
}

// Quick mode of muscle/fig4 with two repetitions gives the same table and page, byte for byte, for any number of jobs at the same time and after an
// interruption.
func TestFig4IsTheSameAgain(t *testing.T) {
	if testing.Short() && !race.Enabled { // what runs at the same time is for the race detector
		t.Skip("200 runs, twice")
	}
	e := withSeeds(lookup(t, "muscle/fig4"), 2)
	e.Quick.Instances = slices.DeleteFunc(e.Quick.Instances, func(s bench.InstanceSource) bool {
		return s.Group == "stream" || s.Group == "long, N {jobs}" || s.Group == "printed, N {jobs}"
	})
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := e.Run(ctx, papers.Options{Dir: dir, Quick: true, Jobs: 3, Progress: func(p bench.Progress) {
		if p.Done > 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupted run says %v", err)
	}
	if race.Enabled {
		return // the runs that the race detector has to see are over
	}
	table, page, outcome := run(t, e, papers.Options{Dir: t.TempDir(), Quick: true, Jobs: 1})
	for _, f := range outcome.Findings {
		run := f.Reading.Group != "long, N {point}" && f.Reading.Group != "stream" && f.Reading.Group != "printed, N {point}" && f.Reading.Registered == nil
		if (f.Verdict != verdict.NotYet) != run {
			t.Errorf("claim %s, reading %s: %s", f.Claim.ID, f.Reading.ID, f.Verdict)
		}
	}
	for _, want := range []string{"MCP of MUSCLE against DLL at 40", "−12.1 %", "(quick)", "comes closest"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	for _, want := range []string{"<!DOCTYPE html>", "−56.7 %", "Figures: mask", "IEE Proc. Software"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	againTable, againPage, _ := run(t, e, papers.Options{Dir: dir, Quick: true, Jobs: 3})
	if againTable != table || againPage != page {
		t.Error("the same experiment gives another table or page")
	}
}

// An unknown name is an error that lists what there is; the name of a paper is all of its experiments.
func TestLookup(t *testing.T) {
	list, err := papers.Lookup("muscle")
	if err != nil || len(list) != 7 {
		t.Errorf("muscle: %d experiments, %v", len(list), err)
	}
	for _, name := range []string{"", "muscle/", "muscle/fig", "fig4", "mts/fig2-5/x"} {
		if _, err := papers.Lookup(name); err == nil || !strings.Contains(err.Error(), "muscle/distributions, muscle/fig4") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
