// Package params sets, checks and documents parameters. A parameter is an exported field of a struct; the struct may be a solver, a workload or
// an importer. Flags, suite files, help texts and tables all use this package, so that they agree on names, limits and defaults.
//
// The function that makes such a struct fills in the defaults, as New of a solver's Info does. The defaults are read from that value; no other
// place states them. In every field a zero means zero. Tags document the rest:
//
//	doc    what the parameter is
//	enum   the values that a text may have, separated by commas
//	range  the interval that a number must be in, such as "[0, 1]", "(0, 1]" or "[1, inf)"; without this tag any finite number is allowed
//	zero   the word to show for a zero, an empty text or a nil pointer that has a meaning of its own, such as "all" for a limit that does not limit
//	vary   the interval in which a search for good values looks, within the range, such as "[1, 256]", or "[1, 256] log" where factors count and not differences; "[60, 3600] log step 60" looks at multiples of 60 only
//	when   the values of another parameter that make this one matter, such as "order=f1,multifactor"
//
// A text whose values a registry knows has a type of its own with a method Values() []string, which lists them, and no tag `enum`. A length of time is a
// [Time].
//
// A field is a text, a truth value, a whole number, a number, or a pointer to one of them. A nil pointer means that the parameter has no value. The
// fields of an embedded struct are parameters too. A field of any other type, such as a function, a list or a struct with a name, is no parameter.
package params

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Parameter documents one parameter.
type Parameter struct {
	Name    string   `json:"name"` // the field's name in snake_case
	Type    string   `json:"type"`
	Doc     string   `json:"doc"`              // tag `doc`
	Values  []string `json:"values,omitempty"` // tag `enum` or method Values: the values allowed
	Range   *Range   `json:"range,omitempty"`  // tag `range`: the numbers allowed; nil: all finite ones
	Default string   `json:"default"`          // the value, or what the tag `zero` calls it
	Vary    *Vary    `json:"vary,omitempty"`   // tag `vary`: where a search for good values looks; nil: nobody has said
	When    *When    `json:"when,omitempty"`   // tag `when`; nil: the parameter always matters
}

// Usage describes the parameter and the numbers that it takes in one line of help.
func (p *Parameter) Usage() string {
	if p.Range == nil {
		return p.Doc
	}
	return p.Doc + "; " + p.Range.words()
}

// Composite is an algorithm made of other algorithms, each with its own parameters.
type Composite interface {
	Parts() []Part
}

// Part is one algorithm of a [Composite].
type Part struct {
	Name string // prefix of the parameters' names, as in name.parameter; empty: no prefix
	Of   any
}

// Of documents the parameters of a pointer to a struct, or of a [Composite]. It states the current values as the defaults, so pass a value
// that was just made.
func Of(defaults any) []Parameter {
	var list []Parameter
	for _, f := range fieldsOf(defaults) {
		if f.Default = f.zero; f.zero == "" || !f.value.IsZero() {
			f.Default = textOf(f.value)
		}
		f.Values = slices.Clone(f.Values) // the caller may change its copy
		list = append(list, f.Parameter)
	}
	return list
}

// Stated returns the parameters of s that differ from the defaults, by name, in the form in which a solution states them. A parameter that the
// defaults do not have is returned if it is not zero.
func Stated(s, defaults any) map[string]any {
	set := map[string]any{}
	rest := fieldsOf(defaults)
	for _, f := range fieldsOf(s) {
		k := slices.IndexFunc(rest, func(d field) bool { return d.Name == f.Name })
		same := f.value.IsZero()
		if k >= 0 { // a chain may have the same solver twice, so each default is used once
			same = reflect.DeepEqual(f.stated(), rest[k].stated())
			rest = slices.Delete(rest, k, k+1)
		}
		if !same {
			set[f.Name] = f.stated()
		}
	}
	return set
}

// field is a parameter together with the struct field that holds its value.
type field struct {
	Parameter        // without Default
	zero      string // tag `zero`
	index     []int  // of the field in its struct
	value     reflect.Value
	listed    bool // the value is a lister
}

// lister is a text that lists its values.
type lister interface{ Values() []string }

