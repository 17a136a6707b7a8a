package queueing_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/queueing"
)

// near compares to the digits of a printed table.
func near(got, want, digits float64) bool { return math.Abs(got-want) <= digits }

// value is the formula's value.
func value(t testing.TB, x float64, err error) float64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Erlang C as tables of the M/M/c queue print it for few servers (M/M/2 at a = 1: 1/3, M/M/3 at a = 2: 4/9, M/M/5 at a = 4: 0.5541), and
// against its definition, (a^c/c!)/(1−ρ) / (Σ a^k/k! + (a^c/c!)/(1−ρ)).
func TestErlangCTable(t *testing.T) {
	for _, c := range []struct {
		servers int
		offered float64
		want    float64
	}{
		{1, 0.5, 0.5}, {2, 1, 1.0 / 3}, {2, 1.5, 0.642857}, {3, 2, 0.444444}, {4, 2, 0.173913}, {4, 3, 0.509434}, {5, 4, 0.554113}, {10, 8, math.NaN()}, {100, 95, math.NaN()},
	} {
		x, err := queueing.ErlangC(c.offered, 1, c.servers)
		got := value(t, x, err)
		if want := erlangC(c.offered, c.servers); !near(got, want, 1e-12) {
			t.Errorf("C(%d, %v) = %v, by its definition %v", c.servers, c.offered, got, want)
		}
		if !math.IsNaN(c.want) && !near(got, c.want, 1e-6) {
			t.Errorf("C(%d, %v) = %v, in the table %v", c.servers, c.offered, got, c.want)
		}
	}
}

// erlangC is the slow reference.
func erlangC(a float64, c int) float64 {
	term, sum := 1.0, 0.0
	for k := range c {
		sum += term
		term *= a / float64(k+1)
	}
	waits := term / (1 - a/float64(c))
	return waits / (sum + waits)
}

// The textbook M/M/1: λ = 0.8, μ = 1 waits 4; M/D/1 half of it; M/G/1 of service CV² 2 half as much again.
func TestSingleServerTable(t *testing.T) {
	mm1, err := queueing.MM1(0.8, 1)
	if got := value(t, mm1, err); !near(got, 4, 1e-12) {
		t.Errorf("M/M/1: %v, expected 4", got)
	}
	for variance, want := range map[float64]float64{0: 2, 1: 4, 2: 6} {
		mg1, err := queueing.MG1(0.8, 1, variance)
		if got := value(t, mg1, err); !near(got, want, 1e-12) {
			t.Errorf("M/G/1 of variance %v: %v, expected %v", variance, got, want)
		}
	}
	// Kingman's bound of M/M/1: λ(1/λ² + 1/μ²)/(2(1−ρ)) = 0.8·2.5625/0.4.
	bound, err := queueing.Kingman(0.8, 1, 1/0.64, 1)
	if got := value(t, bound, err); !near(got, 5.125, 1e-12) {
		t.Errorf("Kingman: %v, expected 5.125", got)
	}
	// The worked instance of the allocation: κ = 4, μ = 0.5: 0, 1/2, 4/3, 3, 8; κ = 8, μ = 0.25: 0, 4/3, 8.
	for n, want := range []float64{0, 0.5, 4.0 / 3, 3, 8} {
		w, err := queueing.KingmanMarshall(4, float64(n)/10, 0.5)
		if got := value(t, w, err); !near(got, want, 1e-12) {
			t.Errorf("W(%d) = %v, expected %v", n, got, want)
		}
	}
	for n, want := range []float64{0, 4.0 / 3, 8} {
		w, err := queueing.KingmanMarshall(8, float64(n)/10, 0.25)
		if got := value(t, w, err); !near(got, want, 1e-12) {
			t.Errorf("W(%d) = %v, expected %v", n, got, want)
		}
	}
	if r := queueing.Response(4, 1); r != 5 {
		t.Errorf("response %v, expected 5", r)
	}
	if l := queueing.Length(0.8, 4); !near(l, 3.2, 1e-12) {
		t.Errorf("length %v, expected 3.2", l)
	}
}

