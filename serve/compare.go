package serve

import (
	"context"
	"errors"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

// ComparedRows is the result of compare.
type ComparedRows struct {
	Rows      []bench.Row `json:"rows" doc:"a row for each run, as allot compare --json writes them"`
	Solutions []Raw       `json:"solutions,omitempty" doc:"the solution of each row; null: it has none"`
}

// RowProgress is a run that has ended.
type RowProgress struct {
	Row  bench.Row `json:"row" doc:"its row"`
	Done int       `json:"done" doc:"how many runs have ended"`
}

// compare runs solvers on instances.
func (c *call) compare(ctx context.Context, s *question.Compare) (*ComparedRows, error) {
	if err := c.affordable(s.Time); err != nil {
		return nil, err
	}
	for _, name := range s.Solvers {
		if _, err := c.choose("solvers", name); err != nil {
			return nil, err
		}
	}
	solvers, err := answers.Solvers(s.Solvers)
	if err != nil {
		return nil, err
	}
	settings := bench.Settings{Time: s.Time.Duration(), Options: s.Options(c.workers(s.Workers))}
	lineup := answers.Lineup{Solvers: solvers, Stated: !s.Presolve, Safe: func(label string) string { return label }}
	var list []answers.Compared
	for k := range c.documents["instances"] {
		d := &c.documents["instances"][k]
		in, err := c.instance(d, s.Objective, settings.Options.Workers, solvers...)
		if err != nil {
			return nil, err
		}
		named, err := lineup.Add(in, d.name())
		if err != nil {
			return nil, &Error{Code: unsupported, Message: d.Path + ": " + err.Error()}
		}
		list = append(list, named)
	}
	ctx, cancel, err := c.within(ctx, 0, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	if settings.Time == 0 && s.Evaluations == 0 {
		settings.Time = c.service.limits.Usual
	}
	found := &ComparedRows{Rows: []bench.Row{}}
	for _, in := range list {
		rows, err := c.compareOn(ctx, &in, settings, len(found.Rows))
		if err != nil {
			return nil, err
		}
		found.Rows = append(found.Rows, rows...)
	}
	if len(found.Rows) == 0 {
		return nil, fail(noAnswer, "stopped before the first run")
	}
	if s.Solutions {
		for k := range found.Rows {
			text, err := solutionText(found.Rows[k].Solution)
			if err != nil {
				return nil, err
			}
			found.Solutions = append(found.Solutions, text)
		}
	}
	return found, nil
}

// compareOn runs the solvers on one instance, after a number of runs before. What a client cancels has no row.
func (c *call) compareOn(ctx context.Context, in *answers.Compared, settings bench.Settings, before int) ([]bench.Row, error) {
	var rows []bench.Row
	for _, choice := range in.Solvers {
		if ctx.Err() != nil {
			break
		}
		row := in.Row(ctx, choice, settings)
		if c.progress != nil {
			c.progress(RowProgress{row, before + len(rows) + 1})
		}
		rows = append(rows, row)
	}
	return rows, errors.Join(bench.ShareBounds(ctx, in.Instance, rows))
}
