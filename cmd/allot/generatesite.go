package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/answers"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

// asFiles lets the command of a workload write what Slurm would say of it, too, if its jobs had run under a policy.
func asFiles(command *cli.Command) {
	name, instance := command.Name, command.Action
	command.Flags = append(command.Flags,
		&cli.StringFlag{Name: "dir", Usage: "write the files of a Slurm to `FOLDER` in place of an instance: sacct.txt, nodes.txt, partitions.txt, slurm.conf, and the truth in truth.json and starts.json"},
		&cli.StringFlag{Name: "policy", Value: "easy:order=priority", Usage: "with --dir: the `POLICY` under which the jobs ran"})
	command.Description += `

With --dir the jobs run under --policy, and the folder gets what Slurm would print afterwards: sacct.txt (sacct -P), nodes.txt (scontrol show node), partitions.txt
(scontrol show partition) and slurm.conf; and the truth, which no Slurm tells: the instance truth.json and its schedule starts.json, which names the policy.
  allot generate site --dir site --policy fcfs
  allot import sacct --nodes site/slurm.conf site/sacct.txt | allot policies --policies fcfs,easy -`
	command.Action = func(c *cli.Context) error {
		if !c.IsSet("dir") {
			if c.IsSet("policy") {
				return usageErrorf("--policy: expected --dir too: an instance has no starts")
			}
			return instance(c)
		}
		if c.IsSet("output") {
			return usageErrorf("expected only one of --dir and --output, found both")
		}
		info, _ := workload.Named(name)
		return taking(func(c *cli.Context, _ []string) error { return writeSite(c, info) })(c)
	}
}

// writeSite writes the files of a site.
func writeSite(c *cli.Context, info workload.Info) error {
	in, err := generated(c, info)
	if err != nil {
		return err
	}
	policy, err := solve.Choose(c.String("policy"))
	if err != nil {
		return usageErrorf("--policy: %w", err)
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	row := bench.Measure(ctx, policy, in, bench.Settings{Options: solve.Options{Seed: c.Uint64("seed"), Unbounded: true}})
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err := answers.WithoutSchedule(&row); err != nil {
		return err
	}
	dir := c.String("dir")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &statusError{exitFailure, err}
	}
	var written []string
	for _, f := range []struct {
		name string
		into func(w io.Writer) error
	}{
		{"sacct.txt", func(w io.Writer) error { return slurm.WriteAccounting(w, in, row.Solution) }},
		{"nodes.txt", func(w io.Writer) error { return slurm.WriteNodes(w, in) }},
		{"partitions.txt", func(w io.Writer) error { return slurm.WritePartitions(w, in) }},
		{"slurm.conf", func(w io.Writer) error { return slurm.WriteConf(w, in) }},
		{"truth.json", func(w io.Writer) error { return model.WriteInstance(w, in) }},
		{"starts.json", func(w io.Writer) error { return model.WriteSolution(w, row.Solution) }},
	} {
		path := filepath.Join(dir, f.name)
		err := write(c, path, f.into)
		if err == nil && ctx.Err() != nil { // between two files
			written, err = append(written, path), errUnwritten
		}
		if errors.Is(err, errUnwritten) { // a part of a site is none
			for _, done := range written {
				err = errors.Join(err, os.Remove(done))
			}
		}
		if err != nil {
			return err
		}
		written = append(written, path)
	}
	return nil
}
