package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
)

// progress shows the progress of a run. On a terminal it rewrites one line several times a second. Elsewhere it writes a new line every ten
// seconds, so that the log of a long run shows that the run goes on, even if it reports nothing. Any number of goroutines may call it.
type progress struct {
	w        io.Writer
	terminal *os.File      // nil: the stream is no terminal
	pause    time.Duration // between two lines
	steps    int           // 0: not known
	began    time.Time

	mutex sync.Mutex
	title string
	done  int

	stop, stopped chan struct{}
}

// newProgress starts to show a run, until finish. steps is the number of its steps; 0: the number is not known.
func newProgress(w io.Writer, title string, steps int) *progress {
	p := &progress{
		w: w, pause: 10 * time.Second, title: title, steps: steps, began: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	if terminal := terminalOf(w); terminal != nil && os.Getenv("NO_COLOR") == "" {
		p.terminal, p.pause = terminal, 100*time.Millisecond
	}
	go p.run()
	return p
}

// run writes a line after each pause.
func (p *progress) run() {
	defer close(p.stopped)
	ticker := time.NewTicker(p.pause)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.show()
		}
	}
}

// visible says whether there is a terminal to show the line on.
func (p *progress) visible() bool { return p.terminal != nil }

// describe sets the title of the line.
func (p *progress) describe(title string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.title = title
}

// step counts a step.
func (p *progress) step() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done++
}

// at sets how many steps are done.
func (p *progress) at(steps int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done = steps
}

// show writes the line. It is no failure if the line cannot be written.
func (p *progress) show() {
	if p.terminal == nil {
		fmt.Fprintln(p.w, p.line())
		return
	}
	width := widthOf(p.terminal)
	if width < 2 {
		width = 80
	}
	fmt.Fprint(p.w, eraseLine, text.Trim(p.line(), width-1))
}

// eraseLine moves the cursor to the beginning of the line and clears the line.
const eraseLine = "\r\x1b[2K"

// line makes the text of the line: the title, the steps done, and the time taken.
func (p *progress) line() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var b strings.Builder
	b.WriteString(p.title)
	if p.steps > 0 {
		fmt.Fprintf(&b, ", %d of %d", p.done, p.steps)
	}
	fmt.Fprintf(&b, ", %s", time.Since(p.began).Round(time.Second))
	return b.String()
}

// finish removes the line from the terminal and writes no more.
func (p *progress) finish() {
	close(p.stop)
	<-p.stopped
	if p.terminal != nil {
		fmt.Fprint(p.w, eraseLine)
	}
}

// terminalOf returns the file that the stream writes to if that is a terminal, otherwise nil.
func terminalOf(w io.Writer) *os.File {
	if out, ok := w.(*output); ok {
		w = out.Writer
	}
	if file, ok := w.(*os.File); ok && isTerminal(file) {
		return file
	}
	return nil
}
