package model

import (
	"encoding"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/model/budget"
)

// decoder reads a wire type from JSON strictly and streaming: a field that is unknown, missing, given twice, of the wrong kind
// or out of range is a fault with its path, and reading continues. Only a syntax error ends it.
type decoder struct {
	json   *jsontext.Decoder
	input  *tokenLimit
	faults *InputError
	budget *budget.Budget
	path   []step
	listed map[reflect.Type]bool // structs whose fields a message has listed
	texts  map[string]string     // short texts seen, so that an id that returns a million times is held once
	kinds  map[string]string     // the texts of the file's own fields that may state its kind, see isKind
}

// step is one step of the path to the value being read: a field or an element.
type step struct {
	name  string
	index int // -1: a field
}

// ReadJSON reads one JSON value, and nothing after it, into the struct that target points to, as strictly as instances are read. The
// error lists, with their paths, all fields that are unknown, missing (if their tag has no omitempty), given twice, of the wrong kind or
// out of the range of the tags check and enum. One field of a struct, a text or number, may be tagged bare:"true": then a value that is
// not an object is the value of that field. An element of a []any may stand alone. Errors are of type [*InputError] and call the input
// by the given name.
func ReadJSON(r io.Reader, name string, target any) error {
	faults, _ := decode(r, name, target)
	return faults.orNil()
}

// ReadDocument is [ReadJSON] of a file that states its kind in one of its own fields, "schema" or "format". If it states another kind than the
// expected one, all other fields are wrong too, so the error names that alone.
func ReadDocument(r io.Reader, name string, target any, expected string) error {
	faults, kinds := decode(r, name, target)
	own := ""
	for _, f := range fieldsOf(reflect.TypeOf(target).Elem()) {
		if isKind(f.name) {
			own = f.name
			break
		}
	}
	stated, found := kinds[own]
	if found && stated != expected {
		faults = &InputError{File: name}
		faults.add(own, "expected %q, found %q", expected, clip(stated))
	}
	if !found {
		for other, stated := range kinds { // at most one
			faults = &InputError{File: name}
			faults.add(other, "expected a file with \"%s\": %q, found %q", own, expected, clip(stated))
		}
	}
	return faults.orNil()
}

// isKind says that a field of this name, where it is a field of the file itself, may state the kind of the file.
func isKind(field string) bool { return field == "schema" || field == "format" }

