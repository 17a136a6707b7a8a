package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

// writeModel writes the MILP that the solver states for the instance. It solves nothing, so it also works in builds without HiGHS.
func writeModel(c *cli.Context, choice solve.Choice, instance string) error {
	info := choice.Info
	path := c.String("write-model")
	modeller, ok := choice.Solver.(milp.Modeller)
	if !ok {
		return usageErrorf("--write-model: solver %s has no MILP; %s have one", info.Name, strings.Join(modellers(), " and "))
	}
	written := map[string]func(*milp.Model, io.Writer) error{".mps": (*milp.Model).WriteMPS, ".lp": (*milp.Model).WriteLP}[strings.ToLower(filepath.Ext(path))]
	if written == nil {
		return usageErrorf("--write-model: expected a file that ends in .mps or .lp, found %q", path)
	}
	for _, flag := range []string{"start", "trace", "gantt", "output"} {
		if c.IsSet(flag) {
			return usageErrorf("--write-model: expected it without --%s, because nothing is solved", flag)
		}
	}
	if err := checkWritable(path); err != nil {
		return err
	}
	in, err := readTarget(c, instance)
	if err != nil {
		return err
	}
	ctx, stop := withinTime(c)
	defer stop()
	m, err := modeller.MILP(ctx, in)
	switch {
	case err == nil:
	case errors.As(err, new(*ggone.InfeasibleError)):
		return &statusError{exitViolations, fmt.Errorf("solver %s: %w", info.Name, err)}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return &statusError{exitNoSolution, fmt.Errorf("solver %s: stopped before the model was written", info.Name)}
	default:
		return fmt.Errorf("solver %s: %w", info.Name, err)
	}
	if err := write(c, path, func(w io.Writer) error { return written(m, w) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.ErrWriter, "%s: %s of %s: %s (%d integer), %s, %d coefficients\n",
		path, m.Name, printable(instanceName(in)), numtext.Counted(m.Variables(), "variable"), m.Integers(), numtext.Counted(m.Rows(), "row"), m.Terms())
	return err
}

// modellers lists the names of the solvers that state a MILP.
func modellers() []string {
	return solversWith(func(info solve.Info) bool {
		_, states := info.New().(milp.Modeller)
		return states
	})
}
