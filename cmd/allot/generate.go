package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/workload"
)

func generateCommand() *cli.Command {
	command := &cli.Command{
		Name:        "generate",
		Usage:       "generate an instance of a published workload",
		ArgsUsage:   "WORKLOAD",
		Description: "Example:\n  allot generate muscle --seed 7 --jobs 160 -o batch.json",
		Action: func(c *cli.Context) error {
			return noSuch("a workload", c.Args().First(), workload.Names())
		},
	}
	for _, info := range workload.All() {
		made := workloadCommand(info)
		switch info.Name {
		case "site":
			asFiles(made)
		case "tariff":
			asTable(made)
		}
		command.Subcommands = append(command.Subcommands, made)
	}
	return command
}

// workloadCommand makes the subcommand of one workload, with one flag per parameter.
func workloadCommand(info workload.Info) *cli.Command {
	flags := []cli.Flag{&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed `N` of the random numbers"}, outputFlag}
	for _, p := range params.Of(info.New()) {
		name := strings.ReplaceAll(p.Name, "_", "-")
		if p.Values != nil {
			flags = append(flags, newChoice(name, p.Default, p.Doc, p.Values...))
			continue
		}
		flags = append(flags, &cli.StringFlag{Name: name, DefaultText: p.Default, Usage: p.Usage()})
	}
	return &cli.Command{
		Name:        info.Name,
		Usage:       info.Doc,
		Description: fmt.Sprintf("Source: %s\n\nExample:\n  allot generate %s --seed 7 -o batch.json", info.Source, info.Name),
		Flags:       flags,
		Action: taking(func(c *cli.Context, _ []string) error {
			in, err := generated(c, info)
			if err != nil {
				return err
			}
			return write(c, c.String("output"), func(w io.Writer) error { return model.WriteInstance(w, in) })
		}),
	}
}

// generated is the instance of a workload by the flags.
func generated(c *cli.Context, info workload.Info) (*model.Instance, error) {
	made := info.New()
	if err := setParameters(c, made); err != nil {
		return nil, err
	}
	in, err := made.Generate(c.Uint64("seed"))
	if err != nil {
		return nil, usageErrorf("generate %s: %w", info.Name, err)
	}
	return in, nil
}
