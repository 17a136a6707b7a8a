package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/serve/answers"
)

// flagsFirst moves the flags of the subcommand before its arguments. The library stops reading flags at the first argument; this way they may
// stand anywhere. Words after -- stay where they are. "help COMMAND", and --help after arguments, are rewritten to forms that the library knows.
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
			return append(head, named...) // without arguments after the flag, so that the library notices the missing value
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

// commandOf follows the words down to a subcommand. It returns that command, its flags, and the number of words used.
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

// flagNamed returns the flag with the given name, or nil.
func flagNamed(flags []cli.Flag, name string) cli.Flag {
	if k := slices.IndexFunc(flags, func(flag cli.Flag) bool { return slices.Contains(flag.Names(), name) }); k >= 0 {
		return flags[k]
	}
	return nil
}

// takesValue reports whether the flag takes a value.
func takesValue(flag cli.Flag) bool {
	_, isBool := flag.(*cli.BoolFlag)
	return flag != nil && !isBool
}

// commandNamed returns the command with the given name, or nil.
func commandNamed(commands []*cli.Command, name string) *cli.Command {
	if k := slices.IndexFunc(commands, func(command *cli.Command) bool { return command.HasName(name) }); k >= 0 {
		return commands[k]
	}
	return nil
}

// arguments returns the command's arguments. There must be one for each of the names.
func arguments(c *cli.Context, names ...string) ([]string, error) {
	if c.NArg() != len(names) {
		expected := strings.Join(names, " ")
		if len(names) == 0 {
			expected = "no arguments"
		}
		return nil, usageErrorf("expected %s, found %s; see %s --help", expected, numtext.Counted(c.NArg(), "argument"), c.Command.HelpName)
	}
	return c.Args().Slice(), nil
}

// taking is an action on the arguments of the command. There must be one for each of the names.
func taking(action func(c *cli.Context, args []string) error, names ...string) cli.ActionFunc {
	return func(c *cli.Context) error {
		args, err := arguments(c, names...)
		if err != nil {
			return err
		}
		return action(c, args)
	}
}

// checkEmpty returns an error for an argument or the value of a flag that is the empty text, as of a variable of the shell that is not set: it names nothing, and to
// take it as absent would answer another question. An empty title is a title, and an empty objective that of the instance or the format.
func checkEmpty(c *cli.Context) error {
	for _, flag := range c.Command.Flags {
		text, ok := flag.(*cli.StringFlag)
		if !ok || text.Name == "title" || text.Name == "objective" || !c.IsSet(text.Name) || c.String(text.Name) != "" {
			continue
		}
		expected := "a value"
		switch {
		case strings.Contains(text.Usage, "`FILE`"):
			expected = "the name of a file"
		case strings.Contains(text.Usage, "`FOLDER`"), strings.Contains(text.Usage, "`DIR`"):
			expected = "the name of a folder"
		}
		return usageErrorf("--%s: expected %s, found none", text.Name, expected)
	}
	for k, arg := range c.Args().Slice() {
		if arg == "" {
			return usageErrorf("argument %d: expected a name, found an empty one", k+1)
		}
	}
	return nil
}

// flagErrors gives the options in an error the names that they have here: rolling_period is --rolling-period. All of these are wrong usage.
func flagErrors(err error) error {
	if wrong := (*answers.OptionError)(nil); errors.As(err, &wrong) {
		return usageErrorf("--%s: %w", strings.ReplaceAll(wrong.Option, "_", "-"), wrong.Err)
	}
	return err
}

// argumentError is the error of an option that is the argument here, so that it needs no name.
func argumentError(err error) error {
	if wrong := (*answers.OptionError)(nil); errors.As(err, &wrong) {
		return usageErrorf("%w", wrong.Err)
	}
	return err
}

// noSuch is the error for a word that is not one of the names.
func noSuch(what, word string, names []string) error {
	return usageErrorf("expected %s, one of %s; found %q%s", what, strings.Join(names, ", "), word, suggest.Words(word, names))
}

// oneFromStdin returns an error if more than one of the inputs is standard input, because that can be read only once.
func oneFromStdin(what string, paths ...string) error {
	if len(kit.That(paths, func(path string) bool { return path == "-" })) > 1 {
		return usageErrorf("expected at most one of %s to be standard input (-)", what)
	}
	return nil
}

// printable makes a text harmless for the user's terminal.
func printable(text string) string { return plaintext.Printable(text) }

// choiceFlag is a flag with a few possible values. The help lists them, completion offers them, and [checkChoices] refuses others.
type choiceFlag struct {
	*cli.StringFlag
	values []string
}

// newChoice makes a flag with the given values and appends them to its usage text.
func newChoice(name, value, usage string, values ...string) cli.Flag {
	list := strings.Join(values[:len(values)-1], ", ") + " or " + values[len(values)-1]
	return &choiceFlag{&cli.StringFlag{Name: name, Value: value, Usage: usage + ": " + list}, values}
}

// checkChoices returns an error for the first flag whose value is not one of the possible ones.
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
