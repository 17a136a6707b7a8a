package draw

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// Run holds the incumbents of a run, with their objectives and bounds: a point for each improvement and one for the end of the run, as
// allot solve --trace writes them.
type Run struct {
	Name   string            // its name in the picture
	Points []model.Incumbent // the elapsed times never fall, the objective never rises and the bound never falls
}

// ReadRun reads a run from JSON lines, as allot solve --trace writes them. The name stands for the input in errors. The error
// is a [*model.InputError] that names the lines.
//
// The file is read as a stream: besides the points only one line is in memory.
func ReadRun(r io.Reader, name string) (*Run, error) {
	d := runReader{
		run: &Run{Name: runName(name)}, faults: &model.InputError{File: name},
		json: jsontext.NewDecoder(bytes.NewReader(nil)),
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<12), maxRunLine+2) // room for the line's end
	for lines.Scan() {
		d.line++
		if !d.read(lines.Bytes()) {
			return nil, d.faults
		}
	}
	if err := lines.Err(); err != nil {
		d.line++
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("expected a line of at most %d bytes, found a longer one", maxRunLine)
		}
		d.fault("", "%s", err)
	}
	if len(d.faults.Faults) > 0 {
		return nil, d.faults
	}
	return d.run, nil
}

// ReadRunFile reads a run from a file, see [ReadRun] and [model.Open].
func ReadRunFile(path string) (*Run, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadRun(file, model.InputName(path))
}

// runName is a file's name without its folder and usual endings.
func runName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".gz")
	for _, ending := range []string{".jsonl", ".ndjson", ".json"} {
		if short, ok := strings.CutSuffix(name, ending); ok && short != "" {
			return short
		}
	}
	return name
}

// Limits for the input.
const (
	maxRunLine = 1 << 16
	maxElapsed = 1e18
	maxFigure  = 1e300 // differences of such numbers are finite
)

// runReader reads a run line by line.
type runReader struct {
	run    *Run
	faults *model.InputError
	json   *jsontext.Decoder
	line   int
	wrong  bool // the line being read has a fault
}

// fault adds a fault of the line. If field is not empty, the fault names it.
func (d *runReader) fault(field, format string, args ...any) {
	d.wrong = true
	if len(d.faults.Faults) >= model.MaxListed {
		d.faults.More++
		return
	}
	place := "line " + strconv.Itoa(d.line)
	if field != "" {
		place += ": " + field
	}
	d.faults.Faults = append(d.faults.Faults, model.Fault{Path: place, Message: fmt.Sprintf(format, args...)})
}

// read reads a line. It returns false if the rest of the file would only repeat the same faults.
func (d *runReader) read(line []byte) bool {
	d.wrong = false
	if len(bytes.TrimSpace(line)) == 0 {
		d.fault("", "expected an object, found an empty line")
		return true
	}
	d.json.Reset(bytes.NewReader(line), jsontext.AllowDuplicateNames(true))
	if kind := d.json.PeekKind(); kind != '{' && kind != jsontext.KindInvalid {
		d.fault("", "expected an object such as %s, found %s", examplePoint, found(line))
		return false
	}
	point, err := d.point()
	if err == nil {
		if _, err = d.json.ReadToken(); err == nil {
			err = errors.New("expected the end of the line after the object")
		}
	}
	if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		d.syntax(err)
		return false
	}
	if !d.wrong {
		d.add(point)
	}
	return true
}

// examplePoint shows what a line looks like.
const examplePoint = `{"elapsed_s":0.5,"evaluations":120,"objective":42,"bound":40}`

// syntax adds the faults in the JSON syntax of the line.
func (d *runReader) syntax(err error) {
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.fault("", "expected an object on one line such as %s, found the end of the line inside a JSON value", examplePoint)
	case errors.As(err, &syntactic):
		text := strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
		d.fault("", "expected an object such as %s, found text that is not JSON: %s at byte %d", examplePoint, text, syntactic.ByteOffset)
	default:
		d.fault("", "%s", err)
	}
}

// found shows the beginning of a text from the file.
func found[T ~string | ~[]byte](text T) string {
	const most = 40
	return picture.Clip(picture.Printable(string(text)), most)
}

// runField is a field of a line: the numbers that it may have and the place where they are stored.
type runField struct {
	name       string
	isOptional bool
	low, high  float64
	isWhole    bool
	expected   string
	set        func(p *model.Incumbent, x float64)
}

