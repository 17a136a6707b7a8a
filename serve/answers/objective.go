package answers

import "github.com/allot-opt/allot/model"

// WithObjective returns the instance that minimises a metric; with an empty one the instance unchanged.
func WithObjective(in *model.Instance, metric string) (*model.Instance, error) {
	if metric == "" {
		return in, nil
	}
	other, err := in.WithObjective(map[string]float64{metric: 1})
	if err != nil {
		return nil, &OptionError{"objective", err}
	}
	return other, nil
}

// WithImportObjective gives an instance that was imported its objective: the metric, and with an empty one the mean bounded slowdown where jobs arrive over time. The
// makespan of a trace says little: it hardly depends on the schedule, as the last jobs that arrive decide it.
func WithImportObjective(in *model.Instance, metric string) (*model.Instance, error) {
	if metric == "" && in.Features()&model.Arrivals != 0 {
		metric = "bounded_slowdown"
	}
	return WithObjective(in, metric)
}
