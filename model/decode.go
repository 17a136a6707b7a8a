package model

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// decoder reads a wire type from JSON strictly and streaming: what is unknown, missing, given twice, of the wrong kind or out of
// range is a fault with its path, and reading goes on. Only a syntax error ends it.
type decoder struct {
	json   *jsontext.Decoder
	input  *tokenLimit
	faults *InputError
	path   []step
	texts  map[string]string // short texts seen, so that an id that returns a million times is held once
}

// step is one step of the path to the value being read: a field or an element.
type step struct {
	name  string
	index int // -1: a field
}

// decode reads one value of the wire type that target points to, and nothing after it.
func decode(r io.Reader, file string, target any) *InputError {
	faults, input := &InputError{File: file}, &tokenLimit{r: r}
	d := &decoder{
		json:   jsontext.NewDecoder(input, jsontext.AllowDuplicateNames(true)),
		input:  input,
		faults: faults,
		texts:  map[string]string{},
	}
	err := d.value(field{}, reflect.ValueOf(target).Elem())
	if err == nil {
		if _, err = d.json.ReadToken(); err == nil {
			err = errors.New("expected the end of the file after the JSON value")
		} else if err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		d.syntax(err)
	}
	return faults
}

// syntax lists an error that ended reading.
func (d *decoder) syntax(err error) {
	var syntactic *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		d.fault("expected a JSON value, found an empty file")
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.fault("the file ends early, at byte %d, inside a JSON value", d.json.InputOffset())
	case errors.Is(err, d.input.err): // reading failed, or a token is too long
		d.faults.cause = d.input.err
		d.fault("%s", d.input.err)
	case errors.As(err, &syntactic):
		text := strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
		d.fault("not JSON: %s at byte %d", text, syntactic.ByteOffset)
	default:
		d.fault("%s", err)
	}
}

// fault lists a fault at the value being read.
func (d *decoder) fault(format string, args ...any) {
	path := ""
	for _, s := range d.path {
		if s.index >= 0 {
			path += "[" + strconv.Itoa(s.index) + "]"
		} else {
			path = join(path, s.name)
		}
	}
	d.faults.add(path, format, args...)
}

// wrongKind lists that the value being read is of another kind than expected and skips it. An object or array is not
// shown: it may be as long as the file.
func (d *decoder) wrongKind(expected string) error {
	switch d.json.PeekKind() {
	case '{':
		d.fault("expected %s, found an object", expected)
		return d.json.SkipValue()
	case '[':
		d.fault("expected %s, found an array", expected)
		return d.json.SkipValue()
	}
	raw, err := d.json.ReadValue()
	if err == nil {
		d.fault("expected %s, found %s", expected, clip(string(raw)))
	}
	return err
}

