package tune

import (
	"context"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
)

// Step is a parameter on the way from the choice as it stands to what was found. Each step changes the parameter that helps most at that point; the first steps are the
// ones that matter.
//
// C. Fawcett, H. H. Hoos (2016), Analysing differences between algorithm configurations through ablation, Journal of Heuristics 22, 431–458, doi:10.1007/s10732-014-9275-9.
type Step struct {
	Parameter string `json:"parameter"`
	From      string `json:"from"` // empty: it did not matter before
	To        string `json:"to"`   // empty: it no longer matters
	// Training compares the choice after this step with the choice as it stands, in the races.
	Training *Gain `json:"training"`
}

// leastAblation is the fewest heats that tell steps apart.
const leastAblation = firstTest

// ablate walks from the choice as it stands to the best candidate, on heats that both have run, within what is left of the limit. Where too little is left there are no steps.
func (t *tuning) ablate(ctx context.Context) ([]Step, error) {
	r := t.race
	from, to := r.standing.config, t.best.config
	var differ []int
	for k := range to {
		if from[k] != to[k] {
			differ = append(differ, k)
		}
	}
	heats := r.field.common(r.standing, t.best)
	n := float64(len(differ))
	left := int((r.limit() + r.spare - r.used()) / r.price() / max(1, n*(n+1)/2-1)) // the last step needs no runs
	if len(differ) > 1 && min(left, len(heats)) < leastAblation || len(heats) == 0 {
		return nil, nil
	}
	if len(differ) > 1 {
		heats = heats[:min(left, len(heats))]
	}
	var steps []Step
	at := r.standing
	for !slices.Equal(at.config, to) {
		var tries []*candidate
		var of []int
		for _, k := range differ {
			next := t.space.changed(at.config, k, to[k])
			c := t.best
			switch {
			case slices.Equal(next, at.config): // another parameter decides whether it matters, and has to change first
				continue
			case !slices.Equal(next, to):
				choice, err := t.space.Choice(next)
				if err != nil {
					continue // the solver refuses this combination on the way
				}
				c = &candidate{config: next, choice: choice}
			}
			tries, of = append(tries, c), append(of, k)
		}
		if len(tries) == 0 {
			return nil, nil
		}
		for _, heat := range heats {
			if err := r.field.run(ctx, heat, tries); err != nil {
				return nil, err
			}
		}
		first := r.test.standings(r.field.table(heats, tries))[0].at
		gain, err := compare(r.field.table(heats, []*candidate{r.standing, tries[first]}), t.opt.Confidence)
		if err != nil {
			return nil, err
		}
		k := of[first]
		steps = append(steps, Step{Parameter: t.space.Dimensions[k].Name, From: at.config[k], To: to[k], Training: gain})
		at = tries[first]
		differ = kit.That(differ, func(d int) bool { return d != k })
	}
	return steps, nil
}

// changed is a configuration with another value of one dimension. What then begins to matter has the value of the choice as it stands.
func (s *Space) changed(c Config, k int, value string) Config {
	next := make(Config, len(c))
	for d := range s.Dimensions {
		switch {
		case !s.matters(next, d):
		case d == k && value != "":
			next[d] = value
		case c[d] != "":
			next[d] = c[d]
		default:
			next[d] = s.Dimensions[d].Default
		}
	}
	return next
}
