// Package params sets and documents parameters: the exported fields of a struct, whether it is a solver, a workload or an importer.
//
// The tag `doc` says what a field is, `enum` lists the values that a text may have (the first is the default) and `default` states a default that is not the
// zero value.
package params

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/allot-opt/allot/internal/suggest"
)

// Parameter documents one parameter.
type Parameter struct {
	Name    string   `json:"name"` // the field's name in snake_case
	Type    string   `json:"type"`
	Doc     string   `json:"doc"`              // tag `doc`
	Values  []string `json:"values,omitempty"` // tag `enum`: the values allowed; the first is the default
	Default string   `json:"default"`          // tag `default`, else the first of Values, else the zero value
}

// Composite is an algorithm that is put together of others, each with parameters of its own.
type Composite interface {
	Parts() []Part
}

// Part is one algorithm of a [Composite].
type Part struct {
	Name string // stands before the names of its parameters, as in name.parameter; empty: nothing does
	Of   any
}

// Of documents the parameters of what a pointer to a struct, or a [Composite], holds.
func Of(s any) []Parameter {
	var list []Parameter
	for _, f := range parameterFields(s) {
		list = append(list, f.Parameter)
	}
	return list
}

// parameterField is a parameter with the field that holds it.
type parameterField struct {
	Parameter
	value reflect.Value
	unset bool // the value is the default, or a zero that stands for it
	plain bool // a zero means zero: it does not stand for the default
}

// Defaulter is an algorithm that is made with its defaults filled in. A zero in a field of it means zero.
type Defaulter interface {
	Defaults() any // a pointer to a struct like the algorithm, with the defaults
}

// parameterFields lists the parameters of the parts of a composite, then the exported fields of the struct that s points to.
func parameterFields(s any) []parameterField {
	var list []parameterField
	if composite, ok := s.(Composite); ok {
		for _, part := range composite.Parts() {
			for _, f := range parameterFields(part.Of) {
				if part.Name != "" {
					f.Name = part.Name + "." + f.Name
				}
				list = append(list, f)
			}
		}
	}
	v := reflect.Indirect(reflect.ValueOf(s))
	if v.Kind() != reflect.Struct {
		return list
	}
	var filled reflect.Value
	if d, ok := s.(Defaulter); ok {
		filled = reflect.Indirect(reflect.ValueOf(d.Defaults()))
	}
	for k := range v.NumField() {
		field := v.Type().Field(k)
		if !field.IsExported() {
			continue
		}
		p := Parameter{Name: snakeCase(field.Name), Type: field.Type.String(), Doc: field.Tag.Get("doc"), Default: field.Tag.Get("default")}
		if values := field.Tag.Get("enum"); values != "" {
			p.Values = strings.Split(values, ",")
			p.Default = p.Values[0]
		}
		if p.Default == "" {
			p.Default = fmt.Sprint(reflect.Zero(field.Type).Interface())
		}
		f := parameterField{p, v.Field(k), v.Field(k).IsZero(), filled.IsValid()}
		if f.plain {
			f.Default, f.unset = fmt.Sprint(filled.Field(k).Interface()), filled.Field(k).Equal(v.Field(k))
		}
		list = append(list, f)
	}
	return list
}

// snakeCase turns MaxSteps into max_steps.
func snakeCase(name string) string {
	var b strings.Builder
	for k, r := range name {
		if unicode.IsUpper(r) {
			if k > 0 {
				b.WriteByte('_')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Stated are the parameters that differ from their defaults, by name, as a solution states them.
func Stated(s any) map[string]any {
	set := map[string]any{}
	for _, f := range parameterFields(s) {
		if f.unset {
			continue
		}
		switch f.value.Kind() {
		case reflect.Int, reflect.Int64:
			set[f.Name] = float64(f.value.Int())
		default:
			set[f.Name] = f.value.Interface()
		}
	}
	return set
}

// Checker can say what is wrong with its parameters, beyond their types.
type Checker interface {
	Check() error
}

// Check says what is wrong with the parameters of s, or of a part of it.
func Check(s any) error {
	if composite, ok := s.(Composite); ok {
		for _, part := range composite.Parts() {
			err := Check(part.Of)
			if err != nil && part.Name != "" {
				err = fmt.Errorf("%s: %w", part.Name, err)
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

// Set sets a parameter from text; where s is a [Checker] it refuses a value that the check does. In a chain a+b the name may
// be a.name, or the name alone, which sets it in every stage that has it.
func Set(s any, name, text string) error {
	found := false
	var known []string
	for _, f := range parameterFields(s) {
		known = append(known, f.Name)
		if f.Name == name || strings.HasSuffix(f.Name, "."+name) {
			found = true
			if err := f.set(text); err != nil {
				return fmt.Errorf("parameter %s: %w", f.Name, err)
			}
		}
	}
	switch {
	case found:
		if err := Check(s); err != nil {
			return fmt.Errorf("parameter %w", err)
		}
		return nil
	case len(known) == 0:
		return fmt.Errorf("unknown parameter %q: there are none", name)
	default:
		return fmt.Errorf("unknown parameter %q: expected one of %s%s", name, strings.Join(known, ", "), suggest.Words(name, known))
	}
}

// SetGiven is [Set] for what a user writes. In most solvers a zero stands for the default; whoever writes 0 where the default is another value means 0 and must
// not get that value instead.
func SetGiven(target any, name, text string) error {
	if err := Set(target, name, text); err != nil {
		return err
	}
	for _, p := range parameterFields(target) {
		stays := p.plain || p.Default == "" || p.Default == "0" || p.Default == "false"
		if p.Name == name && p.unset && !stays {
			return fmt.Errorf("parameter %s: expected a value other than %q, which stands for the default, %s", name, text, p.Default)
		}
	}
	return nil
}

// set parses the text into the field.
func (f *parameterField) set(text string) error {
	if f.Values != nil && !slices.Contains(f.Values, text) {
		return fmt.Errorf("expected one of %s, found %q", strings.Join(f.Values, ", "), text)
	}
	var err error
	switch f.value.Kind() {
	case reflect.String:
		f.value.SetString(text)
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		f.value.SetBool(b)
	case reflect.Int, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		f.value.SetInt(n)
	case reflect.Float64:
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		f.value.SetFloat(x)
	default:
		return fmt.Errorf("cannot be set from text")
	}
	if err != nil {
		return fmt.Errorf("expected a value of type %s, found %q", f.Type, text)
	}
	return nil
}

// Error says that a parameter is out of its range.
type Error struct {
	Name, Expected string
	Found          float64
}

// Error names the parameter.
func (e *Error) Error() string {
	return fmt.Sprintf("parameter %s: expected %s, found %v", e.Name, e.Expected, e.Found)
}
