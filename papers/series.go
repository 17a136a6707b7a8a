package papers

import (
	"slices"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/papers/verdict"
)

// Series is one line of a figure: the means of a quantity of a policy along the axis.
type Series struct {
	Quantity, Panel, Policy string
	Reading                 *Reading
	Points                  []SeriesPoint
}

// SeriesPoint is a mean with its interval.
type SeriesPoint struct {
	X     float64
	Value statistics.Interval
}

// series makes the lines of the figure under every reading that has rows, ordered by quantity, panel and reading.
func (e *Experiment) series(table sampleTable) ([]Series, error) {
	var panels []string
	for _, p := range e.Points {
		if !slices.Contains(panels, p.Panel) {
			panels = append(panels, p.Panel)
		}
	}
	var list []Series
	for _, q := range e.Quantities {
		for _, panel := range panels {
			for r := range e.Readings {
				for _, policy := range e.Policies {
					s := Series{Quantity: q.Name, Panel: panel, Policy: policy, Reading: &e.Readings[r]}
					for _, p := range e.Points {
						sample := e.sample(table, s.Reading, q.Name, policy, p, nil)
						if p.Panel != panel || len(sample) == 0 {
							continue
						}
						values := make([]float64, len(sample))
						for k := range sample {
							values[k] = sample[k].value
						}
						mean, err := statistics.Mean(values, verdict.Confidence)
						if err != nil {
							return nil, err
						}
						s.Points = append(s.Points, SeriesPoint{p.X, mean})
					}
					if len(s.Points) > 0 {
						list = append(list, s)
					}
				}
			}
		}
	}
	return list, nil
}
