// Package proof_test holds the second checker of schedules and certificates, in Python, against the first.
package proof_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// task is what both checkers are asked: the files, and what the first says of them.
type task struct {
	files   []string
	verdict string // as check.py writes it, without reasons
	more    bool   // the first lists only some of the codes
	kind    string // for the count
}

// second asks the checker in Python about all tasks at once and compares. It returns how often each verdict occurred.
func second(t *testing.T, tasks []task) map[string]int {
	t.Helper()
	interpreter := needs.Program(t, "python3")
	programs, err := filepath.Glob("*.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range programs { // go test repeats a stored result unless the test itself reads what has changed
		if _, err := os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"check.py"}
	for _, x := range tasks {
		args = append(args, x.files...)
	}
	out, err := exec.Command(interpreter, args...).CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(tasks) {
		t.Fatalf("%d tasks, and the checker says %s", len(tasks), out)
	}
	counts := map[string]int{}
	for k, x := range tasks {
		if verdict := bare(lines[k]); verdict != x.verdict && !(x.more && strings.HasPrefix(verdict, "wrong:")) {
			var texts strings.Builder
			for _, file := range x.files {
				text, _ := os.ReadFile(file)
				fmt.Fprintf(&texts, "\n%s", text)
			}
			t.Errorf("first %q, second %q: %s", x.verdict, lines[k], texts.String())
		}
		counts[x.kind+" "+strings.SplitN(x.verdict, ":", 2)[0]]++
		if _, codes, ok := strings.Cut(x.verdict, "wrong: "); ok {
			for code := range strings.FieldsSeq(codes) {
				counts[code]++
			}
		}
	}
	return counts
}

// bare drops the reasons from a line: what stands behind "refuted:", "not certified:" and "unreadable:".
func bare(line string) string {
	if strings.HasPrefix(line, "wrong:") || strings.HasPrefix(line, "ok") || strings.HasPrefix(line, "verified") {
		return line
	}
	verdict, rest, _ := strings.Cut(line, ":")
	if _, wrong, ok := strings.Cut(rest, "; wrong: "); ok {
		return strings.SplitN(verdict, ";", 2)[0] + "; wrong: " + wrong
	}
	return strings.TrimSuffix(verdict, "; wrong")
}

