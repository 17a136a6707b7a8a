package main

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/kballard/go-shellquote"
	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/lab/tune"
	"github.com/allot-opt/allot/serve/question"
)

// slurmPolicy is the policy that is tuned where --slurm-conf is given and no policy.
const slurmPolicy = "backfill:order=slurm"

// tunedPolicy is the policy that is tuned; empty: a solver.
func tunedPolicy(c *cli.Context, q *question.Tune) string {
	if q.Policy == "" && c.IsSet("slurm-conf") {
		return slurmPolicy
	}
	return q.Policy
}

// checkTuneSlurm checks the flags.
func checkTuneSlurm(c *cli.Context) error {
	if c.IsSet("judge") && !c.IsSet("slurm-conf") {
		return usageErrorf("--judge: expected --slurm-conf too")
	}
	for _, flag := range []string{"vary", "runs", "total", "folder"} {
		if c.IsSet("judge") && c.IsSet(flag) {
			return usageErrorf("expected only one of --judge, which looks for nothing, and --%s; found both", flag)
		}
	}
	return nil
}

// tuneSlurm tunes the settings of a site, or judges some.
func tuneSlurm(ctx context.Context, c *cli.Context, q *question.Tune, opt tune.Options) (*tune.Answer, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	path := c.Args().First()
	settings, err := q.Settings(openFile)
	if err != nil {
		return nil, &statusError{exitInput, err}
	}
	in, err := tunedTrace(c, path, q, &opt)
	if err != nil {
		return nil, err
	}
	site, err := tune.NewSlurm(settings, in)
	if err != nil {
		return nil, usageErrorf("%s: %w", q.SlurmConf, err)
	}
	site.Again = func(settings []string) string { return judgeCommand(c, settings) }
	if _, err := settings.Parameters(); err != nil {
		return nil, usageErrorf("%s: %w", q.SlurmConf, err)
	}
	space, err := tune.NewSlurmSpace(tunedPolicy(c, q), site, q.Vary)
	if err != nil {
		return nil, usageErrorf("%w", err)
	}
	for _, caveat := range site.Caveats {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", printable(caveat))
	}
	var answer *tune.Answer
	if len(q.Judge) > 0 {
		choice, err := space.SlurmChoice(q.Judge)
		if err != nil {
			return nil, usageErrorf("--judge: %w", err)
		}
		answer, err = tune.JudgeSlurm(ctx, space, in, tunedMetric(q), choice, opt)
		return answer, traceError(ctx, path, err)
	}
	answer, err = tune.Trace(ctx, space, in, tunedMetric(q), opt)
	return answer, traceError(ctx, path, err)
}

// judgeCommand is the command that judges settings on the same part of the same trace.
func judgeCommand(c *cli.Context, settings []string) string {
	words := []string{"allot", "tune", "--slurm-conf", c.String("slurm-conf")}
	for _, flag := range []string{"policy", "assoc", "qos", "nodes", "partitions", "processors", "objective", "held-out", "confidence"} {
		if value := c.Value(flag); c.IsSet(flag) {
			words = append(words, "--"+flag, fmt.Sprint(value))
		}
	}
	if c.Bool("anyway") {
		words = append(words, "--anyway")
	}
	for _, s := range settings {
		words = append(words, "--judge", s)
	}
	return shellquote.Join(append(words, c.Args().First())...)
}