// runFields are the fields of a line.
var runFields = []runField{
	{name: "elapsed_s", high: maxElapsed, expected: "a number in [0, 1e+18]", set: func(p *model.Incumbent, x float64) { p.Elapsed = x }},
	{name: "evaluations", high: 1 << 53, isWhole: true, expected: "a whole number in [0, 2^53]",
		set: func(p *model.Incumbent, x float64) { p.Evaluations = int64(x) }},
	{name: "objective", low: -maxFigure, high: maxFigure, expected: expectedFigure, set: func(p *model.Incumbent, x float64) { p.Objective = x }},
	{name: "bound", isOptional: true, low: -maxFigure, high: maxFigure, expected: expectedFigure,
		set: func(p *model.Incumbent, x float64) { p.Bound = model.ProvedBound(x) }},
}

// expectedFigure is what an objective or a bound must be.
const expectedFigure = "a number in [-1e+300, 1e+300]"

// runFieldNames lists the names.
func runFieldNames() string {
	names := kit.Each(runFields, func(r runField) string { return r.name })
	return strings.Join(names, ", ")
}

// point reads the object.
func (d *runReader) point() (model.Incumbent, error) {
	var point model.Incumbent
	if _, err := d.json.ReadToken(); err != nil {
		return point, err
	}
	seen := 0 // one bit per field
	for d.json.PeekKind() != '}' {
		token, err := d.json.ReadToken()
		if err != nil {
			return point, err
		}
		name := token.String()
		k := slices.IndexFunc(runFields, func(f runField) bool { return f.name == name })
		switch {
		case k < 0:
			d.fault(found(name), "unknown field; expected one of %s", runFieldNames())
			err = d.json.SkipValue()
		case seen&(1<<k) != 0:
			d.fault(name, "expected the field once, found it again")
			err = d.json.SkipValue()
		default:
			seen |= 1 << k
			err = d.number(&runFields[k], &point)
		}
		if err != nil {
			return point, err
		}
	}
	if _, err := d.json.ReadToken(); err != nil {
		return point, err
	}
	for k, f := range runFields {
		if seen&(1<<k) == 0 && !f.isOptional {
			d.fault("", "expected the field %q, found none", f.name)
		}
	}
	return point, nil
}

// number reads the value of a field into the point.
func (d *runReader) number(f *runField, point *model.Incumbent) error {
	raw, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if raw.Kind() != '0' || err != nil || x < f.low || x > f.high || f.isWhole && x != math.Trunc(x) {
		d.fault(f.name, "expected %s, found %s", f.expected, found(raw))
		return nil
	}
	f.set(point, x)
	return nil
}

// add appends a point. A point without a bound gets the bound of the point before it.
func (d *runReader) add(p model.Incumbent) {
	if n := len(d.run.Points); n > 0 {
		last := &d.run.Points[n-1]
		if !p.Bound.Known() {
			p.Bound = last.Bound
		}
		if field, message := follows(&p, last); message != "" {
			d.fault(field, "%s", message)
			return
		}
	}
	d.run.Points = append(d.run.Points, p)
}

// follows checks a point against the last one. It returns the field that is wrong and what was expected, or empty texts.
func follows(p, last *model.Incumbent) (field, message string) {
	switch {
	case p.Elapsed < last.Elapsed:
		return "elapsed_s", fmt.Sprintf("expected at least the %v before it, found %v", last.Elapsed, p.Elapsed)
	case p.Objective > last.Objective:
		return "objective", fmt.Sprintf("expected at most the %v before it, found %v", last.Objective, p.Objective)
	case p.Bound.Max(last.Bound) != p.Bound:
		return "bound", fmt.Sprintf("expected at least the %v before it, found %v", last.Bound, p.Bound)
	}
	return "", ""
}

// check returns an error for a run, made by a program, that cannot be drawn.
func (t *Run) check() error {
	for k := range t.Points {
		p := &t.Points[k]
		if !(p.Elapsed >= 0 && p.Elapsed <= maxElapsed) || !(math.Abs(p.Objective) <= maxFigure) ||
			math.Abs(p.Bound.Or(0)) > maxFigure {
			return fmt.Errorf("point %d: %v: expected a time in [0, %g], and an objective and a bound in [%g, %g]",
				k, *p, maxElapsed, -maxFigure, maxFigure)
		}
		if k == 0 {
			continue
		}
		if field, message := follows(p, &t.Points[k-1]); message != "" {
			return fmt.Errorf("point %d: %s: %s", k, field, message)
		}
	}
	return nil
}
