//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/allot-opt/allot/tools/mutants/operators"
)

// test runs go test with the arguments. The fault has survived if all tests pass. It does not run vet, which does not test the product.
func (w *worker) test(ctx context.Context, args []string) (outcome, string) {
	out, err := w.goCommand(ctx, append([]string{"test", "-count=1", "-failfast", "-vet=off", "-timeout", w.timeout.String()}, args...)...)
	text := string(out)
	switch failed := operators.Failed(out); {
	case err == nil && strings.Contains(text, "no tests to run"), err == nil && !strings.Contains(text, "ok  \t"):
		return broken, "no tests to run"
	case err == nil:
		return survived, ""
	case strings.Contains(text, "panic: test timed out"):
		return timedOut, ""
	case failed != "":
		return killed, failed
	case strings.Contains(text, "[build failed]"):
		return uncompiled, firstLine(out, func(line string) bool { return !strings.HasPrefix(line, "#") })
	case strings.Contains(text, "panic:"), strings.Contains(text, "fatal error:"):
		return killed, firstLine(out, func(line string) bool {
			return strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:")
		})
	}
	return broken, firstLine(out, func(string) bool { return true })
}

// goCommand runs go in the copy and returns its output. It trims paths, so that all copies share the build cache. An interrupt ends go and the tests
// that it has started.
func (w *worker) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = w.root
	command.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath -buildvcs=false"), "GOWORK=off")
	if os.Getenv("CGO_ENABLED") == "" {
		command.Env = append(command.Env, "CGO_ENABLED=0")
	}
	return operators.Output(command)
}

// firstLine returns the first line that is not empty and suits.
func firstLine(text []byte, suits func(line string) bool) string {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && suits(line) {
			return line
		}
	}
	return ""
}