// D/M/1 waits σ/(μ(1−σ)) with σ = e^{−μ(1−σ)/λ}: the exact value that Kraemer and Langenbach-Belz's formula is known to meet
// within a few per cent, while Allen and Cunneen's is up to a third too high at ρ = 0.8.
func TestDM1(t *testing.T) {
	for _, c := range []struct{ rho, exact float64 }{{0.5, 0.255}, {0.8, 1.69257}, {0.9, 4.180}} {
		sigma := 0.5
		for range 10000 {
			sigma = math.Exp(-(1 - sigma) / c.rho)
		}
		exact := sigma / (1 - sigma)
		if !near(exact, c.exact, 1e-2) {
			t.Errorf("ρ = %v: D/M/1 waits %v, in the table %v", c.rho, exact, c.exact)
		}
		klb, err := queueing.KraemerLangenbachBelz(c.rho, 1, 0, 1)
		if got := value(t, klb, err); math.Abs(got/exact-1) > 0.06 {
			t.Errorf("ρ = %v: %v, exact %v", c.rho, got, exact)
		}
		allen, err := queueing.AllenCunneen(c.rho, 1, 1, 0, 1)
		if got := value(t, allen, err); got < exact {
			t.Errorf("ρ = %v: Allen and Cunneen %v below %v", c.rho, got, exact)
		}
	}
}

// Where they meet, the formulas agree.
func TestFormulasAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := rapid.Float64Range(0.01, 100).Draw(t, "mu")
		lambda := mu * rapid.Float64Range(0.01, 0.99).Draw(t, "rho")
		cs2 := rapid.Float64Range(0, 9).Draw(t, "cs2")
		must := func(x float64, err error) float64 {
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		same := func(name string, a, b float64) {
			if math.Abs(a-b) > 1e-9*math.Max(a, b) {
				t.Fatalf("%s: %v and %v", name, a, b)
			}
		}
		mm1 := must(queueing.MM1(lambda, mu))
		same("M/M/c of one server", mm1, must(queueing.MMC(lambda, mu, 1)))
		same("M/G/1 of exponential service", mm1, must(queueing.MG1(lambda, mu, 1/(mu*mu))))
		mg1 := must(queueing.MG1(lambda, mu, cs2/(mu*mu)))
		same("Allen–Cunneen of Poisson arrivals", mg1, must(queueing.AllenCunneen(lambda, mu, 1, 1, cs2)))
		same("Kraemer–Langenbach-Belz of Poisson arrivals", mg1, must(queueing.KraemerLangenbachBelz(lambda, mu, 1, cs2)))
		if bound := must(queueing.Kingman(lambda, mu, 1/(lambda*lambda), cs2/(mu*mu))); bound < mg1*(1-1e-12) {
			t.Fatalf("Kingman's bound %v is below the wait %v", bound, mg1)
		}
		kappa := rapid.Float64Range(0, 50).Draw(t, "kappa")
		if got := must(queueing.KingmanMarshall(kappa, lambda, mu)); got != model.Wait(kappa, lambda, mu) {
			t.Fatalf("the evaluator's wait is %v, not %v", model.Wait(kappa, lambda, mu), got)
		}
	})
}

// Outside its domain a formula is an error, never Inf or NaN.
func TestDomains(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, f := range map[string]func() (float64, error){
		"λ = μ":           func() (float64, error) { return queueing.MM1(1, 1) },
		"λ > μ":           func() (float64, error) { return queueing.MG1(2, 1, 1) },
		"λ < 0":           func() (float64, error) { return queueing.MM1(-1, 1) },
		"λ NaN":           func() (float64, error) { return queueing.MM1(nan, 1) },
		"μ NaN":           func() (float64, error) { return queueing.MM1(1, nan) },
		"μ = 0":           func() (float64, error) { return queueing.MM1(0, 0) },
		"μ Inf":           func() (float64, error) { return queueing.MM1(1, inf) },
		"no server":       func() (float64, error) { return queueing.MMC(1, 2, 0) },
		"c·μ":             func() (float64, error) { return queueing.ErlangC(4, 2, 2) },
		"variance < 0":    func() (float64, error) { return queueing.MG1(1, 2, -1) },
		"variance NaN":    func() (float64, error) { return queueing.Kingman(1, 2, nan, 1) },
		"κ Inf":           func() (float64, error) { return queueing.KingmanMarshall(inf, 1, 2) },
		"ca² < 0":         func() (float64, error) { return queueing.AllenCunneen(1, 2, 1, -1, 1) },
		"cs² Inf":         func() (float64, error) { return queueing.KraemerLangenbachBelz(1, 2, 1, inf) },
		"too large":       func() (float64, error) { return queueing.KingmanMarshall(1e300, 1e100, 2e100) },
		"KLB without CVs": func() (float64, error) { return queueing.KraemerLangenbachBelz(1, 1, 0, 0) },
	} {
		if x, err := f(); !errors.Is(err, queueing.ErrDomain) {
			t.Errorf("%s: %v, error %v", name, x, err)
		}
	}
	if w, err := queueing.KraemerLangenbachBelz(1, 2, 0, 0); w != 0 || err != nil {
		t.Errorf("D/D/1 waits %v, %v", w, err)
	}
	if w, err := queueing.MM1(0, 2); w != 0 || err != nil {
		t.Errorf("no arrivals wait %v, %v", w, err)
	}
	if _, err := simulateQueue(simulation{Jobs: 100}); !errors.Is(err, queueing.ErrDomain) {
		t.Errorf("a simulation without distributions: %v", err)
	}
}

