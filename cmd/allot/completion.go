package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/solve"
)

// completionScripts ask the command itself what may come next.
var completionScripts = map[string]string{
	"bash": `_allot() {
  local cur="${COMP_WORDS[COMP_CWORD]}" words
  words=$("${COMP_WORDS[@]:0:COMP_CWORD}" $([[ "$cur" == -* ]] && echo -- "$cur") --generate-bash-completion 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _allot allot
`,
	"zsh": `#compdef allot
_allot() {
  local -a words_
  words_=("${(@f)$(${words[@]:0:$CURRENT-1} $([[ "${words[CURRENT]}" == -* ]] && echo -- "${words[CURRENT]}") --generate-bash-completion 2>/dev/null)}")
  compadd -a words_
  _files
}
compdef _allot allot
`,
	"fish": `function __allot_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  if string match -q -- '-*' $current
    set words $words $current
  end
  $words --generate-bash-completion 2>/dev/null
end
complete -c allot -a '(__allot_complete)'
`,
}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "print the script for shell completion",
		ArgsUsage:   "bash|zsh|fish",
		Description: "Example:\n  source <(allot completion bash)",
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "bash|zsh|fish")
			if err != nil {
				return err
			}
			script, ok := completionScripts[args[0]]
			if !ok {
				return usageErrorf("expected bash, zsh or fish, found %q", args[0])
			}
			return write(c, "-", func(w io.Writer) error {
				_, err := io.WriteString(w, script)
				return err
			})
		},
	}
}

// completeSolvers completes the names of solvers after --solver and --solvers, and flags elsewhere.
func completeSolvers(c *cli.Context) {
	if len(os.Args) > 2 {
		if previous := os.Args[len(os.Args)-2]; strings.HasPrefix(previous, "--solver") {
			for _, info := range solve.Solvers() {
				fmt.Fprintln(c.App.Writer, info.Name)
			}
			return
		}
	}
	cli.DefaultCompleteWithFlags(c.Command)(c)
}
