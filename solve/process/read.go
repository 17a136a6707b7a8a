package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Errors that end the reading of a program's solutions without a fault of the program.
var (
	errCut    = errors.New("cut off inside a solution")
	errEnough = errors.New("as many solutions as were asked for")
)

// refusalError says that the program refuses the instance.
type refusalError struct{ text string }

// Error returns the program's text.
func (e *refusalError) Error() string { return e.text }

// incumbents reads the solutions of a program and keeps the best. After result was called it changes nothing and reports nothing.
type incumbents struct {
	in       *model.Instance
	limit    int64 // the largest number of solutions to read; 0: no limit
	progress func(solve.Progress)
	loose    bool          // an object of placements counts as a solution
	sent     func() string // the SHA-256 of the program's input; empty while it is not all written

	mutex     sync.Mutex
	closed    atomic.Bool // true after result was called; written under the mutex
	best      *model.Solution
	objective float64
	left      int
	count     int64
}

// start takes a checked schedule as the first incumbent.
func (i *incumbents) start(sol *model.Solution) error {
	if sol == nil {
		return nil
	}
	evaluation, err := model.Evaluate(i.in, sol)
	if err != nil {
		return err
	}
	i.best, i.objective, i.left = sol, evaluation.Objective, i.in.Owed(sol)
	return nil
}

// result returns the best solution so far and ends the reading.
func (i *incumbents) result(stop model.Stop) solve.Result {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.closed.Store(true)
	result := solve.Result{Solution: i.best, Status: model.Feasible, Stop: stop, Evaluations: i.count}
	if i.best == nil {
		result.Status = model.Unknown
	}
	return result
}

// read reads solutions until the stream ends, the limit is reached, or a solution is wrong.
func (i *incumbents) read(r io.Reader) error {
	// A placement takes about 100 bytes. One on scattered processors takes much more, but few jobs can have that many processors.
	list := &documents{r: bufio.NewReaderSize(r, 1<<16), limit: 16<<20 + 1024*len(i.in.Jobs())}
	for k := int64(1); ; k++ {
		text, err := list.next()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, errCut):
			return err
		case err != nil:
			return fmt.Errorf("solution %d of the program: %w", k, err)
		}
		if err := i.take(text, k); err != nil {
			return err
		}
		if k == i.limit {
			return errEnough
		}
	}
}

// take checks the k-th solution and offers it as incumbent.
func (i *incumbents) take(text []byte, k int64) error {
	if why, refused := refusalOf(text); refused {
		return &refusalError{why}
	}
	sol, is, err := (*model.Solution)(nil), false, error(nil)
	if i.loose {
		sol, is, err = placementsIn(i.in, text)
	}
	if !is {
		sol, err = model.ReadSolution(&untilClosed{bytes.NewReader(text), &i.closed}, "")
	}
	switch {
	case i.closed.Load():
		return errCut
	case err != nil:
		return fmt.Errorf("solution %d of the program: %w", k, firstFault(err))
	}
	sum := sol.InstanceSHA256
	if !i.isOurs(sum) {
		return &solve.WrongScheduleError{Solution: k, Violation: model.Violation{
			Code: model.CodeWrongInstance, Message: "made for an instance of SHA-256 " + printableEnd(sum, 64)}}
	}
	evaluation, wrong := solve.Checked(i.in, sol)
	if wrong != nil {
		wrong.Solution = k
		return wrong
	}
	i.keep(solve.Bare(sol), evaluation.Objective)
	return nil
}

// isOurs reports whether the SHA-256 that a solution states is the instance's. It may be the hash of the instance's file or of the program's
// input, whose bytes may differ. An empty one is accepted.
func (i *incumbents) isOurs(sum string) bool {
	return sum == "" || sum == i.in.SHA256() || sum == i.sent()
}

// keep makes the schedule the incumbent if it is the best so far, and reports progress.
func (i *incumbents) keep(sol *model.Solution, objective float64) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.closed.Load() {
		return
	}
	i.count++
	var told solve.Progress
	left := i.in.Owed(sol)
	if i.best == nil || model.NewRank(left, objective).Better(model.NewRank(i.left, i.objective)) {
		i.best, i.objective, i.left = sol, objective, left
		told.Schedule = func() *model.Solution { return solve.Bare(sol) }
	}
	if i.progress != nil {
		told.Evaluations, told.Objective, told.Left = i.count, i.objective, i.left
		i.progress(told)
	}
}

