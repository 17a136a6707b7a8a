package serve

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the OpenAPI document")

// The document that clients generate their types of is the one that the service gives.
func TestOpenAPI(t *testing.T) {
	const file = "testdata/openapi.json"
	if *update {
		if err := os.WriteFile(file, openAPI(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(kept, openAPI()) {
		t.Errorf("%s is not current (%v): go test ./serve -update", file, err)
	}
}

// Every operation has its path, every reference leads somewhere, and every parameter has a description.
func TestOpenAPIIsWhole(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(openAPI(), &root); err != nil {
		t.Fatal(err)
	}
	for _, o := range operations() {
		item, _ := root["paths"].(map[string]any)["/v1/"+o.Name].(map[string]any)
		if item == nil {
			t.Fatalf("%s has no path", o.Name)
		}
		body := item["post"].(map[string]any)["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
		properties := body["properties"].(map[string]any)
		for _, name := range o.names() {
			if p, _ := properties[name].(map[string]any); p == nil || p["description"] == nil {
				t.Errorf("%s: the parameter %s has no description", o.Name, name)
			}
		}
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["$id"] != nil {
				t.Errorf("%v has a name of its own, below which references lead elsewhere", v["$id"])
			}
			if to, ok := v["$ref"].(string); ok {
				at := any(root)
				for _, name := range strings.Split(to, "/")[1:] {
					below, _ := at.(map[string]any)
					at = below[name]
				}
				if at == nil {
					t.Errorf("%s leads nowhere", to)
				}
			}
			for _, k := range slices.Sorted(mapKeys(v)) {
				walk(v[k])
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(root)
}

func mapKeys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
