package model

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Largest and Smallest bound the magnitude of every number that is not zero, so that no product in a metric leaves the
// range of float64.
const (
	Largest  = 1e18
	Smallest = 1e-18
)

// MaxProcessors is the largest number of processors of all clusters together; the largest machines built have some 10⁷.
const MaxProcessors = 1 << 24

// checkNumber says what a number that is given should have been, by the tag `check`; empty: it is right.
func checkNumber(check string, x float64) string {
	switch check {
	case "positive":
		if !(x >= Smallest && x <= Largest) {
			return fmt.Sprintf("expected a number in [%g, %g], found %v", Smallest, Largest, x)
		}
	case "nonnegative":
		if !(x == 0 || x >= Smallest && x <= Largest) {
			return fmt.Sprintf("expected 0 or a number in [%g, %g], found %v", Smallest, Largest, x)
		}
	case "finite":
		if a := math.Abs(x); !(a == 0 || a >= Smallest && a <= Largest) {
			return fmt.Sprintf("expected 0 or a number of magnitude in [%g, %g], found %v", Smallest, Largest, x)
		}
	case "count":
		if !(x >= 1 && x <= math.MaxInt32 && x == math.Trunc(x)) {
			return fmt.Sprintf("expected a whole number in [1, %d], found %v", math.MaxInt32, x)
		}
	case "copies":
		if !(x >= 0 && x <= math.MaxInt32 && x == math.Trunc(x)) {
			return fmt.Sprintf("expected a whole number in [0, %d], found %v", math.MaxInt32, x)
		}
	case "amount":
		if _, ok := amountOf(x); !ok {
			return fmt.Sprintf("expected 0 or a number in [1e-06, 1e+12] with at most six decimals, found %v", x)
		}
	case "counter":
		if !(x >= 0 && x <= 1<<53 && x == math.Trunc(x)) {
			return fmt.Sprintf("expected a whole number in [0, 2^53], found %v", x)
		}
	case "time":
		if !(x >= 0 && x <= math.MaxFloat64) {
			return fmt.Sprintf("expected a finite number of at least 0, found %v", x)
		}
	case "figure":
		if !(math.Abs(x) <= math.MaxFloat64) {
			return fmt.Sprintf("expected a finite number, found %v", x)
		}
	}
	return ""
}

// maxText is the most bytes of any text, so that it can be read back however it is escaped: \u00xx takes six bytes.
const maxText = 100_000

// maxSetText is the most bytes of a set of processors as text, just what one token may have: some 150,000 runs.
const maxSetText = maxToken

// checkText says what a text that is given should have been, by the tags `check` and `enum`.
func checkText(f field, text string) string {
	switch {
	case f.check == "id":
		return checkLength("text", text, 1, MaxName)
	case f.check == "set":
		return checkLength("text", text, 0, maxSetText)
	case f.check == "text":
		return checkLength("text", text, 1, maxText)
	case f.enum != nil && !slices.Contains(f.enum, text):
		return fmt.Sprintf("expected one of %s, found %q", strings.Join(f.enum, ", "), clip(text))
	}
	return checkLength("text", text, 0, maxText)
}

// MaxName is the longest id or name, in bytes.
const MaxName = 1000

// checkName says what a name in a map of name → value should have been.
func checkName(name string) string { return checkLength("name", name, 1, MaxName) }

// checkLength says whether a text is UTF-8 and of an allowed length.
func checkLength(what, text string, least, most int) string {
	if len(text) < least || len(text) > most {
		return fmt.Sprintf("expected a %s of %d to %d bytes, found %d bytes", what, least, most, len(text))
	}
	if !utf8.ValidString(text) {
		return fmt.Sprintf("expected a %s in UTF-8, found %q", what, clip(text))
	}
	return ""
}

// checkSpec checks every value of a wire type that a program filled in against the tags. Zero values of fields that are
// not pointers are absent.
func checkSpec(e *InputError, path string, f field, v reflect.Value) {
	if v.Type() == reflect.TypeFor[ProcessorRange]() {
		checkRange(e, path, v.Interface().(ProcessorRange))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			checkSpec(e, path, f, v.Elem())
		}
	case reflect.Struct:
		for _, sub := range fieldsOf(v.Type()) {
			value := v.FieldByIndex(sub.index)
			if sub.required || !value.IsZero() {
				checkSpec(e, join(path, sub.name), sub, value)
			}
		}
	case reflect.Slice:
		for k := range v.Len() {
			checkSpec(e, fmt.Sprintf("%s[%d]", path, k), f, v.Index(k))
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			if wrong := checkName(key); wrong != "" {
				e.add(join(path, key), "%s", wrong)
			}
			checkSpec(e, join(path, key), f, v.MapIndex(reflect.ValueOf(key)))
		}
	case reflect.Float64:
		if wrong := checkNumber(f.check, v.Float()); wrong != "" {
			e.add(path, "%s", wrong)
		}
	case reflect.Int:
		if wrong := checkNumber(f.check, float64(v.Int())); wrong != "" {
			e.add(path, "%s", wrong)
		}
	case reflect.String:
		if wrong := checkText(f, v.String()); wrong != "" {
			e.add(path, "%s", wrong)
		}
	}
}

// checkRange checks a job's number of processors; the zero range is absent.
func checkRange(e *InputError, path string, r ProcessorRange) {
	for _, bound := range []struct {
		name string
		n    int
	}{{"min", r.Min}, {"max", r.Max}} {
		if wrong := checkNumber("count", float64(bound.n)); wrong != "" {
			e.add(join(path, bound.name), "%s", wrong)
			return
		}
	}
	if r.Min > r.Max {
		e.add(path, "expected min ≤ max, found min %d and max %d", r.Min, r.Max)
	}
}

// sortedKeys are the keys of a map with texts as keys, sorted.
func sortedKeys(v reflect.Value) []string {
	keys := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return keys
}

// join is the path of a field inside the value at path. A name that is no plain word is quoted: runtime["c 1"].
func join(path, name string) string {
	if !plainWord(name) {
		return fmt.Sprintf("%s[%q]", path, clip(name))
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// plainWord says whether a name reads well after a dot.
func plainWord(name string) bool {
	if name == "" || len(name) > 60 {
		return false
	}
	for _, r := range name {
		if !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return false
		}
	}
	return true
}