// untilClosed is a reader that fails after closed is set, so that allot stops reading a long solution that no longer counts.
type untilClosed struct {
	io.Reader
	closed *atomic.Bool
}

// Read implements io.Reader.
func (r *untilClosed) Read(buffer []byte) (int, error) {
	if r.closed.Load() {
		return 0, errCut
	}
	return r.Reader.Read(buffer)
}

// refusalOf returns the text of an object {"unsupported": "text"}, or false for another object.
func refusalOf(text []byte) (why string, refused bool) {
	first := bytes.TrimLeft(text[1:], " \t\r\n")
	if !bytes.HasPrefix(first, []byte(`"unsupported"`)) {
		return "", false
	}
	var object struct{ Unsupported *string }
	if json.Unmarshal(text, &object) != nil || object.Unsupported == nil {
		return "", false
	}
	return printableEnd(*object.Unsupported, 500), true
}

// firstFault reports the first fault of a solution and the number of the others.
func firstFault(err error) error {
	var input *model.InputError
	if !errors.As(err, &input) || len(input.Faults) == 0 {
		return err
	}
	first := input.Faults[0]
	text := first.Message
	if first.Path != "" {
		text = first.Path + ": " + text
	}
	if more := len(input.Faults) - 1 + input.More; more > 0 {
		text = fmt.Sprintf("%s (and %d more)", text, more)
	}
	return errors.New(text)
}

// documents splits a stream into JSON objects of at most limit bytes each. It looks for their brackets only and does not check what is inside.
type documents struct {
	r     *bufio.Reader
	limit int
	text  []byte
}

// next returns the next object; it is valid until the next call. The error is io.EOF after the last object and [errCut] if the stream ends
// inside an object. Any other error says what was found instead of an object.
func (d *documents) next() ([]byte, error) {
	d.text = d.text[:0]
	var scan bracketScan
	for {
		if _, err := d.r.Peek(1); err != nil {
			if len(d.text) > 0 || err != io.EOF {
				return nil, errCut
			}
			return nil, io.EOF
		}
		chunk, _ := d.r.Peek(d.r.Buffered()) // these bytes are buffered, so Peek cannot fail
		if len(d.text) == 0 {
			blank := len(chunk) - len(bytes.TrimLeft(chunk, " \t\r\n"))
			_, _ = d.r.Discard(blank)
			if chunk = chunk[blank:]; len(chunk) == 0 {
				continue
			}
			if bytes.HasPrefix(chunk, []byte(byteOrderMark)) {
				return nil, errors.New("expected a JSON object, found a byte order mark: write UTF-8 without it")
			}
			if chunk[0] != '{' {
				line, _, _ := bytes.Cut(chunk, []byte("\n"))
				return nil, fmt.Errorf("expected a JSON object, found %q", printableEnd(string(line[:min(len(line), 60)]), 60))
			}
		}
		length, whole := scan.end(chunk)
		if len(d.text)+length > d.limit {
			return nil, fmt.Errorf("expected at most %d bytes, found more", d.limit)
		}
		d.text = append(d.text, chunk[:length]...)
		_, _ = d.r.Discard(length)
		if whole {
			return d.text, nil
		}
	}
}

// byteOrderMark is what some programs of Windows write before a text.
const byteOrderMark = "\uFEFF"

// bracketScan finds the end of a JSON object that comes in chunks.
type bracketScan struct {
	depth           int
	inText, escaped bool
}

// end returns how many bytes of the chunk belong to the object, and whether the object ends in the chunk.
func (s *bracketScan) end(chunk []byte) (length int, whole bool) {
	for k, b := range chunk {
		switch {
		case s.escaped:
			s.escaped = false
		case s.inText && b == '\\':
			s.escaped = true
		case b == '"':
			s.inText = !s.inText
		case s.inText:
		case b == '{' || b == '[':
			s.depth++
		case b == '}' || b == ']':
			if s.depth--; s.depth == 0 {
				return k + 1, true
			}
		}
	}
	return len(chunk), false
}

// printableEnd returns the end of a text from outside: at most most bytes, without control characters other than line feeds.
func printableEnd(text string, most int) string {
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
