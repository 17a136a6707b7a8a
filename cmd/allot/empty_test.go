package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// No command takes an empty word for one that is not there: every flag that is a text, and every argument, names something.
func TestEmptyWordsAreRefused(t *testing.T) {
	checked := 0
	refused := func(args ...string) {
		t.Helper()
		checked++
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), append([]string{"allot"}, args...), &stdout, &stderr); status != exitInput || stdout.Len() > 0 ||
			!strings.Contains(stderr.String(), "expected") || strings.Contains(stderr.String(), "no such file") {
			t.Errorf("allot %q: exit status %d, expected %d; %s%s", args, status, exitInput, &stdout, &stderr)
		}
	}
	var walk func(commands []*cli.Command, words []string)
	walk = func(commands []*cli.Command, words []string) {
		for _, command := range commands {
			at := append(words[:len(words):len(words)], command.Name)
			walk(command.Subcommands, at)
			if len(command.Subcommands) > 0 && command.Name != "bench" && command.Name != "tune" {
				continue
			}
			for _, flag := range command.Flags {
				if text, ok := flag.(*cli.StringFlag); ok && text.Name != "title" && text.Name != "objective" {
					refused(append(at, "--"+text.Name, "")...)
				}
			}
			refused(append(at, "")...)
		}
	}
	walk(newApp(new(bytes.Buffer), new(bytes.Buffer)).Commands, nil)
	if checked < 200 {
		t.Errorf("only %d empty words were tried", checked)
	}
}
