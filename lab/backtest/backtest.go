// Package backtest measures how good forecasts of starts were: how often the truth lay from P10 to P90, and by how much P50 was wrong.
package backtest

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/lab/forecast"
)

// Options are the settings of a report.
type Options struct {
	Day        float64 // length of a day, time: the period of the bootstrap, and the measure of the classes of waits
	Confidence float64 // of the intervals of the coverage
	Replicates int     // of the bootstrap
	Seed       uint64  // of the bootstrap
}

// Report is the figures of a backtest.
type Report struct {
	Trace    string `json:"trace"`
	Solver   string `json:"solver"`
	TimeUnit string `json:"time_unit"`
	Runs     int    `json:"runs"`
	Seed     uint64 `json:"seed"`
	Arrivals bool   `json:"arrivals"`
	Stopped  bool   `json:"stopped,omitempty"` // before all samples were done
	// Unknown is the number of jobs that waited for which too little was known to forecast, for the reason of the first. They are in no group.
	Unknown int     `json:"too_little_known"`
	Reason  string  `json:"reason,omitempty"`
	Groups  []Group `json:"groups"`
	// Samples are the forecasts with the truth, in order of arrival.
	Samples []forecast.Sample `json:"samples"`
}

// Group is the figures of some samples. Times are absolute errors.
type Group struct {
	Name string `json:"name"`
	Jobs int    `json:"jobs"`
	// Coverage is the part of the jobs whose start lay from P10 to P90, with its interval by a moving-block bootstrap over days; absent: too few days.
	Coverage float64  `json:"coverage"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Early    float64  `json:"early"`  // the part that started before P10
	Late     float64  `json:"late"`   // the part that started after P90
	Points   float64  `json:"points"` // the part whose P10 and P90 are the same
	// Shared is the coverage where futures that agree with the truth share its rank, see [forecast.Sample.Shared]: 0.8 for right forecasts.
	Shared float64 `json:"shared_coverage"`
	// Errors are those of P50; the width is P90 − P10. They cover only jobs with finite values, and are absent if there are none.
	MedianError *float64 `json:"median_error,omitempty"`
	MeanError   *float64 `json:"mean_error,omitempty"`
	MedianWidth *float64 `json:"median_width,omitempty"`
	// Pinball is the mean of the pinball losses of P10, P50 and P90, which is least for the true quantiles: R. Koenker, G. Bassett (1978), Econometrica 46(1),
	// doi:10.2307/1913643.
	Pinball *float64 `json:"pinball,omitempty"`
}

// The names of the first groups. Those of classes follow.
const (
	All     = "all"
	AtOnce  = "start at once"
	Waiting = "wait"
)

// Known is the number of samples with a forecast, and the reason of the first without; empty: all have one.
func Known(samples []forecast.Sample) (known int, reason string) {
	for k := range samples {
		if samples[k].Reason == "" {
			known++
		} else {
			reason = cmp.Or(reason, samples[k].Reason)
		}
	}
	return known, reason
}

// New makes the figures of the samples with a forecast, in order of arrival: of all jobs, of those that start at once, of those that wait, and of the latter by the class of the wait
// that was forecast, P50. The classes are by the forecast and not by the truth: of the jobs that waited longest in truth most were bound to be forecast too short.
func New(samples []forecast.Sample, opt Options) ([]Group, error) {
	samples = slices.DeleteFunc(slices.Clone(samples), func(s forecast.Sample) bool { return s.Reason != "" })
	if len(samples) == 0 {
		return nil, errors.New("expected at least one sample, found none")
	}
	hour := opt.Day / 24
	is := func(from, to float64) func(*forecast.Sample) bool {
		return func(s *forecast.Sample) bool {
			wait := s.Forecast.P50 - s.Submitted
			return s.Waits() && wait >= from && wait < to
		}
	}
	var groups []Group
	for _, g := range []struct {
		name string
		in   func(*forecast.Sample) bool
	}{
		{All, func(*forecast.Sample) bool { return true }},
		{AtOnce, func(s *forecast.Sample) bool { return !s.Waits() }},
		{Waiting, (*forecast.Sample).Waits},
		{"forecast to wait below 1 h", is(0, hour)},
		{"forecast to wait 1 h to 6 h", is(hour, 6*hour)},
		{"forecast to wait 6 h or more", is(6*hour, math.Inf(1))},
		{"forecast never to start", func(s *forecast.Sample) bool { return math.IsInf(s.Forecast.P50, 1) }},
	} {
		var list []*forecast.Sample
		for k := range samples {
			if g.in(&samples[k]) {
				list = append(list, &samples[k])
			}
		}
		if len(list) == 0 {
			continue
		}
		group, err := newGroup(g.name, list, samples[0].Submitted, opt)
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// newGroup makes the figures of samples; first is the first arrival of all.
func newGroup(name string, list []*forecast.Sample, first float64, opt Options) (Group, error) {
	g := Group{Name: name, Jobs: len(list)}
	n := float64(len(list))
	days := make([]statistics.Period, 1+int(min((list[len(list)-1].Submitted-first)/opt.Day, mostDays)))
	var errs, widths, losses []float64
	covered, early, points := 0, 0, 0
	for _, s := range list {
		day := &days[int(min((s.Submitted-first)/opt.Day, mostDays))]
		day.N++
		switch {
		case s.Covered():
			covered++
			day.Difference++
		case s.Start < s.Forecast.P10:
			early++
		}
		if s.Forecast.P10 == s.Forecast.P90 {
			points++
		}
		g.Shared += s.Shared() / n
		if !math.IsInf(s.Forecast.P50, 1) {
			errs = append(errs, math.Abs(s.Start-s.Forecast.P50))
		}
		if !math.IsInf(s.Forecast.P90, 1) {
			widths = append(widths, s.Forecast.P90-s.Forecast.P10)
			losses = append(losses, s.Forecast.Pinball(s.Start))
		}
	}
	g.Coverage, g.Early, g.Late, g.Points = float64(covered)/n, float64(early)/n, float64(len(list)-covered-early)/n, float64(points)/n
	if median, err := statistics.Quantile(errs, 0.5); err == nil {
		g.MeanError, g.MedianError = new(statistics.Sum(errs)/float64(len(errs))), &median
	}
	if median, err := statistics.Quantile(widths, 0.5); err == nil {
		g.MedianWidth, g.Pinball = &median, new(statistics.Sum(losses)/float64(len(losses)))
	}
	if covered == 0 || covered == len(list) {
		return g, nil // all replicates would be alike, and an interval would claim what nobody knows
	}
	return g, g.interval(days, opt)
}

// mostDays bounds the memory of a bootstrap.
const mostDays = 1_000_000

// interval adds the interval of the coverage; none where the jobs are of fewer than [statistics.LeastBlocks] blocks of days.
func (g *Group) interval(days []statistics.Period, opt Options) error {
	blocks, err := statistics.NewMovingBlocks(len(days), statistics.Bootstrap{Replicates: opt.Replicates, Seed: opt.Seed, Confidence: opt.Confidence})
	if err != nil {
		return err
	}
	interval, err := blocks.Difference(days)
	if err == nil && !math.IsInf(interval.Low, 0) {
		g.Low, g.High = new(max(0, interval.Low)), new(min(1, interval.High)) // a share; Student's t does not know that
	}
	return err
}
