package allot_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/model"
)

// formatsMarkdown makes the table of the foreign formats in docs/reference/formats.md from their registry.
func formatsMarkdown() string {
	var b strings.Builder
	b.WriteString("| command | format |\n| --- | --- |\n")
	for _, info := range formats.All() {
		fmt.Fprintf(&b, "| `allot import %s` | %s |\n", info.Name, info.Doc)
	}
	for _, w := range formats.Writers() {
		fmt.Fprintf(&b, "| `allot export %s` | %s |\n", w.Name, w.Doc)
	}
	return b.String()
}

// fieldsMarkdown makes the table of the fields of a file in docs/reference/formats.md from the tags of its wire type.
func fieldsMarkdown(file reflect.Type) string {
	var b strings.Builder
	b.WriteString("| field | value | meaning |\n| --- | --- | --- |\n")
	writeFields(&b, "", file, map[reflect.Type]string{})
	return b.String()
}

// writeFields writes a row for each field, and below it the fields of the objects that it holds. A type that returns refers to its first rows.
func writeFields(b *strings.Builder, prefix string, t reflect.Type, written map[reflect.Type]string) {
	for k := range t.NumField() {
		f := t.Field(k)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := valueText(f.Type, f.Tag)
		isObject := strings.HasSuffix(value, "object")
		if options == "" {
			value += "; required"
		}
		inner, below := f.Type, prefix+name
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				below += "[]"
			}
			inner = inner.Elem()
		}
		first, again := written[inner]
		if isObject && again {
			value += ", as `" + first + "`"
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, name, value, f.Tag.Get("doc"))
		if isObject && !again {
			written[inner] = below
			writeFields(b, below+".", inner, written)
		}
	}
}

// checkText says what the tag `check` allows, see package model.
var checkText = map[string]string{
	"positive": "number > 0", "nonnegative": "number ≥ 0", "finite": "number", "figure": "number", "time": "number ≥ 0",
	"count": "whole number ≥ 1", "copies": "whole number ≥ 0", "counter": "whole number ≥ 0",
}

// valueText says what the value of a field is.
func valueText(t reflect.Type, tag reflect.StructTag) string {
	switch t {
	case reflect.TypeFor[model.ProcessorRange]():
		return "whole number ≥ 1, or {min, max} of two such numbers"
	case reflect.TypeFor[model.ProcessorSet]():
		return "processors, such as \"0-3,7\""
	case reflect.TypeFor[model.Metrics]():
		return "metric → number, or → (cluster → number)"
	case reflect.TypeFor[model.Bound]():
		return "number"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return valueText(t.Elem(), tag)
	case reflect.Slice:
		return "list: " + valueText(t.Elem(), tag)
	case reflect.Map:
		return "name → " + valueText(t.Elem(), tag)
	case reflect.Struct:
		return "object"
	case reflect.Bool:
		return "true or false"
	case reflect.Interface:
		return "any"
	}
	if enum := tag.Get("enum"); enum != "" {
		return strings.ReplaceAll(enum, ",", ", ")
	}
	if text := checkText[tag.Get("check")]; text != "" {
		return text
	}
	if t.Kind() == reflect.String {
		return "text"
	}
	return "whole number ≥ 0"
}
