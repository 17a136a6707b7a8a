package proof_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/looks"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// FuzzCheck reads any bytes as a certificate. Whatever they say, the checker does not panic, ends with its context, and accepts no bound above the optimum.
func FuzzCheck(f *testing.F) {
	in, err := model.ReadInstanceFile("../examples/tiny.json")
	if err != nil {
		f.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	queue, penalties := queues(f, rng)
	least := optima(in)
	for _, c := range claimsOf(f, in, least) {
		f.Add(c)
	}
	for _, c := range claimsOf(f, queue, penalties) {
		f.Add(c)
	}
	f.Add([]byte(`{"schema":"allot/proof/1","instance_sha256":"` + in.SHA256() + `","objective":{"mcp":1},"bound":9,"parts":[{"metric":"mcp","bound":9,"by":{"area_levels":{}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := proof.Read(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		const most = 10_000
		ctx := looks.Until(most)
		for _, known := range []claimed{{in, nil, least}, {queue, nil, penalties}} {
			if r := verdict(ctx, known.in, c); r.Verdict == proof.Verified && !known.allows(c) {
				t.Errorf("verified, and false: least %v", known.least)
			}
		}
		if late := ctx.Taken() - most; late > 2 { // each of the two checks may look once more
			t.Errorf("the check looked %d times at a context that had ended", late)
		}
	})
}

// Certificates that ask for much memory or time are turned away, or cost little.
func TestHostileCertificates(t *testing.T) {
	in := workshop(t)
	many := make([]float64, 1<<16)
	for k := range many {
		many[k] = float64(k)
	}
	nodes := make([]proof.Node, 100_000)
	for k := range nodes {
		if 2*k+2 < len(nodes) {
			nodes[k].Split = &proof.Split{What: "jobs", Low: 2*k + 1, High: 2*k + 2}
		}
	}
	long := make([]int, 100_000)
	clusters := []proof.ClusterPrices{{Processor: many[1:]}, {Processor: many[1:]}}
	huge := []proof.ClusterPrices{{Processor: []float64{math.MaxFloat64}}, {Processor: []float64{1}}}
	for name, c := range map[string]struct {
		metric string
		by     proof.Argument
	}{
		"buckets":      {"mean_response", proof.Argument{TimePrices: &proof.TimePrices{Limits: many, Clusters: clusters}}},
		"limits":       {"mean_response", proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 1e-300, 1e300}, Clusters: huge}}},
		"prices":       {"mean_response", proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 1}, Clusters: huge}}},
		"nodes":        {"mcp", proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: nodes}}},
		"job prices":   {"mcp", proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}}, Prices: []proof.JobPrices{{Jobs: []float64{1e308, -1e308, 0, 0, 0, 0}, Clusters: huge}}}}},
		"a long chain": {"makespan", proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: long}}},
		"weights": {"makespan", proof.Argument{Area: &proof.Area{Prices: []float64{1, 1}, Weights: [][]proof.Weight{
			{{Size: 1, Weight: math.MaxInt32}, {Size: math.MaxInt32, Weight: math.MaxInt32}}, {{Size: 2, Weight: math.MaxInt32}}}}}},
		"an interval": {"makespan", proof.Argument{Energetic: &proof.Energetic{Makespan: math.MaxFloat64, From: -math.MaxFloat64, To: math.MaxFloat64, Prices: []float64{math.MaxFloat64, 1e-300}}}},
	} {
		r, asked, bytes := cost(in, claim(in, c.metric, 1e6, 0, &c.by))
		if r.Verdict == proof.Verified || asked > 10 || bytes > 64<<20 {
			t.Errorf("%s: %v after %d looks at the context and %d bytes", name, r, asked, bytes)
		}
	}
}

// cost checks a certificate and returns the verdict and what the check cost: how often it looked at its context, and the bytes that it allocated.
func cost(in *model.Instance, c *proof.Certificate) (r proof.Report, asked int64, bytes uint64) {
	var before, after runtime.MemStats
	ctx := looks.Count()
	runtime.ReadMemStats(&before)
	r = verdict(ctx, in, c)
	runtime.ReadMemStats(&after)
	return r, ctx.Taken(), after.TotalAlloc - before.TotalAlloc
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{``, `{}`, `[]`, `{"schema":"allot/proof/2","instance_sha256":"a","objective":{}}`, `{"schema":"allot/proof/1"}`,
		`{"schema":"allot/proof/1","instance_sha256":"a","objective":{"makespan":1},"bound":NaN}`,
		`{"schema":"allot/proof/1","instance_sha256":"a","objective":{"makespan":1},"bound":1e999}`,
		`{"schema":"allot/proof/1","instance_sha256":"a","objective":{"makespan":1},"bound":1,"bound":2}`,
		`{"schema":"allot/proof/1","instance_sha256":"a","objective":{"makespan":1},"bound":1,"more":2}`,
		`{"schema":"allot/proof/1","instance_sha256":"a","objective":{"makespan":1},"bound":1,"parts":[{"metric":"makespan","bound":1,"by":{"critical_path":{"jobs":[0.5]}}}]}`,
		`{"schema":"allot/proof/1","instance_sha256":"a","objective":{"makespan":1},"bound":1,"parts":[{"metric":"makespan","bound":1,"by":{"critical_path":{"jobs":[-1]}}}]}`,
	} {
		if c, err := proof.Read(bytes.NewReader([]byte(text)), "x"); err == nil {
			t.Errorf("%s: read as %+v", text, c)
		}
	}
	_, err := proof.Read(strings.NewReader(`{"schema":"allot/instance/1","clusters":[],"jobs":[]}`), "x")
	if want := `x: schema: expected "allot/proof/1", found "allot/instance/1"`; err == nil || err.Error() != want {
		t.Errorf("an instance: expected only %q, found %v", want, err)
	}
}
