package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/schema"
)

// schemaNames are the schemas that there are.
const schemaNames = "instance|solution|proof|advice|online-header|online-event|online-answer"

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:        "schema",
		Usage:       "print the JSON Schema of a file format",
		ArgsUsage:   schemaNames,
		Description: "advice is what allot advise --json writes; online-header, online-event and online-answer are the lines that a program exec-online:COMMAND reads and writes.\n\nExample:\n  allot schema instance > instance.schema.json",
		Flags:       []cli.Flag{jsonFlag}, // changes nothing, because a schema is JSON anyway
		Action: taking(func(c *cli.Context, args []string) error {
			text, ok := schema.Text(args[0])
			if !ok {
				names := schema.Names()
				return usageErrorf("expected one of %s; found %q%s", strings.Join(names, ", "), args[0], suggest.Words(args[0], names))
			}
			return write(c, "-", textWriter(string(text)))
		}, schemaNames),
	}
}
