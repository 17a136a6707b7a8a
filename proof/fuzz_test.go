package proof_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// FuzzCheck reads any bytes as a certificate. Whatever they say, the checker does not panic, ends in time, and accepts no bound above the optimum.
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
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		for _, known := range []claimed{{in, nil, least}, {queue, nil, penalties}} {
			if r := verdict(ctx, known.in, c); r.Verdict == proof.Verified && !known.allows(c) {
				t.Errorf("verified, and false: least %v", known.least)
			}
		}
		if ctx.Err() != nil && time.Now().After(deadlineOf(ctx).Add(3*time.Second)) {
			t.Error("the check did not end in time")
		}
	})
}

// deadlineOf is the end of a context that has one.
func deadlineOf(ctx context.Context) time.Time {
	end, _ := ctx.Deadline()
	return end
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
		began := time.Now()
		r := verdict(t.Context(), in, claim(in, c.metric, 1e6, 0, &c.by))
		if took := time.Since(began); r.Verdict == proof.Verified || took > 3*time.Second {
			t.Errorf("%s: %v after %v", name, r, took)
		}
	}
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