// codes are the violations that the first checker finds, as check.py writes them.
func codes(in *model.Instance, sol *model.Solution) (string, bool) {
	report := model.Check(in, sol)
	found := map[string]bool{}
	for _, v := range report.Violations {
		found[string(v.Code)] = true
	}
	if len(found) == 0 {
		return "ok", false
	}
	return "wrong: " + strings.Join(sorted(found), " "), report.More > 0
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// corpus collects tasks and writes their files.
type corpus struct {
	t      *testing.T
	folder string
	tasks  []task
	files  int
}

func (c *corpus) file(v any) string {
	text, ok := v.([]byte)
	if !ok {
		var err error
		if text, err = json.Marshal(v); err != nil {
			c.t.Fatal(err)
		}
	}
	c.files++
	path := filepath.Join(c.folder, fmt.Sprint(c.files, ".json"))
	if err := os.WriteFile(path, text, 0o666); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// instance writes and reads an instance; nil if it is none.
func (c *corpus) instance(v any) (string, *model.Instance) {
	path := c.file(v)
	in, err := model.ReadInstanceFile(path)
	if err != nil {
		c.tasks = append(c.tasks, task{files: []string{path}, verdict: "unreadable", kind: "instance"})
		return path, nil
	}
	return path, in
}

// solution adds a schedule.
func (c *corpus) solution(instance string, in *model.Instance, v any) {
	path := c.file(v)
	x := task{files: []string{instance, path}, verdict: "unreadable", kind: "schedule"}
	if sol, err := model.ReadSolutionFile(path); err == nil {
		x.verdict, x.more = codes(in, sol)
	}
	c.tasks = append(c.tasks, x)
}

// certificate adds a certificate, with a solution if that is not nil.
func (c *corpus) certificate(instance string, in *model.Instance, v any, solution *model.Solution, kind string) {
	path := c.file(v)
	x := task{files: []string{instance, path}, verdict: "unreadable", kind: kind}
	cert, err := proof.ReadFile(path)
	switch {
	case err != nil:
	case solution == nil:
		x.verdict = string(proof.Check(c.t.Context(), in, cert).Verdict)
	default:
		var text bytes.Buffer
		if err := model.WriteSolution(&text, solution); err != nil {
			c.t.Fatal(err)
		}
		x.files = append(x.files, c.file(text.Bytes()))
		out := proof.CheckSolution(c.t.Context(), in, cert, solution)
		x.verdict = string(out.Verdict)
		if out.Optimal {
			x.verdict += "; optimal"
		}
		if out.Wrong {
			wrong, _ := codes(in, solution)
			x.verdict += "; " + wrong
		}
	}
	c.tasks = append(c.tasks, x)
}

// solved is what a solver makes of an instance; nil if it makes nothing.
func (c *corpus) solved(in *model.Instance, solver string, seed uint64) solve.Result {
	choice, err := solve.Choose(solver)
	if err != nil {
		c.t.Fatal(err)
	}
	result, err := solve.Run(c.t.Context(), choice, in, solve.Options{Seed: seed, MaxEvals: 60, Certify: true})
	if err != nil {
		return solve.Result{}
	}
	return result
}

// plain is a value as encoding/json sees it, so that it can be changed.
func plain(t *testing.T, text []byte) object {
	t.Helper()
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// full takes away a penalty that stands for a server without room, and says whether there was one.
func full(sol object) bool {
	metrics, _ := sol["metrics"].(object)
	penalty, _ := metrics["qos_penalty"].(float64)
	if penalty > 1e6 {
		delete(metrics, "qos_penalty")
	}
	return penalty > 1e6
}

func text(t *testing.T, sol *model.Solution) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.WriteSolution(&b, sol); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// enough fails if something that a test is about has hardly occurred.
func enough(t *testing.T, counts map[string]int, least int, names ...string) {
	t.Helper()
	t.Log(counts)
	for _, name := range names {
		if counts[name] < race.Enough(least) {
			t.Errorf("%s occurred %d times, expected %d: the test says little", name, counts[name], least)
		}
	}
}

// The example that docs/proofs.md works out by hand.
func TestTheExample(t *testing.T) {
	second(t, []task{
		{files: []string{"instance.json", "certificate.json", "plan.json"}, verdict: "verified; optimal"},
		{files: []string{"instance.json", "certificate.json"}, verdict: "verified"},
		{files: []string{"instance.json", "plan.json"}, verdict: "ok"},
	})
}

// TestNodesAreNotCovered: the second checker says of certificates that it does not know what jobs ask of single machines, names the field, and has the exit
// status of what is not certified; a schedule alone it does not read. It says neither that such a certificate holds nor that it is wrong.
func TestNodesAreNotCovered(t *testing.T) {
	c := corpus{t: t, folder: t.TempDir()}
	refused := func(path string, in *model.Instance) {
		result := c.solved(in, "auto", 1)
		if result.Solution == nil {
			return
		}
		c.tasks = append(c.tasks, task{files: []string{path, c.file(text(t, result.Solution))}, verdict: "unreadable", kind: "schedule"})
		if result.Certificate == nil {
			return
		}
		file := c.file(result.Certificate.Bytes())
		c.tasks = append(c.tasks, task{files: []string{path, file}, verdict: "not certified", kind: "certificate"},
			task{files: []string{path, file, c.file(text(t, result.Solution))}, verdict: "not certified", kind: "certificate and schedule"})
	}
	example, err := model.ReadInstanceFile("../gpu.json")
	if err != nil {
		t.Fatal(err)
	}
	refused("../gpu.json", example)
	for k := range race.Fewer(60, 10) {
		r := draw{rand.New(rand.NewPCG(uint64(k), 5))}
		spec := r.plain(r.one("makespan", "mean_response", "missed").(string), 0)
		r.askOfNodes(spec)
		if path, in := c.instance(spec); in != nil {
			refused(path, in)
		} else {
			c.tasks = c.tasks[:len(c.tasks)-1] // of a file that is no instance this test says nothing
		}
	}
	enough(t, second(t, c.tasks), 20, "schedule unreadable", "certificate not certified", "certificate and schedule not certified")

	interpreter := needs.Program(t, "python3")
	certificate := c.solved(example, "auto", 1).Certificate
	if certificate == nil {
		t.Fatal("expected a certificate of examples/gpu.json, found none")
	}
	out, err := exec.Command(interpreter, "check.py", "../gpu.json", c.file(certificate.Bytes())).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 4 || !strings.HasPrefix(string(out), "not certified: this checker does not cover nodes, and the instance has devices") {
		t.Errorf("expected a refusal with status 4 that names devices, found %v: %s", err, out)
	}
}

// Both checkers agree on all examples.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	c := corpus{t: t, folder: t.TempDir()}
	for _, path := range paths {
		in, err := model.ReadInstanceFile(path)
		if err != nil {
			continue // job.json is one job
		}
		if in.Features()&(modeltest.NodeFeatures|modeltest.PowerFeatures) != 0 {
			continue // see TestNodesAreNotCovered and TestCertificatesOfPower
		}
		result := c.solved(in, "auto", 1)
		if result.Solution == nil {
			t.Errorf("%s: no solution", path)
			continue
		}
		c.solution(path, in, text(t, result.Solution))
		if result.Certificate != nil && len(result.Certificate.Bytes()) < 50_000 {
			c.certificate(path, in, result.Certificate.Bytes(), result.Solution, "certificate")
		}
	}
	enough(t, second(t, c.tasks), 10, "schedule ok")
}

// Both checkers find the same violations in schedules of random instances, right ones and changed ones.
func TestSchedules(t *testing.T) {
	race.OneGoroutine(t)
	c := corpus{t: t, folder: t.TempDir()}
	for k := range race.Fewer(100, 10) {
		r := draw{rand.New(rand.NewPCG(uint64(k), 1))}
		spec := r.instance([]float64{0, 100.5, 1.7e9, 1.7e9 + 0.3}[k%4])
		path, in := c.instance(spec)
		if in == nil {
			continue
		}
		solver := []string{"search", "spaceshare", "fcfs", "spaceshare"}[r.IntN(4)]
		result := c.solved(in, solver, uint64(k))
		if result.Solution == nil {
			result = c.solved(in, "search", uint64(k))
		}
		if result.Solution == nil {
			continue
		}
		right := text(t, result.Solution)
		if o := plain(t, right); full(o) { // at a full server the last digit of a parked rate decides
			right, _ = json.Marshal(o)
		}
		c.solution(path, in, right)
		for range 7 {
			changed := plain(t, right)
			r.spoil(spec, changed)
			c.solution(path, in, changed)
		}
	}
	enough(t, second(t, c.tasks), 3, "schedule ok", "schedule wrong", "schedule unreadable", "wrong-instance", "unknown-job", "duplicate-job", "missing-job", "unknown-cluster",
		"bad-time", "foreign-processor", "processor-count", "tasks", "pieces", "span", "early-start", "precedence", "wrong-end", "overlap", "hard-deadline", "ineligible", "memory", "licence", "bandwidth", "loads",
		"wrong-objective", "wrong-metric", "wrong-bound", "wrong-status")
}

// Both checkers say the same of certificates of random instances, true ones and changed ones, and of the schedules that they prove optimal.
func TestCertificates(t *testing.T) {
	race.OneGoroutine(t)
	c := corpus{t: t, folder: t.TempDir()}
	for k := range race.Fewer(120, 10) {
		r := draw{rand.New(rand.NewPCG(uint64(k), 2))}
		clock := []float64{0, 0, 100.5, 1.7e9}[k%4]
		var spec object
		switch k % 10 {
		case 0:
			spec = r.instance(clock)
			if r.chance(0.7) {
				spec["objective"] = r.sum()
			}
		case 1, 2, 3:
			spec = r.queues()
		case 4:
			if spec = r.neck(clock); k%20 == 4 {
				spec = r.plain("makespan", clock)
				r.furnish(spec)
				spec["objective"] = r.one(spec["objective"], r.sum())
			}
		default:
			spec = r.plain([]string{"makespan", "makespan", "mcp", "mean_response", "over_deadline", "mcp", "missed", "mean_wait"}[r.IntN(8)], clock)
		}
		path, in := c.instance(spec)
		if in == nil {
			continue
		}
		var certificates []*proof.Certificate
		solver := "search"
		if k%10 >= 1 && k%10 <= 3 {
			solver = "ggone"
		} else {
			p := bound.NewCertified(t.Context(), in)
			p.Improve(t.Context(), 200_000)
			certificates = p.Certificates()
		}
		result := c.solved(in, solver, uint64(k))
		if result.Certificate != nil {
			certificates = append(certificates, result.Certificate)
			c.certificate(path, in, result.Certificate.Bytes(), result.Solution, "with a solution")
		}
		for _, x := range certificates {
			if len(x.Bytes()) > 20_000 {
				continue
			}
			kind := "nothing"
			if x.Infeasible != nil {
				kind = "infeasible"
			}
			whole := plain(t, x.Bytes())
			if parts, ok := whole["parts"].([]any); ok && len(parts) > 0 {
				by, _ := parts[0].(object)["by"].(object)
				if len(by) > 0 {
					kind = strings.Join(sorted(by), " ")
				}
				for _, argument := range by {
					if priced, ok := argument.(object); ok && priced["memory"] != nil {
						kind += " with memory"
					}
				}
			}
			path, of, x := path, in, *x
			if !maps.Equal(x.Objective, in.StatedObjective()) { // that of one metric of a sum
				spec["objective"] = x.Objective
				path, of = c.instance(spec)
				x.InstanceSHA256 = of.SHA256()
			}
			c.certificate(path, of, x.Bytes(), nil, kind)
			for range 3 {
				changed := plain(t, x.Bytes())
				r.damage(changed)
				c.certificate(path, of, changed, nil, kind)
			}
		}
	}
	var names []string
	for _, kind := range []string{"critical_path", "area", "area with memory", "energetic with memory", "pigeonhole", "energetic", "each_alone", "prices_over_time", "area_levels", "counts", "levels", "windows", "infeasible"} {
		names = append(names, kind+" verified", kind+" refuted")
	}
	enough(t, second(t, c.tasks), 2, append(names, "with a solution verified; optimal", "with a solution verified", "nothing not certified")...)
}

// Both checkers say the same of certificates of one machine under prices by the interval, true ones and changed ones. The second says of a schedule beside them that it does not
// cover it.
func TestCertificatesOfPower(t *testing.T) {
	race.OneGoroutine(t)
	c := corpus{t: t, folder: t.TempDir()}
	for k := range race.Fewer(60, 8) {
		r := draw{rand.New(rand.NewPCG(uint64(k), 6))}
		path, in := c.instance(r.prices())
		if in == nil {
			t.Fatalf("instance %d cannot be read", k)
		}
		result := c.solved(in, "tou", uint64(k))
		if result.Solution == nil || result.Certificate == nil || len(result.Certificate.Parts) != 1 || result.Certificate.Parts[0].By == nil || result.Certificate.Parts[0].By.TimeOfUse == nil {
			continue // another kind proves as much; the second checker does not cover it
		}
		whole := result.Certificate.Bytes()
		c.certificate(path, in, whole, nil, "time_of_use")
		for range 8 {
			changed := plain(t, whole)
			r.damage(changed)
			c.certificate(path, in, changed, nil, "time_of_use")
		}
		schedule := c.file(text(t, result.Solution))
		c.tasks = append(c.tasks, task{files: []string{path, schedule}, verdict: "unreadable", kind: "schedule"},
			task{files: []string{path, c.file(whole), schedule}, verdict: "not certified", kind: "certificate and schedule"})
	}
	enough(t, second(t, c.tasks), 5, "time_of_use verified", "time_of_use refuted", "time_of_use unreadable", "schedule unreadable", "certificate and schedule not certified")
}

// Both checkers say the same of certificates of instances that have everything at once, with decimal times, as far as the second covers them.
func TestCertificatesOfEverythingTogether(t *testing.T) {
	race.OneGoroutine(t)
	c := corpus{t: t, folder: t.TempDir()}
	r := draw{rand.New(rand.NewPCG(1, 57))}
	for seed := range uint64(race.Fewer(300, 40)) {
		in := modeltest.TinyTogether(rand.New(rand.NewPCG(seed, 57)))
		if in.Features()&modeltest.NodeFeatures != 0 {
			continue
		}
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), 200_000)
		for _, x := range p.Certificates() {
			if len(x.Choices) == 0 {
				if by := x.Parts[0].By; by == nil || by.PowerPrices != nil || by.Moldable != nil {
					continue
				}
			}
			if len(x.Bytes()) > 20_000 {
				continue
			}
			target, err := in.WithObjective(x.Objective)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := model.WriteInstance(&text, target); err != nil {
				t.Fatal(err)
			}
			path := c.file(text.Bytes())
			of, err := model.ReadInstanceFile(path)
			if err != nil {
				t.Fatal(err)
			}
			x.InstanceSHA256 = of.SHA256()
			kind, times := "together", 1
			if len(x.OwedBy) > 0 {
				kind, times = "sets", 8
			}
			if len(x.Choices) > 0 {
				kind = "choices"
			}
			c.certificate(path, of, x.Bytes(), nil, kind)
			for range times {
				changed := plain(t, x.Bytes())
				r.damage(changed)
				c.certificate(path, of, changed, nil, kind)
			}
		}
	}
	counts := second(t, c.tasks)
	enough(t, counts, 20, "together verified", "together refuted")
	enough(t, counts, 3, "sets verified", "sets refuted", "choices verified", "choices refuted")
}
