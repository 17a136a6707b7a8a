package main

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/schema"
)

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:        "schema",
		Usage:       "print the JSON Schema of a file format",
		ArgsUsage:   "instance|solution|proof|online-header|online-event|online-answer",
		Description: "online-header, online-event and online-answer are the lines that a program exec-online:COMMAND reads and writes.\n\nExample:\n  allot schema instance > instance.schema.json",
		Flags:       []cli.Flag{jsonFlag}, // changes nothing, because a schema is JSON anyway
		Action: func(c *cli.Context) error {
			args, err := arguments(c, c.Command.ArgsUsage)
			if err != nil {
				return err
			}
			formats := map[string]func() ([]byte, error){"instance": schema.Instance, "solution": schema.Solution, "proof": schema.Proof,
				"online-header": schema.OnlineHeader, "online-event": schema.OnlineEvent, "online-answer": schema.OnlineAnswer}
			make := formats[args[0]]
			if make == nil {
				names := slices.Sorted(maps.Keys(formats))
				return usageErrorf("expected one of %s; found %q%s", strings.Join(names, ", "), args[0], suggest.Words(args[0], names))
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