// fieldsOf lists the parameters of the parts of a composite, then those of the struct that s points to.
func fieldsOf(s any) []field {
	var list []field
	if composite, ok := s.(Composite); ok {
		for _, part := range composite.Parts() {
			for _, f := range fieldsOf(part.Of) {
				if part.Name != "" {
					f.Name = part.Name + "." + f.Name
					if f.When != nil {
						f.When = &When{Name: part.Name + "." + f.When.Name, Values: f.When.Values}
					}
				}
				list = append(list, f)
			}
		}
	}
	return append(list, structFields(reflect.Indirect(reflect.ValueOf(s)))...)
}

// structFields lists the exported fields of a struct. For a value of any other kind the list is empty.
func structFields(v reflect.Value) []field {
	if v.Kind() != reflect.Struct {
		return nil
	}
	known, ok := documented.Load(v.Type())
	if !ok {
		known, _ = documented.LoadOrStore(v.Type(), readTags(v.Type(), nil))
	}
	list := slices.Clone(known.([]field))
	for k := range list {
		list[k].value = v.FieldByIndex(list[k].index)
		if list[k].listed { // anew, as a registry may have grown
			list[k].Values = list[k].value.Interface().(lister).Values()
		}
	}
	return list
}

// documented caches the fields of each struct type, without values. Rolling use makes many short runs; the cache makes them read the tags once.
var documented sync.Map

// readTags lists the exported fields of a struct type. The index says where the struct is embedded in an outer struct.
func readTags(t reflect.Type, index []int) []field {
	var list []field
	for k := range t.NumField() {
		f := t.Field(k)
		at := append(slices.Clone(index), k)
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			list = append(list, readTags(f.Type, at)...)
		case f.IsExported() && isParameter(f.Type):
			list = append(list, newField(f, at))
		}
	}
	return list
}

// isParameter says whether a field of type t is a parameter.
func isParameter(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	v := reflect.Zero(t)
	return t.Kind() == reflect.String || t.Kind() == reflect.Bool || v.CanInt() || v.CanUint() || v.CanFloat()
}

// newField reads the tags of one field. A range that cannot be read is a bug in the program and panics.
func newField(f reflect.StructField, index []int) field {
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	p := Parameter{Name: snakeCase(f.Name), Type: kind.Kind().String(), Doc: f.Tag.Get("doc")}
	if values := f.Tag.Get("enum"); values != "" {
		p.Values = strings.Split(values, ",")
	}
	if text := f.Tag.Get("range"); text != "" {
		p.Range = new(Range)
		if err := p.Range.UnmarshalText([]byte(text)); err != nil {
			panic(fmt.Sprintf("params: %s: %v", f.Name, err))
		}
	}
	if text := f.Tag.Get("vary"); text != "" {
		p.Vary = new(Vary)
		if err := p.Vary.UnmarshalText([]byte(text)); err != nil {
			panic(fmt.Sprintf("params: %s: %v", f.Name, err))
		}
	}
	if text := f.Tag.Get("when"); text != "" {
		name, values, ok := strings.Cut(text, "=")
		if !ok {
			panic(fmt.Sprintf("params: %s: expected when:\"name=value,value\", found %q", f.Name, text))
		}
		p.When = &When{Name: name, Values: strings.Split(values, ",")}
	}
	return field{Parameter: p, zero: f.Tag.Get("zero"), index: index, listed: f.Type.Implements(reflect.TypeFor[lister]())}
}

// stated returns the value as JSON holds it: a number is a float64, a nil pointer is nil.
func (f *field) stated() any {
	v := f.value
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	case v.Kind() == reflect.String:
		return v.String()
	}
	return v.Bool()
}

// textOf formats a value as a user writes it.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "none"
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Float64:
		return number(v.Float())
	case v.Kind() == reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10) // a type of its own may print itself otherwise than it is set
	}
	return fmt.Sprint(v.Interface())
}

// number formats a number as people write it: 1000000 and 1e-6, where fmt writes 1e+06 and 1e-06.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	mantissa, exponent, ok := strings.Cut(text, "e")
	if !ok {
		return text
	}
	sign := strings.TrimSuffix(exponent[:1], "+")
	return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}

// snakeCase turns MaxSteps into max_steps and MaxCPUTime into max_cpu_time.
func snakeCase(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for k, r := range runes {
		if unicode.IsUpper(r) && k > 0 {
			insideWord := unicode.IsUpper(runes[k-1]) && (k+1 == len(runes) || !unicode.IsLower(runes[k+1]))
			if !insideWord {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
