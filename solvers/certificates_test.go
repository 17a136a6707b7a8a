package solvers_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/formats/etc"
	"github.com/allot-opt/allot/formats/jobcsv"
	"github.com/allot-opt/allot/formats/rcpsp"
	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/formats/wfformat"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"

	"pgregory.net/rapid"
)

// certifies says by metric and method whether the method is said to show what proves its bounds.
func certifies() map[[2]string]bool {
	says := map[[2]string]bool{}
	for _, m := range bound.Methods() {
		says[[2]string{m.Metric, m.Name}] = m.Certifies
	}
	return says
}

// certifiedMetrics are the metrics with bounds.
var certifiedMetrics = []string{"makespan", "mcp", "mean_response", "mean_wait", "over_deadline", "missed"}

// suites calls yield for the instances of the suites, with the metrics to bound.
func suites(t testing.TB, yield func(name string, in *model.Instance, metrics []string)) {
	glob := func(parts ...string) []string {
		paths, err := filepath.Glob(filepath.Join(append([]string{realdata.Root(t)}, parts...)...))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%v: %v", parts, err)
		}
		return paths
	}
	for _, path := range glob("mcp", "mcp-n*.json") {
		in, err := model.ReadInstanceFile(path)
		if err != nil {
			t.Fatal(err)
		}
		yield(filepath.Base(path), in, certifiedMetrics)
	}
	for _, row := range records(t, "braun_etc", "best_known.csv") {
		in, _, err := etc.NewReader().Read(realdata.Open(t, "braun_etc", row[0]+".gz"), row[0])
		if err != nil {
			t.Fatal(err)
		}
		yield(row[0], in, []string{"makespan", "mean_response"})
	}
	for _, row := range records(t, "strip_packing", "best_known.csv") {
		in, _, err := (&jobcsv.Reader{Processors: int(number(t, row[3])), Cluster: "cluster"}).Read(realdata.Open(t, "strip_packing", row[0], row[1]+".csv"), row[1])
		if err != nil {
			t.Fatal(err)
		}
		yield(row[1], in, []string{"makespan"})
	}
	for _, row := range records(t, "wfformat", "summary.csv") {
		in, _, err := (&wfformat.Reader{Processors: 16, Cluster: "cluster", MissingRuntime: "keep"}).Read(realdata.Open(t, "wfformat", row[0]), row[0])
		if err != nil {
			t.Fatal(err)
		}
		yield(row[0], in, []string{"makespan", "mean_response"})
	}
	trace := swf.NewReader()
	trace.Jobs = 500
	in, _, err := trace.Read(realdata.Open(t, "swf", "KTH-SP2-1996-2.swf.gz"), "KTH")
	if err != nil {
		t.Fatal(err)
	}
	yield("KTH", in, certifiedMetrics)
	for _, set := range []string{"J30", "J60", "J120"} {
		for k, path := range glob("rcpsp", set, "*.txt.gz") {
			if k%20 > 0 {
				continue
			}
			name := filepath.Base(path)
			in, _, err := rcpsp.NewReader().Read(realdata.Open(t, "rcpsp", set, name), name)
			if err != nil {
				t.Fatal(err)
			}
			yield(name, in, []string{"makespan"})
		}
	}
	for _, path := range glob("ggone", "ggone-*.json") {
		in, err := model.ReadInstanceFile(path)
		if err != nil {
			t.Fatal(err)
		}
		yield(filepath.Base(path), in, []string{"qos_penalty"})
	}
}

// certified is a certificate of the suites, checked.
type certified struct {
	name, metric     string
	certificate      *proof.Certificate
	size             int // in bytes
	report           proof.Report
	proving, reading time.Duration // to find all bounds of the metric, and to read and check this certificate
}

// certifySuites proves every bound of every method on one in some instances of the suites, and checks the certificates.
func certifySuites(t testing.TB, some int, yield func(certified)) {
	seen := 0
	suites(t, func(name string, in *model.Instance, metrics []string) {
		if seen++; seen%some != 0 {
			return
		}
		for _, metric := range metrics {
			target, err := in.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			p := bound.NewCertified(t.Context(), target)
			p.Improve(t.Context(), 15_000_000)
			proving := time.Since(began)
			for _, c := range p.Certificates() {
				text := c.Bytes()
				began := time.Now()
				read, err := proof.Read(bytes.NewReader(text), name)
				if err != nil {
					t.Fatal(err)
				}
				r := proof.Check(t.Context(), target, read)
				yield(certified{name, metric, c, len(text), r, proving, time.Since(began)})
			}
		}
	})
}

// BenchmarkCertificates measures how long the check of a certificate of the suites takes, in the time in which the bounds of its metric were proved: the worst. A
// proof of less than 20 ms counts as that long.
func BenchmarkCertificates(b *testing.B) {
	worst := 0.0
	for b.Loop() {
		certifySuites(b, 1, func(c certified) {
			worst = max(worst, float64(c.reading)/float64(max(c.proving, 20*time.Millisecond)))
		})
	}
	b.ReportMetric(worst, "times-proving")
}