// simulate runs a queue of gamma distributions with the given means and squared coefficients of variation.
func simulate(t testing.TB, lambda, mu, ca2, cs2 float64, seed uint64) interval {
	t.Helper()
	src := rand.NewPCG(seed, 11)
	gamma := func(mean, cv2 float64) func() float64 {
		if cv2 == 0 {
			return func() float64 { return mean }
		}
		d := distuv.Gamma{Alpha: 1 / cv2, Beta: 1 / (cv2 * mean), Src: src}
		return d.Rand
	}
	jobs := 400_000
	if testing.Short() {
		jobs = 100_000
	}
	estimate, err := simulateQueue(simulation{
		Interarrival: gamma(1/lambda, ca2), Service: gamma(1/mu, cs2), Jobs: jobs, WarmUp: 20_000, Confidence: 0.999,
	})
	if err != nil {
		t.Fatal(err)
	}
	return estimate
}

// Exact formulas lie in the simulation's confidence interval, bounds above it, and approximations close by.
func TestAgainstLindley(t *testing.T) {
	for seed, c := range []struct{ rho, ca2, cs2 float64 }{{0.5, 1, 1}, {0.8, 1, 1}, {0.7, 1, 0}, {0.7, 1, 4}, {0.8, 0.25, 1}, {0.6, 2, 0.5}, {0.8, 0.25, 0.25}, {0.9, 0.5, 2}} {
		lambda, mu := 2*c.rho, 2.0
		got := simulate(t, lambda, mu, c.ca2, c.cs2, uint64(seed))
		if !testing.Short() && got.High-got.Low > 0.5*got.Mean {
			t.Errorf("%+v: interval %v is too wide to say anything", c, got)
		}
		if c.ca2 == 1 {
			x, err := queueing.MG1(lambda, mu, c.cs2/(mu*mu))
			if want := value(t, x, err); !got.contains(want) {
				t.Errorf("%+v: M/G/1 waits %v, simulated %v", c, want, got)
			}
		}
		x, err := queueing.Kingman(lambda, mu, c.ca2/(lambda*lambda), c.cs2/(mu*mu))
		if bound := value(t, x, err); bound < got.Low {
			t.Errorf("%+v: Kingman's bound %v is below the simulated %v", c, bound, got)
		}
		x, err = queueing.KraemerLangenbachBelz(lambda, mu, c.ca2, c.cs2)
		if klb := value(t, x, err); klb < 0.8*got.Low || klb > 1.2*got.High {
			t.Errorf("%+v: Kraemer and Langenbach-Belz give %v, simulated %v", c, klb, got)
		}
	}
}

// The recursion itself: services 2, 2, 0, 1 at gaps 1, 1, 3, 1 wait 0, 1, 2, 0.
func TestLindleyByHand(t *testing.T) {
	services, gaps, k := []float64{2, 2, 0, 1}, []float64{1, 1, 3, 1}, 0
	estimate, err := simulateQueue(simulation{
		Service:      func() float64 { return services[k%4] },
		Interarrival: func() float64 { k++; return gaps[(k-1)%4] },
		Jobs:         4, Batches: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	if estimate.Mean != 0.75 {
		t.Errorf("mean wait %v, expected (0 + 1 + 2 + 0)/4", estimate.Mean)
	}
}

func BenchmarkSimulate(b *testing.B) {
	const jobs = 1_000_000
	for b.Loop() {
		src := rand.New(rand.NewPCG(1, 1))
		if _, err := simulateQueue(simulation{Interarrival: src.ExpFloat64, Service: func() float64 { return 0.8 * src.ExpFloat64() }, Jobs: jobs}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(jobs*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mjobs/s")
}
