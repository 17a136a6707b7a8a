// Package proof_test holds the second checker of certificates, in Python, against the first.
package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// python is the interpreter; without one the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	return path
}

// second are the verdicts of the checker in Python on pairs of an instance and a certificate.
func second(t *testing.T, interpreter string, pairs ...string) (verdicts []proof.Verdict) {
	t.Helper()
	out, err := exec.Command(interpreter, append([]string{"check.py"}, pairs...)...).CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		verdict, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		verdicts = append(verdicts, proof.Verdict(verdict))
	}
	if len(verdicts) != len(pairs)/2 {
		t.Fatalf("%d pairs, and the checker says %s", len(pairs)/2, out)
	}
	return verdicts
}

func TestTheExample(t *testing.T) {
	in, err := model.ReadInstanceFile("instance.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := proof.ReadFile("certificate.json")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolutionFile("plan.json")
	if err != nil {
		t.Fatal(err)
	}
	if out := proof.CheckSolution(t.Context(), in, c, sol); !out.Optimal {
		t.Errorf("%+v", out)
	}
	if v := second(t, python(t), "instance.json", "certificate.json"); v[0] != proof.Verified {
		t.Error(v)
	}
	text, err := os.ReadFile("certificate.json")
	if err != nil {
		t.Fatal(err)
	}
	high := filepath.Join(t.TempDir(), "high.json") // the number of finished jobs enters negated, so that the bound would be 2
	if err := os.WriteFile(high, bytes.Replace(text, []byte(`"makespan": 1}`), []byte(`"makespan": 1, "finished": 1}`), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	if v := second(t, python(t), "instance.json", high); v[0] != proof.NotCertified {
		t.Errorf("a metric that is better when high: %v", v)
	}
	if text, err := os.ReadFile("check.py"); err != nil || strings.Count(string(text), "\n") > 150 {
		t.Errorf("the second checker has %d lines, %v", strings.Count(string(text), "\n"), err)
	}
}

// random is an instance of the kind that both checkers take.
func random(t *testing.T, rng *rand.Rand, metric string) *model.Instance {
	t.Helper()
	b := model.NewBuilder("random")
	for c := range 1 + rng.IntN(2) {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 2 + rng.IntN(3), Speed: float64(1 + rng.IntN(3))}}})
	}
	for j := range 3 + rng.IntN(5) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(2)), Work: new(float64(1+rng.IntN(20)) / 10)}
		if rng.IntN(2) == 0 {
			job.Arrival, job.Deadline = float64(rng.IntN(4))/2, new(float64(rng.IntN(6)))
		}
		if j > 0 && rng.IntN(3) == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		b.Job(job)
	}
	in, err := b.Minimise(metric, 1).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Both checkers agree on certificates of random instances, true ones and such that claim too much.
func TestBothCheckersAgree(t *testing.T) {
	interpreter, folder := python(t), t.TempDir()
	rng := rand.New(rand.NewPCG(7, 7))
	var pairs, texts []string
	var first []proof.Verdict
	for k := range race.Fewer(24, 3) {
		in := random(t, rng, []string{"makespan", "mean_response", "over_deadline"}[k%3])
		instance := filepath.Join(folder, fmt.Sprint(k, ".json"))
		var text bytes.Buffer
		if err := errors.Join(model.WriteInstance(&text, in), os.WriteFile(instance, text.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), 3_000_000)
		for _, c := range p.Certificates() {
			if by := c.Parts[0].By; by == nil || by.CriticalPath == nil && by.Area == nil && by.TimePrices == nil {
				continue
			}
			if rng.IntN(2) == 0 { // too much, perhaps by a rounding up
				c.Parts[0].Bound *= 1 + []float64{1e-9, 1e-3, 0.2}[rng.IntN(3)]
				c.Bound = model.ProvedBound(c.Parts[0].Bound)
			}
			certificate := filepath.Join(folder, fmt.Sprint(k, "-", len(pairs), ".json"))
			if err := os.WriteFile(certificate, c.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			pairs, texts = append(pairs, instance, certificate), append(texts, c.Parts[0].Method+" "+string(c.Bytes()))
			first = append(first, proof.Check(t.Context(), in, c).Verdict)
		}
	}
	counts := map[string]int{}
	for k, other := range second(t, interpreter, pairs...) {
		if first[k] != other {
			t.Errorf("%s, and in Python %s: %s", first[k], other, texts[k])
		}
		method, _, _ := strings.Cut(texts[k], " ")
		counts[method+" "+string(other)]++
	}
	t.Log(counts)
	if !race.Enabled && (counts["priced-time verified"] < 3 || counts["dual-feasible verified"]+counts["area-dual verified"] < 3 || counts["critical-path refuted"] < 2) {
		t.Errorf("%v: the test says little", counts)
	}
}
