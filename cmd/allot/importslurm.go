package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
)

// slurmTimeout is how long all commands of Slurm together may take.
const slurmTimeout = 5 * time.Minute

// importSlurm is the subcommand that reads a live queue: from files, or from the commands of this machine.
func importSlurm() *cli.Command {
	file := func(name, command string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: "`FILE` with what " + command + " prints"}
	}
	return &cli.Command{
		Name:  slurm.Format,
		Usage: "the present queue of a Slurm cluster, versions 21.08 to 25.11",
		Description: `Without files it asks squeue, scontrol, sinfo and sacctmgr on this machine; it runs only commands that read. With files, --jobs and --nodes are required.
Time 0 is the moment at which the queue was read. Running jobs come first and stay on their nodes; their estimate is the rest of their time limit. Waiting jobs
follow in Slurm's order; their estimate is their time limit. Limits of qualities of service and accounts are licences. Standard error counts what an instance
cannot express. For jobs that have ended use allot import sacct.

Examples:
  allot import slurm -o queue.json
  squeue --json > jobs.json && scontrol show nodes --json > nodes.json && allot import slurm --jobs jobs.json --nodes nodes.json -o queue.json`,
		Flags: []cli.Flag{
			file("jobs", "squeue --json"),
			file("nodes", "scontrol show nodes --json (21.08 and 22.05: sinfo --json)"),
			file("partitions", "scontrol show partitions, with --json or without,"),
			file("reservations", "scontrol show reservations, with --json or without,"),
			file("licences", "scontrol show licenses, with --json or without,"),
			file("qos", "sacctmgr show qos -P"),
			file("assoc", "sacctmgr show assoc -P (accounts below others: with ParentName in its format, or with tree)"),
			&cli.StringFlag{Name: "slurm-conf", Aliases: []string{"config"}, Usage: "`FILE` with slurm.conf, or what scontrol show config prints: its policy, and without --nodes its nodes"},
			&cli.Float64Flag{Name: "now", DefaultText: "the latest time in the file of jobs, or now", Usage: "take the Unix time `T` as time 0"},
			&cli.BoolFlag{Name: "memory", Value: true, Usage: "take memory into account; use =false for systems that do not allocate memory (SelectTypeParameters)"},
			importObjectiveFlag(), outputFlag,
		},
		Action: taking(func(c *cli.Context, _ []string) error {
			in, report, err := readSlurm(c)
			if err != nil {
				return &statusError{exitInput, withFlagNames(err)}
			}
			return writeImport(c, in, report)
		}),
	}
}

// readSlurm reads the given files, or asks Slurm if there are none.
func readSlurm(c *cli.Context) (*model.Instance, *model.ImportReport, error) {
	opt := slurm.Options{Now: c.Float64("now"), IgnoreMemory: !c.Bool("memory")}
	var src slurm.Sources
	given := false
	for _, f := range []struct {
		flag string
		into *slurm.Source
	}{{"jobs", &src.Jobs}, {"nodes", &src.Nodes}, {"partitions", &src.Partitions}, {"reservations", &src.Reservations}, {"licences", &src.Licences},
		{"qos", &src.QOS}, {"assoc", &src.Associations}, {"slurm-conf", &src.Config}} {
		path := c.String(f.flag)
		if path == "" {
			continue
		}
		given = true
		file, err := model.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		*f.into = slurm.Source{Reader: file, Name: model.InputName(path)}
	}
	if src.Nodes.Reader == nil && src.Config.Reader != nil { // slurm.conf may have them
		file, err := model.Open(c.String("slurm-conf"))
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		src.Nodes = slurm.Source{Reader: file, Name: src.Config.Name}
	}
	switch {
	case given && (src.Jobs.Reader == nil || src.Nodes.Reader == nil):
		return nil, nil, usageErrorf("expected --jobs FILE and --nodes FILE (or a --slurm-conf FILE that has them) together, or no file at all to ask Slurm; see %s --help", c.Command.HelpName)
	case !given:
		ctx, cancel := context.WithTimeout(c.Context, slurmTimeout)
		defer cancel()
		var err error
		if src, err = slurm.Ask(ctx); err != nil {
			return nil, nil, err
		}
		if !c.IsSet("now") {
			opt.Now = float64(time.Now().Unix())
		}
	}
	return slurm.Read(src, opt)
}
