package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a progress bar on a terminal, and nothing elsewhere.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress starts a bar of so many steps.
func newProgress(w io.Writer, title string, steps int) *progress {
	return newBar(w, title, steps, progressbar.OptionSetWidth(30), progressbar.OptionShowCount())
}

// newSpinner starts a line for a run whose length is not known.
func newSpinner(w io.Writer, title string) *progress {
	return newBar(w, title, -1, progressbar.OptionSpinnerType(14), progressbar.OptionSetElapsedTime(false))
}

// newBar is silent where the stream is no terminal or NO_COLOR is set.
func newBar(w io.Writer, title string, steps int, options ...progressbar.Option) *progress {
	if _, ok := terminalOf(w); !ok || os.Getenv("NO_COLOR") != "" {
		return &progress{}
	}
	return &progress{progressbar.NewOptions(steps, append(options,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(title),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)...)}
}

// visible says that there is a terminal to show it on.
func (p *progress) visible() bool { return p.bar != nil }

// describe says what the next step is.
func (p *progress) describe(title string) {
	if p.bar != nil {
		p.bar.Describe(title)
	}
}

// step counts a step.
func (p *progress) step() {
	if p.bar != nil {
		_ = p.bar.Add(1) // a bar that cannot be drawn is no failure
	}
}

// at sets how many steps are done.
func (p *progress) at(steps int) {
	if p.bar != nil {
		_ = p.bar.Set(steps) // as above
	}
}

// finish takes the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
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
