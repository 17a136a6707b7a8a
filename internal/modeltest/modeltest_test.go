package modeltest_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

func TestInstanceAsksForNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wanted := model.Features(rapid.Uint32Range(0, uint32(modeltest.AllFeatures)).Draw(t, "features"))
		if rapid.Bool().Draw(t, "nodes") {
			wanted |= model.Features(rapid.Uint32().Draw(t, "of nodes")) & modeltest.NodeFeatures
		}
		if rapid.Bool().Draw(t, "power") {
			wanted |= model.Features(rapid.Uint32().Draw(t, "of power")) & modeltest.PowerFeatures
		}
		if more := modeltest.Instance(t, wanted).Features() &^ wanted; more != 0 {
			t.Fatalf("asks for %s besides %s", more, wanted)
		}
	})
}

// Thousands of draws show every field and every feature there is; a new field that the generator forgets fails here.
func TestEveryFieldAndFeatureOccurs(t *testing.T) {
	seen, features := map[string]bool{}, model.Features(0)
	const all = modeltest.AllFeatures | modeltest.NodeFeatures | modeltest.PowerFeatures | model.NodesBeside
	specs := rapid.Custom(func(t *rapid.T) model.InstanceSpec {
		return modeltest.Generator{Features: all}.Spec(t)
	})
	for seed := range 2000 {
		spec := specs.Example(seed)
		note(seen, "", reflect.ValueOf(spec))
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		features |= in.Features()
	}
	if missing := all &^ features; missing != 0 {
		t.Errorf("never asked for: %s", missing)
	}
	if last := ((all | model.Commitments) + 1).String(); last != "" {
		t.Errorf("AllFeatures, NodeFeatures and PowerFeatures lack %s", last)
	}
	want := map[string]bool{}
	wireFields(want, "", reflect.TypeFor[model.InstanceSpec]())
	for path := range want {
		if !seen[path] {
			t.Errorf("never given: %s", path)
		}
	}
}

// note notes the fields of a value that are given.
func note(seen map[string]bool, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			note(seen, path, v.Elem())
		}
	case reflect.Slice:
		for k := range v.Len() {
			note(seen, path, v.Index(k))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[model.Range]() {
			return
		}
		for k := range v.NumField() {
			field := path + "." + jsonName(v.Type().Field(k))
			seen[field] = seen[field] || !v.Field(k).IsZero()
			note(seen, field, v.Field(k))
		}
	}
}

// wireFields lists the fields of a type.
func wireFields(want map[string]bool, path string, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		wireFields(want, path, t.Elem())
	case reflect.Struct:
		if t == reflect.TypeFor[model.Range]() {
			return
		}
		for k := range t.NumField() {
			field := path + "." + jsonName(t.Field(k))
			want[field] = true
			wireFields(want, field, t.Field(k).Type)
		}
	}
}

// jsonName is the name of a field in the file.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
