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
	"github.com/allot-opt/allot/solve"
)

// Strength tries the first instances of each kind that needs no MILP. It counts, by "kind, metric, method", those whose optimum a method of bounds
// reaches with a little work, and those whose optimum a solver proves. The method "all" counts all instances of that kind and metric.
func Strength(ctx context.Context, each int) (map[string]int, error) {
	counts := map[string]int{}
	for _, kind := range kinds {
		if kind.MILP {
			continue
		}
		for index := range each {
			rng := rand.New(rand.NewPCG(uint64(index), 5))
			p, err := kind.Draw(rng)
			for errors.Is(err, errRedraw) {
				p, err = kind.Draw(rng)
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
		proof := bound.New(ctx, t.in)
		proof.Improve(ctx, bound.LittleWork)
		for _, part := range proof.Parts() {
			if part.Value >= optimum-t.tolerated {
				counts[key+part.Method]++
			}
		}
		for _, name := range []string{"exact", "ggone"} {
			info, err := solve.Lookup(name)
			if err != nil {
				return err
			}
			solver := info.New()
			if len(p.Spec.Jobs) > 30 || solver.Supports(t.in) != nil {
				continue
			}
			result, err := solver.Solve(ctx, t.in, solve.Options{Seed: 1, MaxEvals: 3000})
			if err == nil && result.Status == model.Optimal {
				counts[key+"stated by "+name]++
			}
		}
	}
	return nil
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