// decode reads one value of the wire type that target points to, and nothing after it. It also returns what the file says of its kind, by field.
func decode(r io.Reader, file string, target any) (*InputError, map[string]string) {
	r, b := budget.Of(r)
	faults, input := &InputError{File: file}, &tokenLimit{r: r}
	d := &decoder{
		json:   jsontext.NewDecoder(input, jsontext.AllowDuplicateNames(true)),
		input:  input,
		faults: faults,
		budget: b,
		listed: map[reflect.Type]bool{},
		texts:  map[string]string{},
		kinds:  map[string]string{},
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
	return faults, d.kinds
}

// syntax lists an error that ended reading.
func (d *decoder) syntax(err error) {
	var syntactic *jsontext.SyntacticError
	switch {
	case d.budget.Err() != nil:
		d.faults.stop(d.at(), d.budget.Err())
	case err == io.EOF:
		d.fault("expected a JSON value, found an empty file")
	case errors.Is(err, io.ErrUnexpectedEOF):
		d.fault("the file ends early, at byte %d, inside a JSON value", d.input.read)
	case errors.Is(err, d.input.err): // reading failed, or a token is too long
		d.faults.cause = d.input.err
		d.fault("%s", d.input.err)
	case errors.As(err, &syntactic):
		d.fault("not JSON: %s at byte %d", syntaxText(syntactic.Err), syntactic.ByteOffset)
	default:
		d.fault("%s", err)
	}
}

// syntaxText is a syntax error in words; the frequent ones in plainer words than the parser's.
func syntaxText(err error) string {
	text := strings.TrimPrefix(err.Error(), "jsontext: ")
	switch {
	case strings.HasPrefix(text, `invalid character '\ufeff' at start`):
		return "a byte order mark"
	case strings.HasPrefix(text, "invalid character ',' at start"):
		return "a comma with no value before or after it"
	case text == "exceeded max depth":
		return "values nested too deep"
	}
	return text
}

// fault lists a fault at the value being read.
func (d *decoder) fault(format string, args ...any) {
	if d.faults.full() {
		d.faults.More++
		return
	}
	d.faults.add(d.at(), format, args...)
}

// at is the path of the value being read.
func (d *decoder) at() string {
	path := ""
	for _, s := range d.path {
		if s.index >= 0 {
			path += "[" + strconv.Itoa(s.index) + "]"
		} else {
			path = join(path, s.name)
		}
	}
	return path
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
	case *Bound:
		return d.number(f, func(x float64) { *target = ProvedBound(x) })
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

// structure reads an object into the fields of a struct, or a value of another kind into the field that is tagged as bare.
func (d *decoder) structure(v reflect.Value) error {
	fields := fieldsOf(v.Type())
	if d.json.PeekKind() != '{' {
		return d.shorthand(fields, v)
	}
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
			return d.value(f, v.FieldByIndex(f.index))
		}
		d.unknown(v.Type(), fields)
		if len(d.path) == 1 && isKind(name) && d.json.PeekKind() == '"' {
			return d.text(field{}, func(string) {})
		}
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

// unknown lists that a field is not among those of a struct. Only the first such message of a file names those.
func (d *decoder) unknown(t reflect.Type, fields []field) {
	if d.listed[t] {
		d.fault("unknown field; those of this object are listed above")
		return
	}
	d.fault("unknown field; expected one of %s", fieldNames(fields))
	d.listed[t] = true
}

// shorthand reads a value that is no object into the field of a struct that is tagged as bare: a text or a number.
func (d *decoder) shorthand(fields []field, v reflect.Value) error {
	for _, f := range fields {
		switch field := v.FieldByIndex(f.index); {
		case !f.bare:
		case field.Kind() != reflect.String && d.json.PeekKind() != '0':
			return d.wrongKind("a number or an object")
		case field.Kind() == reflect.String && d.json.PeekKind() != '"':
			return d.wrongKind("a text or an object")
		default:
			return d.value(f, field)
		}
	}
	return d.wrongKind("an object")
}

// fieldNames are fields by their names, put together only where a message needs them.
type fieldNames []field

// String lists the names.
func (fields fieldNames) String() string {
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
// elements takes no memory. A list of parameters may be one alone.
func (d *decoder) slice(f field, v reflect.Value) error {
	if d.json.PeekKind() != '[' && v.Type().Elem().Kind() == reflect.Interface {
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return d.anything(v.Index(0))
	}
	if d.json.PeekKind() != '[' {
		return d.wrongKind("an array")
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	// A long list is read in pieces and put together at the end. A slice that grows copies every element four times over.
	const piece = 4096
	var pieces []reflect.Value
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	scratch := reflect.New(v.Type().Elem()).Elem()
	for k := 0; d.json.PeekKind() != ']'; k++ {
		d.path = append(d.path, step{index: k})
		if err := d.count(v.Type().Elem()); err != nil {
			return err
		}
		scratch.SetZero()
		if err := d.value(f, scratch); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
		if d.faults.full() {
			continue
		}
		if v.Len() == piece {
			pieces = append(pieces, v.Slice(0, piece))
			v.Set(reflect.MakeSlice(v.Type(), 0, piece))
		}
		v.Set(reflect.Append(v, scratch))
	}
	if len(pieces) > 0 {
		whole := reflect.MakeSlice(v.Type(), 0, len(pieces)*piece+v.Len())
		for _, p := range append(pieces, v) {
			whole = reflect.AppendSlice(whole, p)
		}
		v.Set(whole)
	}
	_, err := d.json.ReadToken()
	return err
}

// mapping reads an object into a map.
func (d *decoder) mapping(f field, v reflect.Value) error {
	v.Set(reflect.MakeMap(v.Type()))
	scratch := reflect.New(v.Type().Elem()).Elem()
	return d.object(func(name string) error {
		if err := d.count(v.Type().Elem()); err != nil {
			return err
		}
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
