//go:build unix

package operators

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// binary is a compiled package of tests.
type binary struct {
	pattern string // of the package
	path    string
	folder  string // where its tests run
	flags   []string
}

// test is one test, and what it did without a mutant.
type test struct {
	*binary
	name    string
	took    time.Duration // of processors
	reached []byte        // by mutant, or first mutant of a site
}

// compile compiles the tests of a package with the overlay. It returns nil where the package has none.
func compile(ctx context.Context, opt *Options, pattern, overlay, to string) (*binary, error) {
	if out, err := opt.Go(ctx, "test", "-c", "-vet=off", "-overlay", overlay, "-o", to, pattern); err != nil {
		return nil, fmt.Errorf("go test -c %s: %s", pattern, bytes.TrimSpace(out))
	}
	if _, err := os.Stat(to); err != nil {
		return nil, nil
	}
	out, err := opt.Go(ctx, "list", "-f", "{{.Dir}}", pattern)
	if err != nil {
		return nil, fmt.Errorf("go list %s: %s", pattern, bytes.TrimSpace(out))
	}
	b := &binary{pattern: pattern, path: to, folder: strings.TrimSpace(string(out))}
	// Rapid keeps cases that fail, and tries them again in the next run, which is another mutant's.
	if out, err := opt.Go(ctx, "list", "-test", "-deps", pattern); err == nil && slices.Contains(strings.Fields(string(out)), "pgregory.net/rapid") {
		b.flags = []string{"-rapid.nofailfile"}
	}
	return b, nil
}

// named matches a line with the name of a test that go test runs by itself.
var named = regexp.MustCompile(`(?m)^(?:Test|Fuzz|Example)\S*$`)

// tests lists the tests of the binaries, and runs each alone to see how long it takes and which mutants it reaches. Those that fail are left out.
func tests(ctx context.Context, opt *Options, binaries []*binary, mutants int) (list []*test, err error) {
	for _, b := range binaries {
		out, _, err := b.run(ctx, opt, nil, time.Minute, "-test.list", ".")
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", b.pattern, err, out)
		}
		for _, name := range named.FindAllString(string(out), -1) {
			list = append(list, &test{binary: b, name: name})
		}
	}
	limit := opt.Timeout
	if opt.Slowest > 0 {
		limit = min(limit, opt.Slowest)
	}
	failed := make([]string, len(list))
	Spread(opt.Jobs, len(list), func(k int) {
		t := list[k]
		file := filepath.Join(opt.Folder, fmt.Sprint("reached-", k))
		if err := os.WriteFile(file, make([]byte, mutants), 0o600); err != nil {
			failed[k] = err.Error()
			return
		}
		defer os.Remove(file) //nolint:errcheck // a temporary file
		out, took, err := t.run(ctx, opt, []string{"MUTANT_REACHED=" + file}, limit, "-test.run", "^"+t.name+"$")
		if err != nil {
			failed[k] = fmt.Sprintf("%s %s: %v\n%s", t.pattern, t.name, err, out)
			return
		}
		t.took = took
		if t.reached, err = os.ReadFile(file); err != nil {
			failed[k] = err.Error()
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var good []*test
	for k, t := range list {
		switch {
		case failed[k] != "":
			fmt.Fprintf(opt.Progress, "fails without a mutant, and is left out: %s\n", failed[k])
		case opt.Slowest == 0 || t.took <= opt.Slowest:
			good = append(good, t)
		}
	}
	slices.SortStableFunc(good, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	return good, nil
}

// run runs the binary and returns its output and the time of processors it took. The limit is one of such time, so that a busy machine is no failure.
func (b *binary) run(ctx context.Context, opt *Options, environment []string, limit time.Duration, args ...string) (out []byte, took time.Duration, err error) {
	const waiting = 10 // a test may wait, and the machine may be busy
	ctx, cancel := context.WithTimeout(ctx, waiting*limit)
	defer cancel()
	seconds, kilobytes := fmt.Sprint(1+int(limit.Seconds())), fmt.Sprint(opt.Memory<<10)
	const limited = `ulimit -t "$1"; ulimit -v "$2" 2>/dev/null; shift 2; exec nice -n 10 "$@"`
	command := exec.CommandContext(ctx, "sh", slices.Concat([]string{"-c", limited, "sh", seconds, kilobytes, b.path, "-test.failfast", "-test.timeout=0"}, b.flags, args)...)
	command.Dir = b.folder
	command.Env = append(append(os.Environ(), "GOMAXPROCS=1"), environment...)
	if os.Getenv("RAPID_SEED") == "" {
		command.Env = append(command.Env, "RAPID_SEED=1")
	}
	out, err = Output(command)
	if command.ProcessState != nil {
		took = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	}
	return out, took, err
}
