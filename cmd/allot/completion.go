package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/papers"
	"github.com/allot-opt/allot/solve"
)

// completionFlag, as the last word, asks for the words that may replace the word before it.
const completionFlag = "--generate-bash-completion"

// completionScripts holds a script for each shell. The scripts ask the command itself for the possible words. If there are none, the shell offers
// files.
var completionScripts = map[string]string{
	"bash": `_allot() {
  COMPREPLY=($("${COMP_WORDS[@]:0:COMP_CWORD+1}" --generate-bash-completion 2>/dev/null))
}
complete -o bashdefault -o default -F _allot allot
`,
	"zsh": `#compdef allot
_allot() {
  local -a offered
  offered=(${(f)"$("${(@)words[1,CURRENT]}" --generate-bash-completion 2>/dev/null)"})
  if (( $#offered )); then
    compadd -a offered
  else
    _files
  fi
}
compdef _allot allot
`,
	"fish": `function __allot_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  $words "$current" --generate-bash-completion 2>/dev/null
end
complete -c allot -a '(__allot_complete)'
`,
}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "print a script for shell completion",
		ArgsUsage:   "bash|zsh|fish",
		Description: "Example:\n  source <(allot completion bash)",
		Action: taking(func(c *cli.Context, args []string) error {
			script, ok := completionScripts[args[0]]
			if !ok {
				return usageErrorf("expected bash, zsh or fish, found %q", args[0])
			}
			return write(c, "-", textWriter(script))
		}, "bash|zsh|fish"),
	}
}

// complete writes the words that may replace the last word.
func complete(w io.Writer, app *cli.App, words []string) {
	if len(words) == 0 {
		return
	}
	current, before := words[len(words)-1], words[:len(words)-1]
	// Bash splits --solver=NAME at the = and makes the = a word of its own.
	if current == "=" {
		current = ""
	} else if k := len(before) - 1; k >= 0 && before[k] == "=" {
		before = before[:k]
	}
	joined := "" // the part --solver= of --solver=NAME, which other shells do not split
	if flag, value, ok := strings.Cut(current, "="); ok && strings.HasPrefix(flag, "-") {
		before, current, joined = append(slices.Clone(before), flag), value, flag+"="
	}
	for _, word := range offered(app, before, current) {
		if strings.HasPrefix(word, current) {
			fmt.Fprintln(w, joined+word)
		}
	}
}

// offered lists the words that may follow the words before. The caller selects those that begin like the current word.
func offered(app *cli.App, before []string, current string) []string {
	command, flags, depth := commandOf(app, before)
	if depth < len(before) {
		previous := before[len(before)-1]
		if flag := flagNamed(flags, strings.TrimLeft(previous, "-")); strings.HasPrefix(previous, "-") && takesValue(flag) {
			return valuesOf(flag, current)
		}
	}
	var words []string
	switch {
	case strings.HasPrefix(current, "-"):
		for _, flag := range flags {
			if visible, ok := flag.(cli.VisibleFlag); ok && !visible.IsVisible() {
				continue
			}
			words = append(words, "--"+flag.Names()[0])
		}
		return append(words, "--help")
	case command == nil && depth == len(before):
		return commandNames(app.Commands)
	case command != nil && len(command.Subcommands) > 0:
		return commandNames(command.Subcommands)
	case command != nil && command.Name == "reproduce":
		return kit.Each(papers.Known(), func(e *papers.Experiment) string { return e.ID })
	case command != nil && command.Name == "solvers":
		return solversWith(func(solve.Info) bool { return true })
	case command != nil && command.Name == "metrics":
		return metricNames()
	case command != nil && strings.Contains(command.ArgsUsage, "|"):
		return strings.Split(command.ArgsUsage, "|")
	}
	return nil
}

// solversWith lists the names of the solvers that meet a condition.
func solversWith(meets func(solve.Info) bool) []string {
	return kit.Each(kit.That(solve.Solvers(), meets), func(info solve.Info) string { return info.Name })
}

// commandNames lists the names of commands.
func commandNames(commands []*cli.Command) []string {
	return kit.Each(commands, func(command *cli.Command) string { return command.Name })
}

// valuesOf lists the possible values of a flag, if they are few.
func valuesOf(flag cli.Flag, current string) []string {
	if choice, ok := flag.(*choiceFlag); ok {
		return choice.values
	}
	var values []string
	switch flag.Names()[0] {
	case "solver", "solvers", "policies":
		if named := solve.SplitNames(current); solve.External(named[len(named)-1]) {
			return nil // a command follows, and the shell completes commands better
		}
		// Keep the solvers named before the current one, as in dll,mu and dll+mu.
		first := current[:strings.LastIndexAny(current, ",+")+1]
		for _, info := range solve.Solvers() {
			values = append(values, first+info.Name)
		}
		values = append(values, first+"exec:", first+"exec-online:")
	case "objective":
		return model.ObjectiveMetrics()
	case "workload":
		return streamNames()
	}
	return values
}
