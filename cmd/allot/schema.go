package main

import (
	"io"
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
			text, ok := schema.Text(args[0])
			if !ok {
				names := schema.Names()
				return usageErrorf("expected one of %s; found %q%s", strings.Join(names, ", "), args[0], suggest.Words(args[0], names))
			}
			return write(c, "-", func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
		},
	}
}