// value reads the next value into v.
func (d *decoder) value(f field, v reflect.Value) error {
	switch target := v.Addr().Interface().(type) {
	case *ProcessorRange:
		return d.processorRange(f, target)
	case *Metrics:
		return d.metrics(target)
	case encoding.TextUnmarshaler:
		return d.text(f, func(text string) {
			if err := target.UnmarshalText([]byte(text)); err != nil {
				d.fault("%s", err)
			}
		})
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.structure(v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(f, v.Elem())
	case reflect.Slice:
		return d.slice(f, v)
	case reflect.Map:
		return d.mapping(f, v)
	case reflect.Float64:
		return d.number(f, v.SetFloat)
	case reflect.Int, reflect.Int64:
		return d.number(f, func(x float64) { v.SetInt(int64(x)) })
	case reflect.Uint64:
		return d.unsigned(v)
	case reflect.Bool:
		return d.boolean(v)
	case reflect.String:
		return d.text(f, v.SetString)
	default: // any: a solver's parameter
		return d.anything(v)
	}
}

// structure reads an object into the fields of a struct.
func (d *decoder) structure(v reflect.Value) error {
	fields := fieldsOf(v.Type())
	var seen uint64
	err := d.object(func(name string) error {
		for k, f := range fields {
			if f.name != name {
				continue
			}
			if seen&(1<<k) != 0 {
				d.fault("expected the field once, found it again")
				return d.json.SkipValue()
			}
			seen |= 1 << k
			return d.value(f, v.Field(f.index))
		}
		d.fault("unknown field; expected one of %s", names(fields))
		return d.json.SkipValue()
	})
	if err != nil {
		return err
	}
	for k, f := range fields {
		if f.required && seen&(1<<k) == 0 {
			d.fault("expected the field %q, found none", f.name)
		}
	}
	return nil
}

// names lists the names of the fields.
func names(fields []field) string {
	list := make([]string, len(fields))
	for k, f := range fields {
		list[k] = f.name
	}
	return strings.Join(list, ", ")
}

// object reads an object and calls member for the value of each member, with its name as the last step of the path.
func (d *decoder) object(member func(name string) error) error {
	if d.json.PeekKind() != '{' {
		return d.wrongKind("an object")
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	for d.json.PeekKind() != '}' {
		token, err := d.json.ReadToken()
		if err != nil {
			return err
		}
		name := d.intern(token.String())
		d.path = append(d.path, step{name, -1})
		if err := member(name); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
	}
	_, err := d.json.ReadToken()
	return err
}

// slice reads an array. Once the list of faults is full, elements are read but not kept: a file of a million wrong
// elements takes no memory.
func (d *decoder) slice(f field, v reflect.Value) error {
	if d.json.PeekKind() != '[' {
		return d.wrongKind("an array")
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	scratch := reflect.New(v.Type().Elem()).Elem()
	for k := 0; d.json.PeekKind() != ']'; k++ {
		d.path = append(d.path, step{index: k})
		scratch.SetZero()
		if err := d.value(f, scratch); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
		if !d.faults.full() {
			v.Set(reflect.Append(v, scratch))
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// mapping reads an object into a map.
func (d *decoder) mapping(f field, v reflect.Value) error {
	v.Set(reflect.MakeMap(v.Type()))
	scratch := reflect.New(v.Type().Elem()).Elem()
	return d.object(func(name string) error {
		if wrong := checkName(name); wrong != "" {
			d.fault("%s", wrong)
			return d.json.SkipValue()
		}
		key := reflect.ValueOf(name)
		if v.MapIndex(key).IsValid() {
			d.fault("expected the name once, found it again")
			return d.json.SkipValue()
		}
		scratch.SetZero()
		if err := d.value(f, scratch); err != nil {
			return err
		}
		if !d.faults.full() {
			v.SetMapIndex(key, scratch)
		}
		return nil
	})
}

// number reads a number that satisfies the field's check.
func (d *decoder) number(f field, set func(float64)) error {
	if d.json.PeekKind() != '0' {
		return d.wrongKind("a number")
	}
	token, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	text := token.String()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d.fault("expected a finite number, found %s", clip(text))
		return nil
	}
	if wrong := checkNumber(f.check, x); wrong != "" {
		d.fault("%s", wrong)
		return nil
	}
	set(x)
	return nil
}

// unsigned reads a whole number of up to 64 bits, such as a seed.
func (d *decoder) unsigned(v reflect.Value) error {
	if d.json.PeekKind() != '0' {
		return d.wrongKind("a whole number")
	}
	token, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	text := token.String()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil { // written in another way, such as 1e3; up to 2⁵³ it is exact
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1<<53 && x == math.Trunc(x)) {
			d.fault("expected a whole number in [0, 2^64), found %s", clip(text))
			return nil
		}
		n = uint64(x)
	}
	v.SetUint(n)
	return nil
}

// boolean reads true or false.
func (d *decoder) boolean(v reflect.Value) error {
	if kind := d.json.PeekKind(); kind != 't' && kind != 'f' {
		return d.wrongKind("true or false")
	}
	token, err := d.json.ReadToken()
	if err == nil {
		v.SetBool(token.Bool())
	}
	return err
}

// text reads a text that satisfies the field's check.
func (d *decoder) text(f field, set func(string)) error {
	if d.json.PeekKind() != '"' {
		return d.wrongKind("a text")
	}
	token, err := d.json.ReadToken()
	if err != nil {
		return err
	}
	text := d.intern(token.String())
	if wrong := checkText(f, text); wrong != "" {
		d.fault("%s", wrong)
		return nil
	}
	set(text)
	return nil
}

// intern returns one copy of a short text that occurs often. The table is bounded: past that, texts are kept as they are.
func (d *decoder) intern(text string) string {
	const longest, most = 64, 1 << 16
	if len(text) > longest {
		return text
	}
	if known, ok := d.texts[text]; ok {
		return known
	}
	if len(d.texts) < most {
		d.texts[text] = text
	}
	return text
}

// processorRange reads a number (rigid) or an object of min and max (moldable).
func (d *decoder) processorRange(f field, r *ProcessorRange) error {
	switch d.json.PeekKind() {
	case '0':
		f.check = "count"
		return d.number(f, func(x float64) { *r = Rigid(int(x)) })
	case '{':
		before := len(d.faults.Faults) + d.faults.More
		err := d.structure(reflect.ValueOf(r).Elem())
		if err == nil && len(d.faults.Faults)+d.faults.More == before && r.Min > r.Max {
			d.fault("expected min ≤ max, found min %d and max %d", r.Min, r.Max)
		}
		return err
	default:
		return d.wrongKind("a number or an object of min and max")
	}
}

// metrics reads an object of metric → number, or → object of cluster → number.
func (d *decoder) metrics(m *Metrics) error {
	*m = Metrics{}
	return d.object(func(name string) error {
		if _, twice := (*m)[name]; twice {
			d.fault("expected the metric once, found it again")
			return d.json.SkipValue()
		}
		var value MetricValue
		figure := field{check: "figure"}
		var err error
		if d.json.PeekKind() == '{' {
			err = d.mapping(figure, reflect.ValueOf(&value.ByCluster).Elem())
		} else {
			err = d.number(figure, func(x float64) { value.Total = x })
		}
		if !d.faults.full() {
			(*m)[name] = value
		}
		return err
	})
}

// anything reads a parameter: a number, a text or a truth value.
func (d *decoder) anything(v reflect.Value) error {
	switch d.json.PeekKind() {
	case '0':
		return d.number(field{check: "figure"}, func(x float64) { v.Set(reflect.ValueOf(x)) })
	case '"':
		return d.text(field{}, func(text string) { v.Set(reflect.ValueOf(text)) })
	case 't', 'f':
		token, err := d.json.ReadToken()
		if err == nil {
			v.Set(reflect.ValueOf(token.Bool()))
		}
		return err
	default:
		return d.wrongKind("a number, a text, true or false")
	}
}

// tokenLimit passes a JSON text on and fails at a text, number or run of white space longer than maxToken, so that a file
// cannot make the decoder hold more than that at once.
type tokenLimit struct {
	r       io.Reader
	inText  bool
	escaped bool
	length  int // of the token, or run of white space, so far
	blank   bool
	err     error // what ended reading, but for the end of the file; it lasts
}

// maxToken is the longest text, number or run of white space that is read.
const maxToken = 1 << 20

// Read implements io.Reader.
func (l *tokenLimit) Read(buffer []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(buffer)
	if err != io.EOF {
		l.err = err
	}
	for k, b := range buffer[:n] {
		if l.advance(b) > maxToken {
			l.err = fmt.Errorf("expected texts, numbers and white space of at most %d bytes, found a longer one", maxToken)
			return k, l.err
		}
	}
	return n, err
}

// advance takes the next byte and returns the length of the token it belongs to so far.
func (l *tokenLimit) advance(b byte) int {
	switch {
	case l.inText:
		l.length++
		switch {
		case l.escaped:
			l.escaped = false
		case b == '\\':
			l.escaped = true
		case b == '"':
			l.inText, l.length = false, 0
		}
	case b == '"':
		l.inText, l.length = true, 0
	case b == ' ' || b == '\n' || b == '\r' || b == '\t':
		if !l.blank {
			l.length = 0
		}
		l.length++
		l.blank = true
		return l.length
	case b == ',' || b == ':' || b == '{' || b == '}' || b == '[' || b == ']':
		l.length = 0
	default:
		if l.blank {
			l.length = 0
		}
		l.length++
	}
	l.blank = false
	return l.length
}
