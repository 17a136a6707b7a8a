package proof_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// claimed is a certificate of an instance, and what the least costs of each metric are.
type claimed struct {
	in    *model.Instance
	text  []byte
	least map[string]float64
}

// claims are certificates of random instances by all methods. All are verified and state no more than is true.
func claims(t testing.TB, instances int) (list []claimed) {
	rng := rand.New(rand.NewPCG(23, 1))
	add := func(in *model.Instance, least map[string]float64) {
		for _, text := range claimsOf(t, in, least) {
			list = append(list, claimed{in, text, least})
		}
	}
	for k := range instances {
		in := tiny(t, rng)
		add(in, optima(in))
		if k%3 == 0 {
			add(queues(t, rng))
		}
	}
	return list
}

// claimsOf are the certificates of one instance, for each metric whose least value is known.
func claimsOf(t testing.TB, in *model.Instance, least map[string]float64) (list [][]byte) {
	for _, metric := range slices.Sorted(maps.Keys(least)) {
		target, err := in.WithObjective(map[string]float64{metric: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := bound.NewCertified(t.Context(), target)
		p.Limit(least[metric])
		p.Improve(t.Context(), 2_000_000)
		found := p.Certificates()
		name := "exact"
		if metric == "qos_penalty" {
			name = "ggone"
		}
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		if choice.Solver.Supports(target) == nil {
			result, err := solve.Run(t.Context(), choice, target, solve.Options{Certify: true})
			if err != nil {
				t.Fatal(err)
			}
			if result.Certificate != nil {
				found = append(found, result.Certificate)
			}
		}
		for _, c := range found {
			r := verdict(t.Context(), in, c)
			value, _ := c.Bound.Value()
			if len(c.Parts) == 1 && !certifies(c.Parts[0]) && r.Verdict == proof.NotCertified && value <= least[metric]*(1+1e-9) {
				continue
			}
			if r.Verdict != proof.Verified || value > least[metric]*(1+1e-9) {
				t.Errorf("%v ≥ %v of at least %v: %v", metric, value, least[metric], r)
			}
			if len(c.Parts) > 0 {
				list = append(list, c.Bytes())
			}
		}
	}
	return list
}

// certifies says that the method of the part is said to show what proves its bounds; methods of solvers, which are not registered, do.
func certifies(p proof.Part) bool {
	list := bound.Methods()
	k := slices.IndexFunc(list, func(m bound.Method) bool { return m.Name == p.Method && m.Metric == p.Metric })
	return k < 0 || list[k].Certifies
}

// True certificates are changed in every way, and false ones made of them: none is verified that states more than is true.
func TestNoMutatedCertificateIsAccepted(t *testing.T) {
	race.OneGoroutine(t)
	list := claims(t, 30)
	rng := rand.New(rand.NewPCG(1, 23))
	counts, kinds := map[proof.Verdict]int{}, map[string]int{}
	unread := 0
	for range race.Fewer(12_000, 1_000) {
		c := &list[rng.IntN(len(list))]
		text, kind := mutated(t, rng, c)
		kinds[kind]++
		read, err := proof.Read(bytes.NewReader(text), "mutated")
		if err != nil {
			unread++
			continue
		}
		r, asked, bytes := cost(c.in, read)
		if asked > 50 || bytes > 1<<20 { // ten times what the costliest takes: 5 looks and 0.14 MB
			t.Errorf("%s took %d looks at the context and %d bytes", kind, asked, bytes)
		}
		counts[r.Verdict]++
		if r.Verdict == proof.Verified && !c.allows(read) {
			t.Fatalf("%s: verified, and false: least %v\n%s", kind, c.least, text)
		}
		if r.Verdict == proof.Refuted && r.Step == "" {
			t.Fatalf("%s: %v", kind, r)
		}
	}
	t.Log(unread, "not read", counts, kinds)
	if counts[proof.Verified] < race.Fewer(400, 25) || counts[proof.Refuted] < race.Fewer(4_000, 250) || len(kinds) < 10 {
		t.Errorf("%v %v: the test says little", counts, kinds)
	}
}

// allows says that a certificate states nothing but the truth.
func (c *claimed) allows(found *proof.Certificate) bool {
	if found.Infeasible != nil || len(found.Objective) == 0 {
		return false
	}
	sum := 0.0
	for metric, weight := range found.Objective {
		least, known := c.least[metric]
		if !known && weight != 0 {
			return false
		}
		sum += weight * least // each alone at its least: the sum is not below that
	}
	value, _ := found.Bound.Value()
	if len(found.Objective) > 1 {
		return true // a sum of several is not enumerated
	}
	return value <= sum+1e-9*max(1, math.Abs(sum))
}

// Beyond enumeration: no certificate that claims more than a known schedule costs is accepted, however it is changed.
func TestNoCertificateAboveAKnownScheduleIsAccepted(t *testing.T) {
	race.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(2, 23))
	for _, known := range []struct {
		path   string
		metric string
		solver string
	}{{"../data/mcp/mcp-n040-1.json", "mcp", "search"}, {"../data/ggone/ggone-J0050_b.json", "qos_penalty", "ggone"}, {"../examples/multicluster.json", "makespan", "search"}} {
		in, err := model.ReadInstanceFile(known.path)
		if err != nil {
			t.Fatal(err)
		}
		target, err := in.WithObjective(map[string]float64{known.metric: 1})
		if err != nil {
			t.Fatal(err)
		}
		choice, err := solve.Choose(known.solver)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, target, solve.Options{Certify: true, MaxEvals: 3000})
		if err != nil || result.Certificate == nil {
			t.Fatal(err, result.Certificate)
		}
		if out := outcome(t.Context(), in, result.Certificate, result.Solution); out.Verdict != proof.Verified {
			t.Fatalf("%s: %+v", known.path, out)
		}
		c := claimed{in, result.Certificate.Bytes(), map[string]float64{known.metric: *result.Solution.Objective}}
		refuted := 0
		for range race.Fewer(250, 20) {
			text, kind := mutated(t, rng, &c)
			read, err := proof.Read(bytes.NewReader(text), "mutated")
			if err != nil {
				continue
			}
			switch r := verdict(t.Context(), in, read); {
			case r.Verdict == proof.Verified && !c.allows(read):
				t.Fatalf("%s: %s: verified, and false", known.path, kind)
			case r.Verdict == proof.Refuted:
				refuted++
			}
		}
		if refuted < race.Fewer(50, 4) {
			t.Errorf("%s: %d refuted: the test says little", known.path, refuted)
		}
	}
}

