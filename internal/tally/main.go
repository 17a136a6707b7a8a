// Command tally runs go test and ends with a count of what passed, failed and was skipped, and why:
//
//	go run ./internal/tally [-whole] [-C FOLDER] [FLAG…] [PACKAGE…]    the arguments of go test, except -json, which it adds
//
// It writes one line per package, with the output of tests that failed. With -whole it writes everything at the end, so that what runs
// beside it does not write in between. At the end it lists what this machine lacks that tests need (package needs), and the way to get it. With RAPID_SEED=0 in the environment no result comes from the cache. The exit status is that of go test.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status, err := start(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
	os.Exit(status)
}

// start runs go test and returns its exit status. After -whole it writes at the end, first of all what it ran.
func start(ctx context.Context, arguments []string, out io.Writer) (int, error) {
	if len(arguments) == 0 || arguments[0] != "-whole" {
		return run(ctx, arguments, out)
	}
	var whole bytes.Buffer
	fmt.Fprintf(&whole, "\ngo test %s\n", strings.Join(arguments[1:], " "))
	status, err := run(ctx, arguments[1:], &whole)
	_, writeErr := out.Write(whole.Bytes())
	return status, errors.Join(err, writeErr)
}

// run runs go test and returns its exit status.
func run(ctx context.Context, arguments []string, out io.Writer) (int, error) {
	folder := ""
	if len(arguments) > 1 && arguments[0] == "-C" {
		folder, arguments = arguments[1], arguments[2:]
	}
	test := []string{"test", "-json"}
	if os.Getenv("RAPID_SEED") == "0" { // each run draws new cases, so a result of an earlier run must not stand for it
		test = append(test, "-count=1")
	}
	command := exec.CommandContext(ctx, "go", append(test, arguments...)...)
	command.Dir = folder
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := command.Start(); err != nil {
		return 1, err
	}
	var c count
	shown := bufio.NewWriter(out)
	readErr := c.read(stdout, shown)
	err = command.Wait()
	c.write(shown)
	readErr = errors.Join(readErr, shown.Flush())
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(1, exit.ExitCode()), readErr // -1: ended by a signal
	}
	return 0, errors.Join(readErr, err)
}

// event is a line of go test -json, see go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Key     string // of an attribute
	Value   string
}

// read reads the lines of go test -json, and writes those that people want to see at once to out.
func (c *count) read(events io.Reader, out *bufio.Writer) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				c.add(e, out)
			} else {
				out.Write(line) // not a line of go test, such as one that a test prints directly
			}
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
