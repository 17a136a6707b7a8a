package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves the flags of the subcommand before its arguments, so that they may stand anywhere: the library stops
// reading flags at the first argument. What follows -- stays as it is.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	head, rest := []string{args[0]}, args[1:]
	commands, flags := app.Commands, []cli.Flag(nil)
	for len(rest) > 0 {
		command := commandNamed(commands, rest[0])
		if command == nil {
			break
		}
		head, rest = append(head, rest[0]), rest[1:]
		commands, flags = command.Subcommands, command.Flags
	}
	if len(head) == 1 {
		return args
	}
	takesValue := map[string]bool{}
	for _, flag := range flags {
		_, isBool := flag.(*cli.BoolFlag)
		for _, name := range flag.Names() {
			takesValue[name] = !isBool
		}
	}
	var named, plain []string
	for k := 0; k < len(rest); k++ {
		arg := rest[k]
		if arg == "--" {
			plain = append(plain, rest[k+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			plain = append(plain, arg)
			continue
		}
		named = append(named, arg)
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if takesValue[name] && !hasValue && k+1 < len(rest) {
			k++
			named = append(named, rest[k])
		}
	}
	head = append(head, named...)
	if len(plain) > 0 {
		head = append(append(head, "--"), plain...)
	}
	return head
}

// commandNamed is the command with the name; nil: none.
func commandNamed(commands []*cli.Command, name string) *cli.Command {
	for _, command := range commands {
		if command.HasName(name) {
			return command
		}
	}
	return nil
}

// arguments are the command's arguments, which must be as many as the names.
func arguments(c *cli.Context, names ...string) ([]string, error) {
	if c.NArg() != len(names) {
		return nil, usageErrorf("expected %s, found %d arguments; see allot %s --help", strings.Join(names, " "), c.NArg(), c.Command.FullName())
	}
	return c.Args().Slice(), nil
}
