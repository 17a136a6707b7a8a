package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
	"github.com/allot-opt/allot/workload/record"
)

// asFiles lets the command of a workload write what Slurm would say of it, too, if its jobs had run by a rule of package record.
func asFiles(command *cli.Command) {
	name, instance := command.Name, command.Action
	command.Flags = append(command.Flags,
		&cli.StringFlag{Name: "dir", Usage: "write the files of a Slurm to `FOLDER` in place of an instance: sacct.txt, nodes.txt, partitions.txt, slurm.conf, and the truth in truth.json and starts.json"},
		newChoice("record", "easy", "with --dir: the rule by which the jobs ran", record.Rules()...))
	command.Description += `

With --dir the jobs run by the rule of --record, and the folder gets what Slurm would print afterwards: sacct.txt (sacct -P), nodes.txt (scontrol show node), partitions.txt
(scontrol show partition) and slurm.conf; and the truth, which no Slurm tells: the instance truth.json and its schedule starts.json, which names the rule.

Each partition has a queue of its own, in which the user class of the highest priority goes first, then who came first. A program of its own makes the record, not the policies of allot:
  fcfs     the first job of a queue starts as long as it fits
  easy     the first job that does not fit has a reservation, and later ones start if they leave it its place
  cycles   the first jobs start as under fcfs; every 30 s all are planned anew, and those whose plan is now start, as Slurm does it

  allot generate site --dir site --record fcfs
  allot import sacct --nodes site/slurm.conf site/sacct.txt | allot policies --policies fcfs,easy -`
	command.Action = func(c *cli.Context) error {
		if !c.IsSet("dir") {
			if c.IsSet("record") {
				return usageErrorf("--record: expected --dir too: an instance has no starts")
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
	ctx, stop := interruptible(c.Context)
	defer stop()
	recorded, err := record.Run(in, c.String("record"))
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return &statusError{exitFailure, err}
	}
	recorded.Version, recorded.Seed = solve.Version(), c.Uint64("seed")
	dir := c.String("dir")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &statusError{exitFailure, err}
	}
	var written []string
	for _, f := range []struct {
		name string
		into func(w io.Writer) error
	}{
		{"sacct.txt", func(w io.Writer) error { return slurm.WriteAccounting(w, in, recorded) }},
		{"nodes.txt", func(w io.Writer) error { return slurm.WriteNodes(w, in) }},
		{"partitions.txt", func(w io.Writer) error { return slurm.WritePartitions(w, in) }},
		{"slurm.conf", func(w io.Writer) error { return slurm.WriteConf(w, in) }},
		{"truth.json", func(w io.Writer) error { return model.WriteInstance(w, in) }},
		{"starts.json", func(w io.Writer) error { return model.WriteSolution(w, recorded) }},
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
