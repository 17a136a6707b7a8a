package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model/schema"
)

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:        "schema",
		Usage:       "print the JSON Schema of a file format",
		ArgsUsage:   "instance|solution",
		Description: "Example:\n  allot schema instance > instance.schema.json",
		Flags:       []cli.Flag{jsonFlag}, // changes nothing, because a schema is JSON anyway
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "instance|solution")
			if err != nil {
				return err
			}
			make := map[string]func() ([]byte, error){"instance": schema.Instance, "solution": schema.Solution}[args[0]]
			if make == nil {
				return usageErrorf("expected instance or solution, found %q%s", args[0], suggest.Words(args[0], []string{"instance", "solution"}))
			}
			text, err := make()
			if err != nil {
				return err
			}
			return write(c, "-", func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
		},
	}
}
