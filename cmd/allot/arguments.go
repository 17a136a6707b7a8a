package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/suggest"
)

// flagsFirst moves the flags of the subcommand before its arguments, so that they may stand anywhere: the library stops
// reading flags at the first argument. What follows -- stays as it is. "help COMMAND" and --help after arguments become
// what the library knows.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) > 1 && args[1] == "help" {
		return append(append([]string{args[0]}, args[2:]...), "--help")
	}
	if len(args) < 2 || commandNamed(app.Commands, args[1]) == nil {
		return args
	}
	_, flags, depth := commandOf(app, args[1:])
	head, rest := slices.Clone(args[:depth+1]), args[depth+1:]
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
		switch {
		case name == "help" || name == "h":
			return append(head, "--help")
		case !takesValue(flagNamed(flags, name)) || hasValue:
		case k+1 == len(rest):
			return append(head, named...) // without arguments after it, so that the library sees that the value is missing
		default:
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

// commandOf follows the words down to a subcommand: the subcommands of the last one, its flags and how many words it took.
func commandOf(app *cli.App, words []string) (last *cli.Command, flags []cli.Flag, depth int) {
	commands := app.Commands
	for depth < len(words) {
		command := commandNamed(commands, words[depth])
		if command == nil {
			break
		}
		last, commands, flags = command, command.Subcommands, command.Flags
		depth++
	}
	return last, flags, depth
}

// flagNamed is the flag with the name; nil: none.
func flagNamed(flags []cli.Flag, name string) cli.Flag {
	for _, flag := range flags {
		if slices.Contains(flag.Names(), name) {
			return flag
		}
	}
	return nil
}

// takesValue says whether a value follows the flag.
func takesValue(flag cli.Flag) bool {
	_, isBool := flag.(*cli.BoolFlag)
	return flag != nil && !isBool
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
		expected := strings.Join(names, " ")
		if len(names) == 0 {
			expected = "no arguments"
		}
		return nil, usageErrorf("expected %s, found %s; see %s --help", expected, counted(c.NArg(), "argument"), c.Command.HelpName)
	}
	return c.Args().Slice(), nil
}

// oneFromStdin is an error where several of the inputs are standard input, which can be read once only.
func oneFromStdin(what string, paths ...string) error {
	found := 0
	for _, path := range paths {
		if path == "-" {
			found++
		}
	}
	if found > 1 {
		return usageErrorf("expected only one of %s to be standard input", what)
	}
	return nil
}

// counted is a number of things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printable replaces control characters, also those of the direction of writing, with which a name in somebody's file could steer the reader's terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// choiceFlag is a flag with a few possible values, which the help lists, completion offers and [checkChoices] demands.
type choiceFlag struct {
	*cli.StringFlag
	values []string
}

// newChoice makes a flag of the values; the usage text is followed by them.
func newChoice(name, value, usage string, values ...string) cli.Flag {
	list := strings.Join(values[:len(values)-1], ", ") + " or " + values[len(values)-1]
	return &choiceFlag{&cli.StringFlag{Name: name, Value: value, Usage: usage + ": " + list}, values}
}

// checkChoices is an error for the first flag that has none of its values.
func checkChoices(c *cli.Context) error {
	for _, flag := range c.Command.Flags {
		choice, ok := flag.(*choiceFlag)
		if ok && c.IsSet(choice.Name) && !slices.Contains(choice.values, c.String(choice.Name)) {
			return usageErrorf("--%s: expected one of %s, found %q%s", choice.Name, strings.Join(choice.values, ", "), c.String(choice.Name),
				suggest.Words(c.String(choice.Name), choice.values))
		}
	}
	return nil
}
