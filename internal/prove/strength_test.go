package prove

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// Strength tries the first instances of each kind that needs no MILP. It counts, by "kind, metric, method", those whose optimum a method of bounds
// reaches with a little work, and those whose optimum a solver proves, and certifies. The method "all" counts all instances of that kind and metric. Of objectives with
// weights as priorities it counts, by "kind, weight, solver", those whose best schedule a solver finds.
func Strength(ctx context.Context, each int) (map[string]int, error) {
	counts := map[string]int{}
	for _, kind := range kinds {
		if kind.MILP {
			continue
		}
		for index := range each {
			rng := rand.New(rand.NewPCG(uint64(index), 5))
			p, err := kind.Draw(rng, 0)
			for errors.Is(err, errRedraw) {
				p, err = kind.Draw(rng, 0)
			}
			if err != nil {
				return nil, err
			}
			if err := p.strength(ctx, counts); err != nil {
				return nil, err
			}
		}
	}
	return counts, ctx.Err()
}

// strength adds the counts of one instance.
func (p *Planted) strength(ctx context.Context, counts map[string]int) error {
	for k := range p.rankings {
		if err := p.strengthOf(ctx, &p.rankings[k], counts); err != nil {
			return err
		}
	}
	for _, metric := range model.MetricTable() {
		optimum, known := p.Optimum[metric.Name]
		if !known {
			continue
		}
		key := p.Kind + ", " + metric.Name + ", "
		counts[key+"all"]++
		t := p.trial(map[string]float64{metric.Name: 1})
		if len(t.found) > 0 {
			return fmt.Errorf("%s", t.found[0].String())
		}
		bounds := bound.New(ctx, t.in)
		bounds.Improve(ctx, bound.LittleWork)
		for _, part := range bounds.Parts() {
			if part.Value >= optimum-t.tolerated {
				counts[key+part.Method]++
			}
		}
		for _, name := range []string{"exact", "ggone"} {
			info, err := solve.Lookup(name)
			if err != nil {
				return err
			}
			if len(p.Spec.Jobs) > 30 || info.New().Supports(t.in) != nil {
				continue
			}
			result, err := solve.Run(ctx, info.Choice(), t.in, solve.Options{Seed: 1, MaxEvals: 3000, Certify: true})
			if err == nil {
				t.optimal(ctx, key, name, &result, counts)
			}
		}
		if key == "packing, makespan, " || key == "shortest first, mean_response, " {
			if err := p.behind(ctx, key, metric.Name, counts); err != nil {
				return err
			}
		}
	}
	return nil
}

// behind counts how often search finds the optimum of a metric alone, and behind a metric of large weight that every schedule of all jobs has at its
// best. The large weight must not hide the metric.
func (p *Planted) behind(ctx context.Context, key, metric string, counts map[string]int) error {
	for _, weight := range []float64{0, 1e6, 1e9, 1e16} {
		in, err := p.Instance.WithObjective(map[string]float64{"finished": weight, metric: 1})
		if err != nil {
			return err
		}
		choice, err := solve.Choose("search")
		if err != nil {
			return err
		}
		result, err := solve.Run(ctx, choice, in, solve.Options{Seed: 1, MaxEvals: 1000})
		if err != nil {
			return err
		}
		if value, ok := result.Solution.Metrics.Get(metric); ok && value <= p.Optimum[metric]+p.tolerance(metric) {
			counts[fmt.Sprintf("%sfound by search behind finished·%g", key, weight)]++
		}
	}
	return nil
}

// strengthOf counts, by the largest weight of an objective with weights as priorities, which solvers find a best schedule with little work, and which
// prove that it is the best.
func (p *Planted) strengthOf(ctx context.Context, r *ranking, counts map[string]int) error {
	t := p.trial(r.objective)
	if len(t.found) > 0 {
		return fmt.Errorf("%s", t.found[0].String())
	}
	key := fmt.Sprintf("%s, weight %g, ", p.Kind, r.weight)
	counts[key+"all"]++
	for _, name := range []string{"search", "auto", "exact"} {
		info, err := solve.Lookup(name)
		if err != nil {
			return err
		}
		if info.New().Supports(t.in) != nil {
			continue
		}
		result, err := solve.Run(ctx, info.Choice(), t.in, solve.Options{Seed: 1, MaxEvals: 3000, Certify: true})
		if err != nil || result.Solution == nil {
			continue
		}
		table := p.small.read(t.in, result.Solution)
		excess := p.small.weighted(r.objective, &table)
		if excess.Sub(excess, r.least).Cmp(p.small.slackOf(r.objective)) <= 0 {
			counts[key+"found by "+name]++
		}
		t.optimal(ctx, key, name, &result, counts)
	}
	return nil
}

// optimal counts a result that is called optimal, and whether its certificate shows that it is.
func (t *trial) optimal(ctx context.Context, key, solver string, result *solve.Result, counts map[string]int) {
	if result.Status != model.Optimal {
		return
	}
	counts[key+"stated by "+solver]++
	if proof.CheckSolution(ctx, t.in, result.Certificate, result.Solution).Optimal {
		counts[key+"certified by "+solver]++
	}
}

// WriteStrength writes the counts, one per line.
func WriteStrength(w io.Writer, counts map[string]int) error {
	buffer := bufio.NewWriter(w)
	keys := make([]string, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Fprintf(buffer, "%d\t%s\n", counts[key], key)
	}
	return buffer.Flush()
}

// ReadStrength reads the counts that WriteStrength has written.
func ReadStrength(text string) (map[string]int, error) {
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		number, key, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		count := 0
		if _, err := fmt.Sscan(number, &count); err != nil || !found {
			return nil, fmt.Errorf("expected a count, a tab and what is counted; found %q", line)
		}
		counts[key] = count
	}
	return counts, nil
}
