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

// progress shows the progress of a run. On a terminal it rewrites one line several times a second. Elsewhere it writes a new line from time to
// time, so that the log of a long run shows that the run goes on.
type progress struct {
	w        io.Writer
	terminal int // file descriptor; −1: the stream is no terminal
	title    string
	steps    int // 0: not known
	done     int
	began    time.Time
	written  time.Time     // time of the last line
	pause    time.Duration // least time between two lines
}

// newProgress starts to show a run. steps is the number of its steps; 0: the number is not known.
func newProgress(w io.Writer, title string, steps int) *progress {
	p := &progress{w: w, terminal: -1, title: title, steps: steps, began: time.Now(), written: time.Now(), pause: 10 * time.Second}
	if fd, ok := terminalOf(w); ok && os.Getenv("NO_COLOR") == "" {
		p.terminal, p.pause, p.written = fd, 100*time.Millisecond, time.Time{}
	}
	return p
}

// visible reports whether there is a terminal to show the line on.
func (p *progress) visible() bool { return p.terminal >= 0 }

// describe sets the title of the line.
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

// show writes the line if enough time has passed since the last one. It is no failure if the line cannot be written.
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

// eraseLine moves the cursor to the beginning of the line and clears the line.
const eraseLine = "\r\x1b[2K"

// line makes the text of the line: the title, the steps done, and the time taken.
func (p *progress) line() string {
	var b strings.Builder
	b.WriteString(p.title)
	if p.steps > 0 {
		fmt.Fprintf(&b, ", %d of %d", p.done, p.steps)
	}
	fmt.Fprintf(&b, ", %s", time.Since(p.began).Round(time.Second))
	return b.String()
}

// finish removes the line from the terminal.
func (p *progress) finish() {
	if p.terminal >= 0 {
		fmt.Fprint(p.w, eraseLine)
	}
}

// terminalOf returns the file descriptor of the stream, if the stream is a terminal.
func terminalOf(w io.Writer) (int, bool) {
	file, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	return int(file.Fd()), term.IsTerminal(int(file.Fd()))
}
