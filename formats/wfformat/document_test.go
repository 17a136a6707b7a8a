package wfformat

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/race"
)

// Documents are read as the library's decoder reads them: whatever stands where, the fields have the same values, or the first fault is at the same place.
func TestFillReadsAsTheLibrary(t *testing.T) {
	read, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := anyOf(t, reflect.TypeFor[document]())
		if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
			text = text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
		}
		var got, want document
		theirs := json.UnmarshalDecode(lines.NewJSON(strings.NewReader(text)).Decoder, &want)
		ours := fill(lines.NewJSON(strings.NewReader(text)), reflect.ValueOf(&got).Elem())
		if (ours == nil) != (theirs == nil) {
			t.Fatalf("%s: %v, the library says %v", text, ours, theirs)
		}
		if ours == nil {
			read++
			if d := cmp.Diff(deep(got), deep(want)); d != "" { // an empty list and none are the same to the reader
				t.Errorf("%s: %s", text, d)
			}
			return
		}
		refused++
		wrong, semantic := (*kindError)(nil), (*json.SemanticError)(nil)
		if errors.As(ours, &wrong) != errors.As(theirs, &semantic) {
			t.Fatalf("%s: %v, the library says %v", text, ours, theirs)
		}
		if wrong != nil && (wrong.at != semantic.JSONPointer || wrong.found != semantic.JSONKind || expected(wrong.goes) != expected(semantic.GoType)) {
			t.Errorf("%s: %s: %v, the library says %v", text, wrong.at, wrong, semantic)
		}
	})
	if enough := race.Enough(20); read < enough || refused < enough {
		t.Errorf("%d documents were read and %d refused", read, refused)
	}
}

// anyOf draws a value for a type, now and then of another kind.
func anyOf(t *rapid.T, of reflect.Type) string {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if rapid.IntRange(0, 60).Draw(t, "other") == 0 {
		return rapid.SampledFrom([]string{"null", "1", `"text"`, "true", "[]", "{}", "[1]", `{"a":1}`, "1e999", "-0.5e3", `[null,{}]`}).Draw(t, "value")
	}
	var parts []string
	switch of.Kind() {
	case reflect.Struct:
		for range rapid.IntRange(0, 6).Draw(t, "fields") {
			field := of.Field(rapid.IntRange(0, of.NumField()-1).Draw(t, "field"))
			name := field.Tag.Get("json")
			if rapid.IntRange(0, 9).Draw(t, "name") == 0 {
				name = rapid.SampledFrom([]string{"x", "", "Name", "ID", "\\u0069d"}).Draw(t, "unknown")
			}
			parts = append(parts, `"`+name+`": `+anyOf(t, field.Type))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case reflect.Slice:
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			parts = append(parts, anyOf(t, of.Elem()))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case reflect.String:
		return rapid.SampledFrom([]string{`"a"`, `""`, `"\u00e9\n"`, `"\ud83d\ude00"`}).Draw(t, "text")
	}
	return rapid.SampledFrom([]string{"0", "1", "2.5", "-1e-300", "123456789012345678"}).Draw(t, "number")
}

// deep is a value with what pointers point to in their place.
func deep(value any) any {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return deep(v.Elem().Interface())
	case reflect.Struct:
		var all []any
		for k := range v.NumField() {
			all = append(all, deep(v.Field(k).Interface()))
		}
		return all
	case reflect.Slice:
		var all []any
		for k := range v.Len() {
			all = append(all, deep(v.Index(k).Interface()))
		}
		return all
	}
	return value
}