// place is a value in a tree of JSON with what replaces it.
type place struct {
	value any
	set   func(any)
	drop  func()
	twice func()
}

// places lists all values of a tree.
func places(tree any, list []place) []place {
	switch node := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(node)) {
			list = append(list, place{node[name], func(x any) { node[name] = x }, func() { delete(node, name) }, func() { node[name+"_"] = copied(node[name]) }})
			list = places(node[name], list)
		}
	case []any:
		for k := range node {
			list = append(list, place{node[k], func(x any) { node[k] = x }, nil, nil})
			list = places(node[k], list)
		}
	}
	return list
}

// copied is a value of its own, so that no tree comes to contain itself.
func copied(value any) (x any) {
	text, _ := json.Marshal(value)
	_ = json.Unmarshal(text, &x)
	return x
}

// mutated changes a certificate. In most cases it claims more than is true: then any other change may hide that.
func mutated(t *testing.T, rng *rand.Rand, c *claimed) (text []byte, kind string) {
	var tree map[string]any
	if err := json.Unmarshal(c.text, &tree); err != nil {
		t.Fatal(err)
	}
	part := tree["parts"].([]any)[0].(map[string]any)
	if over := rng.IntN(4); over > 0 {
		more := c.least[part["metric"].(string)]*(1+[]float64{1e-6, 1e-3, 0.5}[rng.IntN(3)]) + 1e-6
		if part["lacks"] == true { // the objective is what the metric lacks, less its largest value
			truth := c.least[part["metric"].(string)]
			most := part["bound"].(float64) - tree["bound"].(float64)
			more = truth + math.Abs(truth)*[]float64{1e-6, 1e-3, 0.5}[rng.IntN(3)] + 1e-6
			tree["bound"], part["bound"] = more, more+most
		} else {
			tree["bound"], part["bound"] = more, more
		}
		if rng.IntN(4) == 0 {
			part["step"] = []float64{more, more / 2, 1, 0.1, 1e-9, 1e9}[rng.IntN(6)]
		}
	}
	for range 1 + rng.IntN(3) {
		all := places(tree, nil)
		at := all[rng.IntN(len(all))]
		switch value := at.value.(type) {
		case float64:
			kind = "number"
			at.set([]any{value + 1, value - 1, -value, value * 2, value / 2, 0.0, value * (1 + 1e-6), 1e300, -1e300, 1e-300, rng.NormFloat64() * 10, float64(rng.IntN(5)),
				copied(all[rng.IntN(len(all))].value)}[rng.IntN(13)])
		case string:
			kind = "text"
			at.set([]any{"", "0" + value, "jobs", "bucket", "load", "room", "rate", strings.Repeat("0", 64), "makespan", "mcp", "l", 1.0}[rng.IntN(12)])
		case []any:
			kind = "list"
			switch k := rng.IntN(max(1, len(value))); {
			case len(value) == 0:
				at.set([]any{0.0})
			case rng.IntN(3) == 0:
				kind = "element dropped"
				at.set(slices.Delete(slices.Clone(value), k, k+1))
			case rng.IntN(2) == 0:
				kind = "element twice"
				at.set(slices.Insert(slices.Clone(value), k, copied(value[k])))
			default:
				other := slices.Clone(value)
				rng.Shuffle(len(other), func(a, b int) { other[a], other[b] = other[b], other[a] })
				at.set(other)
				kind = "list shuffled"
			}
		case map[string]any:
			kind = "object replaced"
			at.set(copied(all[rng.IntN(len(all))].value))
		}
		if at.drop != nil && rng.IntN(8) == 0 {
			kind = "field dropped"
			at.drop()
		} else if at.twice != nil && rng.IntN(30) == 0 {
			kind = "unknown field"
			at.twice()
		}
	}
	switch rng.IntN(60) {
	case 0:
		tree["objective"], kind = map[string]any{[]string{"makespan", "mean_wait", "mcp", "missed"}[rng.IntN(4)]: 1 + rng.Float64()}, "another objective"
	case 1:
		tree["instance_sha256"], kind = strings.Repeat("ab", 32), "another instance"
	}
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	switch k := 1 + rng.IntN(len(text)-1); rng.IntN(60) {
	case 0:
		return append(text[:k:k], text[k+1:]...), "byte dropped"
	case 1:
		return append(append(text[:k:k], []string{"NaN", "1e999", "-", "[", "null", "0"}[rng.IntN(6)]...), text[k:]...), "text inserted"
	}
	return text, kind
}
