package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// progress shows how far a run has come: on a terminal a line that is written anew some times a second, elsewhere a line now and then, so
// that a log of a long run shows that it goes on.
type progress struct {
	w        io.Writer
	terminal int // file descriptor; −1: the stream is no terminal
	title    string
	steps    int // 0: not known
	done     int
	began    time.Time
	written  time.Time     // when the last line was
	pause    time.Duration // between two lines
}

// newProgress starts to show a run. steps is the number of its steps; 0: the number is not known.
func newProgress(w io.Writer, title string, steps int) *progress {
	p := &progress{w: w, terminal: -1, title: title, steps: steps, began: time.Now(), written: time.Now(), pause: 10 * time.Second}
	if fd, ok := terminalOf(w); ok && os.Getenv("NO_COLOR") == "" {
		p.terminal, p.pause, p.written = fd, 100*time.Millisecond, time.Time{}
	}
	return p
}

// visible says that there is a terminal to show it on.
func (p *progress) visible() bool { return p.terminal >= 0 }

// describe says what goes on.
func (p *progress) describe(title string) {
	p.title = title
	p.show()
}

// step counts a step.
func (p *progress) step() { p.at(p.done + 1) }

// at sets how many steps are done.
func (p *progress) at(steps int) {
	p.done = steps
	p.show()
}

// show writes the line where enough time has passed since the last. A line that cannot be written is no failure.
func (p *progress) show() {
	if time.Since(p.written) < p.pause {
		return
	}
	p.written = time.Now()
	if p.terminal < 0 {
		fmt.Fprintln(p.w, p.line())
		return
	}
	width, _, err := term.GetSize(p.terminal)
	if err != nil || width < 2 {
		width = 80
	}
	fmt.Fprint(p.w, eraseLine, text.Trim(p.line(), width-1))
}

// eraseLine takes the cursor to the begin of the line and clears it.
const eraseLine = "\r\x1b[2K"

// line is what is shown: what goes on, how far it is, and how long it has taken.
func (p *progress) line() string {
	var b strings.Builder
	b.WriteString(p.title)
	if p.steps > 0 {
		fmt.Fprintf(&b, ", %d of %d", p.done, p.steps)
	}
	fmt.Fprintf(&b, ", %s", time.Since(p.began).Round(time.Second))
	return b.String()
}

// finish takes the line away.
func (p *progress) finish() {
	if p.terminal >= 0 {
		fmt.Fprint(p.w, eraseLine)
	}
}

// terminalOf is the file descriptor of the stream, if it is a terminal.
func terminalOf(w io.Writer) (int, bool) {
	file, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	return int(file.Fd()), term.IsTerminal(int(file.Fd()))
}