// Every bound of every method on every instance of the suites is verified or says that it has no certificate.
func TestEveryBoundOfTheSuitesIsVerified(t *testing.T) {
	race.OneGoroutine(t)
	counts := map[string]int{}
	largest := 0
	some := race.Fewer(1, 4)
	certifySuites(t, some, func(c certified) {
		method := c.certificate.Parts[0].Method
		largest = max(largest, c.size)
		counts[method+", "+string(c.report.Verdict)]++
		if c.report.Verdict == proof.Refuted {
			t.Errorf("%s: %s ≥ %v by %s: %v", c.name, c.metric, c.certificate.Bound, method, c.report)
		}
	})
	t.Log(counts, "largest", largest)
	for method, least := range map[string]int{"critical-path": 30, "area-dual": 30, "area-released": 30, "wide-jobs": 30, "dual-feasible": 30, "head-tail": 30, "energetic": 5,
		"each-alone": 30, "priced-time": 10, "area-levels": 5, "priced-counts": 5, "ggone": 5, "destructive": 15, "learned-clauses": 15} {
		if counts[method+", verified"] < least/some {
			t.Errorf("%s: %d verified, expected %d", method, counts[method+", verified"], least/some)
		}
	}
}

// The certificate of the optimum of a G/G/1 allocation of 200 tasks is below 5 MB and is verified with its solution.
func TestCertificateOfAQueueOptimum(t *testing.T) {
	in, err := model.ReadInstanceFile(realdata.Path(t, "ggone", "ggone-J0200_b.json"))
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose("ggone")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), choice, in, solve.Options{Certify: true})
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != model.Optimal || result.Certificate == nil {
		t.Fatalf("%s, certificate %v", result.Status, result.Certificate)
	}
	text := result.Certificate.Bytes()
	if len(text) > 5<<20 {
		t.Errorf("%d bytes", len(text))
	}
	if out := proof.CheckSolution(t.Context(), in, result.Certificate, result.Solution); !out.Optimal {
		t.Errorf("%+v", out)
	}
}

// Random instances with everything that the model knows, whether or not a schedule exists: no certificate of a method is refuted. A method that is said
// to certify shows what proves its bound somewhere; one that is not never does.
func TestCertificatesOfRandomInstances(t *testing.T) {
	counts, shown := map[proof.Verdict]int{}, map[[2]string]int{}
	verify := func(t errorReporter, in *model.Instance) {
		for _, metric := range certifiedMetrics {
			target, err := in.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatalf("%v", err)
			}
			p := bound.NewCertified(context.Background(), target)
			p.Improve(context.Background(), 2_000_000)
			parts := p.Parts()
			for k, c := range p.Certificates() {
				r := proof.Check(context.Background(), target, c)
				counts[r.Verdict]++
				if r.Verdict == proof.Refuted {
					t.Errorf("%s ≥ %v by %s: %v", metric, c.Bound, parts[k].Method, r)
				}
				if len(c.Choices) == 0 && c.Parts[0].By != nil {
					shown[[2]string{metric, c.Parts[0].Method}]++
				}
			}
		}
	}
	for seed := range race.Fewer(uint64(200), 20) {
		verify(t, boundInstance(t, seed))
	}
	rapid.Check(t, func(t *rapid.T) { verify(t, modeltest.Instance(t, modeltest.AllFeatures)) })
	rapid.Check(t, func(t *rapid.T) {
		verify(t, modeltest.Instance(t, modeltest.AllFeatures|modeltest.NodeFeatures|model.NodesBeside))
	})
	rng := rand.New(rand.NewPCG(5, 35))
	for range race.Fewer(200, 60) {
		verify(t, modeltest.TinyNodes(rng))
	}
	t.Log(counts, shown)
	for method, says := range certifies() {
		if n := shown[method]; !says && n > 0 || says && n == 0 && slices.Contains(certifiedMetrics, method[0]) && !race.Enabled && !testing.Short() {
			t.Errorf("%s: %d bounds of this method have a certificate, and it is said of it that it certifies: %t", method, n, says)
		}
	}
}

// The guide names the methods without a certificate, and no other.
func TestGuideNamesTheMethodsWithoutACertificate(t *testing.T) {
	text, err := os.ReadFile("../docs/proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "those of the methods ")
	named, _, _ := strings.Cut(rest, "\n")
	var names []string
	for _, m := range bound.Methods() {
		if !m.Certifies {
			names = append(names, "`"+m.Name+"`")
		}
	}
	if want := strings.Join(names, ", "); named != want {
		t.Errorf("docs/proofs.md names %q, want %q", named, want)
	}
}

// errorReporter is what tests of package testing and of rapid have in common.
type errorReporter interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// At odd places (jobs of no time, ties, tenths, tiny and huge units) the optimum is known by enumeration: every certificate is verified and states no more.
func TestCertificatesAtOddPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 23))
	tight, says := 0, certifies()
	for k := range race.Fewer(150, 10) {
		in, _ := oddInstance(rng, 4, k%2 == 0)
		metrics := []string{"makespan", "mcp", "mean_response", "over_deadline"}
		best, ok := activeOptima(in, metrics)
		if !ok {
			continue
		}
		for _, metric := range metrics {
			target, err := in.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := bound.NewCertified(t.Context(), target)
			p.Limit(best[metric])
			p.Improve(t.Context(), 3_000_000)
			for _, c := range p.Certificates() {
				r := proof.Check(t.Context(), target, c)
				value, _ := c.Bound.Value()
				want := proof.Verified
				if !says[[2]string{metric, c.Parts[0].Method}] {
					want = proof.NotCertified
				}
				if r.Verdict != want || value > best[metric]*(1+1e-12) {
					t.Errorf("instance %d: %s ≥ %v, which is %v, by %s: %v", k, metric, value, best[metric], c.Parts[0].Method, r)
				}
				if value >= best[metric]*(1-1e-9) {
					tight++
				}
			}
		}
	}
	if tight < race.Fewer(500, 20) {
		t.Errorf("%d certificates are tight: the test says little", tight)
	}
}
