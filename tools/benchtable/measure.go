//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"
)

// measure runs a command such as go test -bench and writes its output to the file out, below a header that says where and when it ran. Until the
// command ends, the file's name ends in .partial. On stderr it shows what runs and, by the baseline, how long the rest takes. If the command fails,
// the file is kept with the figures so far.
func measure(ctx context.Context, out string, args []string, baseline *figures, stderr io.Writer) (kept bool, err error) {
	stderr = &locked{w: stderr} // both the command and the progress write to it
	partial := out + ".partial"
	file, err := os.Create(partial)
	if err != nil {
		return false, err
	}
	defer file.Close()
	writer := bufio.NewWriter(file)
	if err := writeHeader(writer, baseline.units); err != nil {
		return false, err
	}
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	command := exec.CommandContext(run, args[0], args[1:]...)
	command.Stderr = stderr
	// go test and the tests that it starts form a process group. An interrupt goes to the whole group, so that they end together.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	over := make(chan struct{})
	command.Cancel = func() error {
		group := -command.Process.Pid
		go func() { // a test that was just being started may have missed the interrupt, so kill the group later
			select {
			case <-over:
			case <-time.After(2 * time.Second):
				_ = syscall.Kill(group, syscall.SIGKILL)
			}
		}()
		return syscall.Kill(group, syscall.SIGINT)
	}
	command.WaitDelay = 10 * time.Second
	pipe, err := command.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := command.Start(); err != nil {
		return false, errors.Join(err, os.Remove(partial))
	}
	progress := newProgress(args, baseline, stderr)
	progress.begin()
	// The output is written to the file line by line, so that it survives a kill.
	_, copied := io.Copy(io.MultiWriter(lines{writer}, progress), pipe)
	if copied != nil {
		cancel() // the output is no longer read
	}
	ended := command.Wait()
	close(over)
	if ctx.Err() != nil {
		copied = nil // whatever came of it
	}
	progress.end()
	fmt.Fprintf(stderr, "%d measurements in %s\n", progress.done, duration(time.Since(progress.start)))
	if err := errors.Join(copied, writer.Flush(), file.Close()); err != nil {
		return false, err
	}
	if err := os.Rename(partial, out); err != nil {
		return false, err
	}
	switch {
	case ctx.Err() != nil:
		return true, fmt.Errorf("interrupted; what was measured until then is in %s", out)
	case ended != nil:
		return true, fmt.Errorf("%s: %w; what it printed is in %s", strings.Join(args[:min(2, len(args))], " "), ended, out)
	}
	return true, nil
}

// locked is a writer that several goroutines may use.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(text)
}

// lines flushes after every write.
type lines struct{ w *bufio.Writer }

func (l lines) Write(text []byte) (int, error) {
	n, err := l.w.Write(text)
	if err != nil {
		return n, err
	}
	return n, l.w.Flush()
}

// writeHeader writes the properties of units, for benchstat, and the lines of configuration.
func writeHeader(w io.Writer, units benchfmt.UnitMetadataMap) error {
	writer := benchfmt.NewWriter(w)
	known := slices.SortedFunc(func(yield func(*benchfmt.UnitMetadata) bool) {
		for _, unit := range units {
			if !yield(unit) {
				return
			}
		}
	}, func(a, b *benchfmt.UnitMetadata) int { return strings.Compare(a.OrigUnit+a.Key, b.OrigUnit+b.Key) })
	for _, unit := range known {
		if err := writer.Write(unit); err != nil {
			return err
		}
	}
	for _, line := range configuration() {
		if _, err := fmt.Fprintf(w, "%s: %s\n", line[0], line[1]); err != nil {
			return err
		}
	}
	return nil
}

// configuration describes the machine and its state in keys and values. It leaves out what it cannot find out.
func configuration() [][2]string {
	var lines [][2]string
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, [2]string{key, value})
		}
	}
	commit, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").Output()
	if err == nil {
		add("commit", strings.TrimSpace(string(commit)))
	}
	add("date", time.Now().UTC().Format("2006-01-02T15:04Z"))
	add("go", runtime.Version())
	add("cores", strconv.Itoa(runtime.NumCPU()))
	if memory, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kilobytes float64
		if _, err := fmt.Sscanf(string(memory), "MemTotal: %f", &kilobytes); err == nil {
			add("memory", fmt.Sprintf("%.0f GiB", kilobytes/(1<<20)))
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		if average, _, ok := strings.Cut(string(load), " "); ok {
			add("load", average+" when it began")
		}
	}
	return lines
}
