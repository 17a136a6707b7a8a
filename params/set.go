package params

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/suggest"
)

// Error says that a parameter has a value that is not allowed.
type Error struct {
	Name     string // the parameter; in a chain stage.parameter
	Expected string
	Found    any // a number or a text

	values []string // the texts allowed, of which one may have been meant
}

// Error names the parameter.
func (e *Error) Error() string { return "parameter " + e.Name + ": " + e.Fault() }

// Fault is the message without the parameter's name. Callers use it that name the parameter by a flag or by a place in a file.
func (e *Error) Fault() string {
	text, _ := e.Found.(string)
	return fmt.Sprintf("expected %s, found %s%s", e.Expected, found(e.Found), suggest.Words(text, e.values))
}

// found formats a value for a message: a text in quotes, anything else as a user writes it.
func found(value any) string {
	v := reflect.ValueOf(value)
	switch {
	case !v.IsValid():
		return "none"
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	}
	return textOf(v)
}

// Checker is a struct that checks its parameters together. It finds faults that the range of each parameter cannot, such as a minimum above the
// maximum. Its error is an [*Error].
type Checker interface {
	Check() error
}

// Check returns an error if a parameter of s, or of one of its parts, has a value that the tags or the [Checker] do not allow.
func Check(s any) error {
	for _, f := range fieldsOf(s) {
		if err := f.check(); err != nil {
			return err
		}
	}
	return checkers(s)
}

// checkers calls Check on s and on those of its parts that are a [Checker].
func checkers(s any) error {
	if composite, ok := s.(Composite); ok {
		for _, part := range composite.Parts() {
			err := checkers(part.Of)
			if wrong := (*Error)(nil); part.Name != "" && errors.As(err, &wrong) {
				err = &Error{part.Name + "." + wrong.Name, wrong.Expected, wrong.Found, wrong.values}
			}
			if err != nil {
				return err
			}
		}
	}
	if c, ok := s.(Checker); ok {
		return c.Check()
	}
	return nil
}

// Set sets a parameter from text. It refuses a value that the tags do not allow. In a chain a+b the name a.x sets x of stage a; the name x alone
// sets it in every stage that has it.
func Set(s any, name, text string) error {
	set := false
	var known []string
	for _, f := range fieldsOf(s) {
		known = append(known, f.Name)
		if f.Name != name && !strings.HasSuffix(f.Name, "."+name) {
			continue
		}
		set = true
		if err := f.set(text); err != nil {
			return err
		}
	}
	switch {
	case set:
		return nil
	case len(known) == 0:
		return fmt.Errorf("unknown parameter %q: there are none", name)
	}
	return fmt.Errorf("unknown parameter %q: expected one of %s%s", name, strings.Join(known, ", "), suggest.Words(name, known))
}

// set parses the text into the field. If it refuses the text, the field keeps its value.
func (f *field) set(text string) error {
	kind := f.value.Type()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	parsed := reflect.New(kind).Elem()
	var err error
	switch {
	case !f.value.CanSet():
		return fmt.Errorf("parameter %s cannot be set: expected a pointer to what has it", f.Name)
	case kind.Kind() == reflect.String:
		parsed.SetString(text)
	case kind.Kind() == reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		parsed.SetBool(b)
	case parsed.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 10, kind.Bits())
		parsed.SetInt(n)
	case parsed.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 10, kind.Bits())
		parsed.SetUint(n)
	case parsed.CanFloat():
		var x float64
		x, err = strconv.ParseFloat(text, kind.Bits())
		parsed.SetFloat(x)
	}
	if err != nil {
		return &Error{Name: f.Name, Expected: f.expected(kind), Found: text}
	}
	if f.value.Kind() == reflect.Pointer {
		pointer := reflect.New(kind)
		pointer.Elem().Set(parsed)
		parsed = pointer
	}
	if err := (&field{Parameter: f.Parameter, value: parsed}).check(); err != nil {
		return err
	}
	f.value.Set(parsed)
	return nil
}

// expected describes the texts that stand for a value of the kind.
func (f *field) expected(kind reflect.Type) string {
	value := reflect.New(kind).Elem()
	switch {
	case kind.Kind() == reflect.Bool:
		return "true or false"
	case f.Range != nil:
		return f.numbers(f.Range)
	case value.CanInt():
		most := int64(math.MaxInt64) >> (64 - kind.Bits())
		return fmt.Sprintf("a whole number from %d to %d", -most-1, most)
	case value.CanUint():
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-kind.Bits()))
	}
	return f.numbers(everything)
}

// check returns an error if the tags do not allow the value.
func (f *field) check() error {
	interval := f.Range
	if interval == nil {
		interval = everything
	}
	switch value := f.stated().(type) {
	case string:
		if text, checks := f.value.Interface().(expecter); checks {
			if expected := text.Expected(); expected != "" {
				return &Error{Name: f.Name, Expected: expected, Found: value}
			}
		}
		if f.Values != nil && !slices.Contains(f.Values, value) && !(value == "" && f.zero != "") {
			return &Error{Name: f.Name, Expected: "one of " + strings.Join(f.Values, ", "), Found: value, values: f.Values}
		}
	case float64:
		if !interval.Contains(value) {
			return &Error{Name: f.Name, Expected: f.numbers(interval), Found: f.value.Interface()}
		}
	}
	return nil
}

// numbers describes the numbers that are allowed.
func (f *field) numbers(r *Range) string {
	noun := "a number "
	switch {
	case strings.HasPrefix(f.Type, "int") || strings.HasPrefix(f.Type, "uint"):
		noun = "a whole number "
	case r == everything:
		return "a finite number"
	case math.IsInf(r.Low, -1) || math.IsInf(r.High, 1):
		noun = "a finite number "
	}
	words := r.words()
	if strings.HasPrefix(words, "at ") {
		words = "of " + words
	}
	return noun + words
}
