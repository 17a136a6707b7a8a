package tune

import (
	"context"
	"slices"
)

// leastPart is the part of the gain in the races that a change must make up to be kept.
const leastPart = 0.005

// simplify takes back the changes of the best candidate that the gain does not need, one after the other, those that come last in the space first: what is undone may cost a small
// part of the gain in the races at most. So an administrator changes few lines, each for a reason. It runs on heats that the best and what there is have run, within half
// of what is left of the limit; where too little is left nothing is taken back.
func (t *tuning) simplify(ctx context.Context) error {
	r := t.race
	from := r.standing.config
	var differ []int
	for k := range from {
		if from[k] != t.best.config[k] {
			differ = append(differ, k)
		}
	}
	heats := r.field.common(r.standing, t.best)
	left := int((r.limit() + r.spare - r.used()) / 2 / r.price() / max(1, float64(len(differ))))
	if len(differ) < 2 || min(left, len(heats)) < leastAblation {
		return nil
	}
	heats = heats[:min(left, len(heats))]
	standing, _ := t.total(heats, r.standing)
	best, owed := t.total(heats, t.best)
	spare := leastPart * (standing - best)
	for _, k := range slices.Backward(differ) {
		next := t.space.changed(t.best.config, k, from[k])
		if slices.Equal(next, from) {
			break
		}
		choice, err := t.space.Choice(next)
		if err != nil {
			continue // the solver refuses this combination
		}
		c := &candidate{config: next, choice: choice}
		for _, heat := range heats {
			if err := r.field.run(ctx, heat, []*candidate{c}); err != nil {
				return err
			}
		}
		if sum, left := t.total(heats, c); left == owed && sum <= best+spare {
			t.best, best = c, sum
		}
	}
	return nil
}

// total sums up the objectives of a candidate over heats that it has run, and the jobs that its schedules owe.
func (t *tuning) total(heats []int, c *candidate) (sum, left float64) {
	for _, row := range t.race.field.table(heats, []*candidate{c}) {
		sum, left = sum+row[0].Objective, left+row[0].Left
	}
	return sum, left
}
