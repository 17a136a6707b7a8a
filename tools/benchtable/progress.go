//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// progress reads what go test -v -bench prints and says what runs: there a line with the name alone begins a benchmark, or a group of
// them, and the line with the figures ends it.
type progress struct {
	w        io.Writer
	start    time.Time
	expected map[id]float64 // seconds that the benchmarks of the baseline that were asked for take, all repetitions
	repeats  int
	pkg      string
	line     []byte     // what has come of the line
	said     string     // the line before, where it is a test's own
	running  string     // the benchmark or group whose name has been printed without an end of line
	since    time.Time  // when it began
	last     time.Time  // when the line before came
	seen     map[id]int // repetitions done
	done     int
}

func newProgress(args []string, baseline *figures, w io.Writer) *progress {
	p := &progress{w: w, start: time.Now(), expected: map[id]float64{}, seen: map[id]int{}, repeats: 1}
	if n, err := strconv.Atoi(argument(args, "-count", "1")); err == nil && n > 0 {
		p.repeats = n
	}
	asked := choiceOf(args)
	for _, b := range baseline.benchmarks {
		if asked.holds(b.name) {
			p.expected[b.id] = b.seconds() * float64(p.repeats)
		}
	}
	return p
}

// begin says how long it is going to take.
func (p *progress) begin() {
	if len(p.expected) == 0 {
		fmt.Fprintln(p.w, "The tests are compiled first. The baseline has none of these benchmarks, so it does not tell how long they take.")
		return
	}
	fmt.Fprintf(p.w, "The tests are compiled first; then, by the baseline, %d benchmarks × %d take %s or more.\n", len(p.expected), p.repeats, duration(p.left()))
}

// left is the time that the benchmarks not yet done take, by the baseline.
func (p *progress) left() time.Duration {
	sum := 0.0
	for which, seconds := range p.expected {
		sum += seconds * max(0, 1-float64(p.seen[which])/float64(p.repeats))
	}
	return time.Duration(sum * float64(time.Second))
}

// Write takes the next bytes of what go test prints.
func (p *progress) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		line, behind, whole := bytes.Cut(rest, []byte("\n"))
		p.line = append(p.line, line...)
		if whole {
			p.take(string(p.line))
			p.line = p.line[:0]
		}
		rest = behind
	}
	return len(text), nil
}

// take looks at a whole line.
func (p *progress) take(line string) {
	fields := strings.Fields(line)
	switch {
	case strings.HasPrefix(line, "pkg: "):
		p.pkg = packageOf(strings.TrimPrefix(line, "pkg: "))
	case strings.HasPrefix(line, "Benchmark") && len(fields) == 1:
		p.name(fields[0], time.Now())
	case strings.HasPrefix(line, "Benchmark") && len(fields) > 2:
		p.figures(fields[0])
	case strings.HasPrefix(strings.TrimSpace(line), "--- FAIL"), strings.HasPrefix(strings.TrimSpace(line), "--- SKIP"):
		p.end()
		fmt.Fprintln(p.w, strings.TrimSpace(p.said), strings.TrimSpace(line))
	case strings.HasPrefix(line, "panic:"), strings.HasPrefix(line, "testing:"), strings.HasPrefix(line, "FAIL\t"):
		p.end()
		fmt.Fprintln(p.w, line)
	}
	p.last, p.said = time.Now(), ""
	if strings.HasPrefix(line, "    ") {
		p.said = line
	}
}

// name prints the name of what begins.
func (p *progress) name(full string, since time.Time) {
	p.end()
	p.running, p.since = strings.TrimPrefix(full, "Benchmark"), since
	fmt.Fprintf(p.w, "%8s  %s %s", duration(p.since.Sub(p.start)), p.pkg, p.running)
}

// figures says how long a benchmark took and how long the rest takes.
func (p *progress) figures(full string) {
	full = strings.TrimPrefix(full, "Benchmark")
	if p.running == "" || !strings.HasPrefix(full, p.running) { // without -v, or a repetition, which has no line of its own
		p.name(processorsSuffix.ReplaceAllString(full, ""), p.last)
	}
	p.done++
	p.seen[id{p.pkg, p.running}]++
	fmt.Fprintf(p.w, "  %.1f s", time.Since(p.since).Seconds())
	if left := p.left(); left > 0 {
		fmt.Fprintf(p.w, ", then %s or more", duration(left))
	}
	p.end()
}

// end ends the line of what runs.
func (p *progress) end() {
	if p.running != "" {
		fmt.Fprintln(p.w)
	}
	p.running = ""
}

// duration is a time in whole seconds.
func duration(d time.Duration) string { return d.Round(time.Second).String() }
