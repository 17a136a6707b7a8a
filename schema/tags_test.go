package schema_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/allot-opt/allot/model"
)

// tagger adds what the tags `check` and `enum` of the wire types say to a schema that the reflector made of them.
type tagger struct {
	definitions jsonschema.Definitions
	done        map[reflect.Type]bool
	written     bool // allot only writes such values, so that a number without the tag check is any
}

// addTags completes the schema of the wire type t and those of all types that it holds.
func addTags(t reflect.Type, root *jsonschema.Schema, written bool) error {
	g := &tagger{root.Definitions, map[reflect.Type]bool{}, written}
	return g.structure(t, root)
}

// structure completes the schema of a struct.
func (g *tagger) structure(t reflect.Type, s *jsonschema.Schema) error {
	if g.done[t] {
		return nil
	}
	g.done[t] = true
	return g.fields(t, s)
}

// fields completes the schemas of the fields of a struct.
func (g *tagger) fields(t reflect.Type, s *jsonschema.Schema) error {
	for k := range t.NumField() {
		field := t.Field(k)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if field.Anonymous {
			if err := g.fields(field.Type, s); err != nil {
				return err
			}
			continue
		}
		property, ok := s.Properties.Get(name)
		if !ok {
			return fmt.Errorf("schema: %s.%s has no property %q", t, field.Name, name)
		}
		if err := g.value(field.Type, field.Tag, property); err != nil {
			return fmt.Errorf("schema: %s.%s: %w", t, field.Name, err)
		}
	}
	addRules(t, s)
	return nil
}

// value completes the schema of a field's value; lists and maps hand the tags on to their elements.
func (g *tagger) value(t reflect.Type, tag reflect.StructTag, s *jsonschema.Schema) error {
	if mapped(t) != nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.value(t.Elem(), tag, s)
	case reflect.Struct:
		return g.structure(t, g.definitions[definitionName(t)])
	case reflect.Slice:
		return g.value(t.Elem(), tag, s.Items)
	case reflect.Map:
		s.PropertyNames = length(1, longestName)
		if t.Elem().Kind() == reflect.Interface {
			s.AdditionalProperties = scalar()
			return nil
		}
		return g.value(t.Elem(), tag, s.AdditionalProperties)
	case reflect.String:
		return text(s, tag.Get("check"), tag.Get("enum"))
	case reflect.Bool:
		return nil
	case reflect.Uint64:
		s.Minimum, s.Maximum = number(0), number(uint64(math.MaxUint64))
		return nil
	default:
		var known bool
		if s.Minimum, s.Maximum, known = bounds(tag.Get("check")); !known && !g.written {
			return fmt.Errorf("no schema is known for a number with the tag check %q", tag.Get("check"))
		}
		return nil
	}
}

// The longest texts, as in package model, which counts bytes. No text has more characters than bytes, so that what is
// too long here is too long there.
const (
	longestName = 1000
	longestText = 100_000
	longestSet  = 1 << 20
)

// text completes the schema of a text.
func text(s *jsonschema.Schema, check, enum string) error {
	switch {
	case enum != "":
		for value := range strings.SplitSeq(enum, ",") {
			s.Enum = append(s.Enum, value)
		}
		return nil
	case check == "id":
		s.MinLength, s.MaxLength = new(uint64(1)), new(uint64(longestName))
	case check == "text":
		s.MinLength, s.MaxLength = new(uint64(1)), new(uint64(longestText))
	case check == "":
		s.MaxLength = new(uint64(longestText))
	default:
		return fmt.Errorf("no schema is known for a text with the tag check %q", check)
	}
	return nil
}

// bounds are the least and the largest number that the tag `check` allows; empty where any will do.
func bounds(check string) (least, most json.Number, known bool) {
	switch check {
	case "positive":
		return number(model.Smallest), number(model.Largest), true
	case "nonnegative":
		return number(0), number(model.Largest), true
	case "finite":
		return number(-model.Largest), number(model.Largest), true
	case "amount":
		return number(0), number(1e12), true
	case "count":
		return number(1), number(math.MaxInt32), true
	case "copies":
		return number(0), number(math.MaxInt32), true
	case "counter":
		return number(0), number(1 << 53), true
	case "time":
		return number(0), "", true
	case "figure": // JSON cannot write an infinity
		return "", "", true
	default:
		return "", "", false
	}
}

// number is a number as a schema writes it.
func number[T int | uint64 | float64](x T) json.Number { return json.Number(fmt.Sprint(x)) }

// length is the schema of a text with limits on its number of characters.
func length(least, most uint64) *jsonschema.Schema {
	return &jsonschema.Schema{MinLength: &least, MaxLength: &most}
}
