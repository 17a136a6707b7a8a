package tune

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/params"
)

// recorded reads the answers of bench/baseline/tuning, by name.
func recorded(t *testing.T) map[string]*Answer {
	t.Helper()
	folder := filepath.Join(filepath.Dir(realdata.Root(t)), "bench", "baseline", "tuning")
	list := map[string]*Answer{}
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".suite.json") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a := &Answer{}
		if err := json.Unmarshal(text, a); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list[strings.TrimSuffix(filepath.Base(name), ".json")] = a
	}
	if list["search"] == nil || list["titan"] == nil {
		t.Fatalf("%s: expected the records of search and titan, found %d others", folder, len(list))
	}
	return list
}

// page reads a page of the repository.
func page(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{filepath.Dir(realdata.Root(t))}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The defaults of our solvers are what the recorded tunings recommend: what was found where its gain is shown, else what there was.
func TestDefaultsAreWhatTheRecordsRecommend(t *testing.T) {
	for name, a := range recorded(t) {
		if a.Format != Format || a.Keep == a.HeldOut.Shown() {
			t.Errorf("%s: format %s, keep %v, set aside %s", name, a.Format, a.Keep, ratioText(a.HeldOut))
		}
		if strings.Contains(a.Question.Solver, ":") { // it was asked with other stops than the usual ones: that says nothing of the defaults
			continue
		}
		space, err := NewSpace(a.Question.Solver, kit.Each(a.Question.Space, func(d Dimension) string { return d.Name }))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for k, d := range a.Question.Space {
			want := d.Default
			if !a.Keep {
				want = a.FoundValues[k]
			}
			known := params.Of(space.base.Solver)
			at := slices.IndexFunc(known, func(p params.Parameter) bool { return p.Name == d.Name })
			if got := known[at].Default; got != want {
				t.Errorf("%s: the default of %s is %s, and the record recommends %s", name, d.Name, got, want)
			}
		}
	}
}

// The pages state what the records state, and the records are of the instances of the suites beside them.
func TestPagesStateTheRecords(t *testing.T) {
	readme, docs := page(t, "bench", "baseline", "tuning", "README.md"), page(t, "docs", "tuning.md")
	for name, a := range recorded(t) {
		outcome := "| keep |"
		if !a.Keep {
			outcome = "| `" + a.Recommended + "` |"
		}
		gain := "nothing better found"
		if a.HeldOut != nil {
			gain = strings.Replace(ratioText(a.HeldOut), " times", "", 1)
		}
		for _, text := range []string{readme, docs} {
			stated := func(line string) bool {
				return strings.HasPrefix(line, "| `"+name+"` |") && strings.Contains(line, "| "+gain+" |") && strings.HasSuffix(line, outcome)
			}
			if !slices.ContainsFunc(strings.Split(text, "\n"), stated) {
				t.Errorf("%s: expected a line of a table with %s and %s at its end, found none", name, gain, outcome)
			}
		}
		suite, err := bench.ReadSuite(filepath.Join(filepath.Dir(realdata.Root(t)), "bench", "baseline", "tuning", name+".suite.json"))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := suite.Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := digest(plan, ""); got != a.Question.Digest {
			t.Errorf("%s: the instances of the suite have the digest %s, the record states %s", name, got, a.Question.Digest)
		}
	}
}

// Auto has no parameters of its own: its search has the defaults that are recorded for search.
func TestNothingOfAutoIsTuned(t *testing.T) {
	if _, err := NewSpace("auto", nil); err == nil {
		t.Error("auto has parameters to vary: expected a record of them")
	}
}
