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

// progress reads the output of go test -v -bench and shows what runs. In this output a line with only a name begins a benchmark or a group of
// them, and a line with figures ends it.
type progress struct {
	w        io.Writer
	start    time.Time
	expected map[id]float64 // seconds that each requested benchmark takes by the baseline, with all repetitions
	repeats  int
	pkg      string
	line     []byte     // the part of the current line that has arrived
	said     string     // the line before, if a test has printed it
	running  string     // the benchmark or group whose name has been printed without an end of line
	since    time.Time  // when it began
	last     time.Time  // when the line before arrived
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

// begin shows how long the run takes by the baseline.
func (p *progress) begin() {
	if len(p.expected) == 0 {
		fmt.Fprintln(p.w, "The tests are compiled first. The baseline has none of these benchmarks, so it does not tell how long they take.")
		return
	}
	fmt.Fprintf(p.w, "The tests are compiled first; then, by the baseline, %d benchmarks × %d take %s or more.\n", len(p.expected), p.repeats, duration(p.left()))
}

// left returns the time that the remaining benchmarks take by the baseline.
func (p *progress) left() time.Duration {
	sum := 0.0
	for which, seconds := range p.expected {
		sum += seconds * max(0, 1-float64(p.seen[which])/float64(p.repeats))
	}
	return time.Duration(sum * float64(time.Second))
}

// Write takes the next bytes of the output of go test.
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

// take processes a whole line.
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

// name prints the name of the benchmark or group that begins.
func (p *progress) name(full string, since time.Time) {
	p.end()
	p.running, p.since = strings.TrimPrefix(full, "Benchmark"), since
	fmt.Fprintf(p.w, "%8s  %s %s", duration(p.since.Sub(p.start)), p.pkg, p.running)
}

// figures prints how long a benchmark took and how long the rest takes.
func (p *progress) figures(full string) {
	full = strings.TrimPrefix(full, "Benchmark")
	if p.running == "" || !strings.HasPrefix(full, p.running) { // no line has announced it: there is no -v, or it is a repetition
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

// end ends the line of the benchmark that runs.
func (p *progress) end() {
	if p.running != "" {
		fmt.Fprintln(p.w)
	}
	p.running = ""
}

// duration rounds a time to whole seconds.
func duration(d time.Duration) string { return d.Round(time.Second).String() }
