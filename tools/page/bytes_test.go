package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
)

var version = regexp.MustCompile(`"version": "[^"]*"`)

// solves are solves by example, solver, seed and evaluations.
var solves = []struct {
	example, solver string
	seed, evals     int
}{
	{"table1.json", "muscle", 1, 100}, {"four.json", "search", 7, 1500}, {"workflow.json", "auto", 1, 500}, {"moldable.json", "titan", 3, 300}, {"gpu.json", "easy", 1, 1},
}

// TestSameBytes solves in the page and by the command: the files are the same, but for the version.
func TestSameBytes(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	native := filepath.Join(t.TempDir(), "allot")
	if output, err := exec.Command("go", "build", "-C", "../..", "-o", native, "./cmd/allot").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, s := range solves {
		b.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
			const set = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event("change")); };
			set("solver-0", %q); set("amount", %d); set("seed", %d); set("example", %q);
		})()`, s.solver, s.evals, s.seed, s.example), nil))
		b.until("fetched", fmt.Sprintf(`document.querySelector("#cards h3")?.textContent === %q && document.getElementById("example").value === %q`, s.solver, s.example))
		b.until("belongs", `document.getElementById("stale").hidden`)
		b.solved(1)
		b.run(chromedp.Evaluate(`document.getElementById("exports").open = true; document.getElementById("save-solution").click()`, nil))
		got := b.saved(s.solver + ".json")
		plan := filepath.Join(t.TempDir(), "plan.json")
		command := exec.Command(native, "solve", "--solver", s.solver, "--seed", fmt.Sprint(s.seed), "--evals", fmt.Sprint(s.evals), "-o", plan, filepath.Join("../../examples", s.example))
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		want, err := os.ReadFile(plan)
		if err != nil {
			t.Fatal(err)
		}
		if string(version.ReplaceAll(got, nil)) != string(version.ReplaceAll(want, nil)) {
			t.Errorf("%+v: the page gives\n%.1500s\nthe command\n%.1500s", s, got, want)
		}
	}
	b.quiet("solved")
}
