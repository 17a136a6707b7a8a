package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// traced is a run whose steps are asked for.
type traced struct {
	*answers.Traced
	path string // of the file with the schedule that the run must make
	job  string // only the steps about this job; empty: all
}

// runTrace writes the steps of a solver.
func runTrace(c *cli.Context) error {
	t, err := tracedRun(c)
	if err != nil {
		return err
	}
	if err := t.Check(); err != nil {
		return flagErrors(err)
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	if t.Made != nil { // write no step of a run that makes another schedule
		if err := t.reproduces(ctx); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(c.App.Writer)
	about, err := t.AboutRecord(ctx)
	if err != nil {
		return stoppedOr(ctx, err)
	}
	if first := printable(caveatsText(t.In, "", 0) + strings.Join(append(about, ""), "\n")); c.Bool("json") {
		fmt.Fprint(c.App.ErrWriter, first) // every line of the answer is a step
	} else {
		fmt.Fprint(out, first)
	}
	result, err := t.write(ctx, out, c.Bool("json"))
	if err != nil {
		return err
	}
	if !c.Bool("json") && t.job == "" {
		sol := result.Solution
		fmt.Fprint(out, printable(fmt.Sprintf("%d of %d jobs placed; %s\n", len(sol.Jobs), len(t.In.Jobs()), objectiveText(t.In, sol.Objective))))
	}
	return out.Flush()
}

// tracedRun reads the arguments: INSTANCE [JOB] with --solver, else INSTANCE SOLUTION [JOB].
func tracedRun(c *cli.Context) (t traced, err error) {
	files, expected := 2, "INSTANCE SOLUTION [JOB], or --solver NAME INSTANCE [JOB]"
	runs := c.IsSet("solver") || c.IsSet("slurm-conf") // without a solution: the solver that is named, else the policy of the site
	if runs {
		files, expected = 1, "INSTANCE [JOB] with --solver or --slurm-conf"
	}
	args := c.Args().Slice()
	switch {
	case len(args) < files || len(args) > files+1:
		return t, usageErrorf("--trace: expected %s, found %s; see %s --help", expected, numtext.Counted(len(args), "argument"), c.Command.HelpName)
	case c.IsSet("seed") && !runs:
		return t, usageErrorf("--seed: expected it only with --solver; a solution states the seed of its run")
	}
	if runs {
		var q question.Explain
		if err := asked(c, &q); err != nil {
			return t, err
		}
		t.Traced = &answers.Traced{Seed: q.RunSeed()}
		if _, err = solve.Choose(q.Solver); q.Solver != "" && err != nil { // not only after the instance is read
			return t, usageErrorf("--solver: %w", err)
		}
		if t.In, err = readSited(c, args[0], q.Files); err != nil {
			return t, err
		}
		t.Choice, err = solve.Choose(answers.NamedPolicy(t.In, q.Solver))
	} else {
		err = t.readSolution(c, args[0], args[1])
	}
	if err != nil || len(args) == files {
		return t, err
	}
	t.job = args[files]
	if _, ok := t.In.JobIndex(t.job); !ok {
		return t, usageErrorf("JOB: expected the id of a job of %s, found %q", args[0], t.job)
	}
	return t, nil
}

// readSolution reads the instance and a solution of it, with the solver that the solution names.
func (t *traced) readSolution(c *cli.Context, instance, solution string) error {
	in, list, err := schedulesOn(func(path string) (*model.Instance, error) { return readOf(c, path) }, instance, solution)
	if err != nil {
		return err
	}
	if report := model.Check(in, list[0]); !report.OK() {
		return &statusError{exitViolations, fmt.Errorf("%s: expected a schedule that allot check accepts: %w", solution, report.Violations[0])}
	}
	t.path = solution
	if t.Traced, err = answers.TracedOf(in, list[0]); err != nil {
		return usageErrorf("%s: %w", solution, err)
	}
	return nil
}

// reproduces runs the solver and returns an error if its schedule is not the one of the file.
func (t *traced) reproduces(ctx context.Context) error {
	result, err := t.run(ctx, nil)
	if err != nil {
		return err
	}
	if how := t.Differs(result.Solution); how != "" {
		return usageErrorf("%s: expected the schedule that solver %s makes with the seed and the parameters in the file; %s; to see the steps of the solver's own schedule, give --solver %s instead of the file",
			t.path, t.Choice.Info.Name, how, t.Choice.Info.Name)
	}
	return nil
}

// run runs the solver to its end.
func (t *traced) run(ctx context.Context, tell func(solve.Step)) (solve.Result, error) {
	result, err := t.Run(ctx, tell)
	switch {
	case err != nil:
		return result, err
	case ctx.Err() != nil:
		return result, &statusError{exitNoSolution, context.Cause(ctx)}
	case result.Solution == nil:
		return result, noSolution(t.Choice.Info.Name, result)
	}
	return result, nil
}

// write runs the solver and writes its steps as they come.
func (t *traced) write(ctx context.Context, out io.Writer, asJSON bool) (solve.Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var failed error
	result, err := t.run(ctx, func(s solve.Step) {
		if failed != nil || t.job != "" && !s.About(t.job) {
			return
		}
		if asJSON {
			failed = encoder.Encode(s)
		} else {
			_, failed = io.WriteString(out, printable(stepText(&s)))
		}
		if failed != nil {
			stop(failed) // nobody reads on
		}
	})
	return result, errors.Join(failed, err)
}

// shownScores is the number of clusters up to which the text of a step has them all.
const shownScores = 12

// stepText is a step for people.
func stepText(s *solve.Step) string {
	w := new(strings.Builder)
	fmt.Fprintf(w, "%d. at %s, %s: %s\n", s.Number, numtext.Figure(s.At), s.Rule, s.Text)
	if len(s.Terms) > 0 {
		fmt.Fprintf(w, "     %s\n", termsText(s.Terms))
	}
	scores, others := s.Scores, 0
	if len(scores) > shownScores {
		others = len(scores) - shownScores
		at := slices.IndexFunc(scores, func(a solve.Score) bool { return a.Chosen })
		if scores = scores[:shownScores:shownScores]; at >= shownScores {
			scores = append(scores[:shownScores-1], s.Scores[at])
		}
	}
	writeScores(w, s.Score, scores)
	if others > 0 {
		fmt.Fprintf(w, "     and %s; --json has all\n", numtext.Counted(others, "more cluster"))
	}
	for k := range s.Placed {
		p := &s.Placed[k]
		fmt.Fprintf(w, "   %s: %s from %s to %s\n", p.Job, answers.PlaceOf(nil, p), numtext.Figure(p.Start), numtext.Figure(p.End))
	}
	return w.String()
}

// termsText is the figures of a step in one line.
func termsText(terms []sim.Term) string {
	parts := kit.Each(terms, func(term sim.Term) string { return term.Name + " " + numtext.Figure(term.Value) })
	return strings.Join(parts, ", ")
}

// writeScores writes the scores of clusters as a table. > marks the cluster that was taken.
func writeScores(w io.Writer, name string, scores []solve.Score) {
	if len(scores) == 0 {
		return
	}
	var columns []string
	for _, score := range scores {
		for _, term := range score.Terms {
			if !slices.Contains(columns, term.Name) {
				columns = append(columns, term.Name)
			}
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "     cluster\t%s\n", strings.Join(append([]string{name}, columns...), "\t"))
	for _, score := range scores {
		mark := " "
		if score.Chosen {
			mark = ">"
		}
		var cells []string
		if score.Value != nil {
			cells = append(cells, numtext.Figure(*score.Value))
		}
		if score.Why != "" {
			cells = append(cells, "("+score.Why+")")
		}
		row := []string{strings.Join(cells, " ")}
		for _, column := range columns {
			cell := ""
			if k := slices.IndexFunc(score.Terms, func(t sim.Term) bool { return t.Name == column }); k >= 0 {
				cell = numtext.Figure(score.Terms[k].Value)
			}
			row = append(row, cell)
		}
		fmt.Fprintf(table, "   %s %s\t%s\n", mark, score.Cluster, strings.Join(row, "\t"))
	}
	_ = table.Flush() // into memory
}
