package schema_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/schema"
)

var update = flag.Bool("update", false, "rewrite the schemas")

const (
	smallGrid    = "../examples/small-grid.json"
	fullSolution = "testdata/solution-full.json"
)

// format is one of the two file formats: its schema, and its reader.
type format struct {
	schema *jsonschema.Schema
	read   func(text []byte) error
}

// instances and solutions are the two formats.
func instances(t testing.TB) format {
	return format{compile(t, "instance"), func(text []byte) error {
		_, err := model.ReadInstance(bytes.NewReader(text), "test.json")
		return err
	}}
}

func solutions(t testing.TB) format {
	return format{compile(t, "solution"), func(text []byte) error {
		_, err := model.ReadSolution(bytes.NewReader(text), "test.json")
		return err
	}}
}

// compile compiles a schema, which validates it against the metaschema of its draft.
func compile(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schema.Text(name)
	if !ok {
		t.Fatalf("no schema %s", name)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", parse(t, text)); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if compiled.DraftVersion != 2020 {
		t.Fatalf("draft %d, expected 2020-12", compiled.DraftVersion)
	}
	return compiled
}

// parse reads JSON into a tree with exact numbers.
func parse(t testing.TB, text []byte) any {
	t.Helper()
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// readFile reads a file.
func readFile(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The schemas are those of the wire types.
func TestGolden(t *testing.T) {
	if names := slices.Sorted(maps.Keys(generators)); !slices.Equal(schema.Names(), names) && !*update {
		t.Errorf("the schemas are %q, expected %q", schema.Names(), names)
	}
	for name, generate := range generators {
		file := name + ".schema.json"
		text, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		for range 10 { // a map in the generator would show
			if again, _ := generate(); !bytes.Equal(again, text) {
				t.Fatalf("%s: other bytes the second time", file)
			}
		}
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		found, _ := schema.Text(name)
		if diff := cmp.Diff(string(found), string(text)); diff != "" {
			t.Errorf("%s (rewrite it with -update):\n%s", file, diff)
		}
	}
	if text, ok := schema.Text("batch"); ok {
		t.Errorf("a schema that there is none of: %s", text)
	}
}

// The example of a certificate satisfies its schema, and one without an instance does not.
func TestExampleOfAProof(t *testing.T) {
	s, text := compile(t, "proof"), readFile(t, "../examples/proof/certificate.json")
	if err := s.Validate(parse(t, text)); err != nil {
		t.Error(err)
	}
	if s.Validate(parse(t, bytes.Replace(text, []byte("instance_sha256"), []byte("instance"), 1))) == nil {
		t.Error("a certificate without the SHA-256 of its instance is valid")
	}
}

// What the reader takes and what the writer writes satisfies the schema.
func TestExamples(t *testing.T) {
	valid := func(f format, name string, text []byte) {
		t.Helper()
		if err := f.schema.Validate(parse(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := instances(t)
	files, err := filepath.Glob("../examples/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		if filepath.Base(file) == "job.json" { // a job, not an instance
			continue
		}
		valid(f, file, readFile(t, file))
		in, err := model.ReadInstanceFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := model.WriteInstance(&written, in); err != nil {
			t.Fatal(err)
		}
		valid(f, file+" written", written.Bytes())
	}
	f = solutions(t)
	valid(f, fullSolution, readFile(t, fullSolution))
	sol, err := model.ReadSolutionFile(fullSolution)
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := model.WriteSolution(&written, sol); err != nil {
		t.Fatal(err)
	}
	valid(f, fullSolution+" written", written.Bytes())
}

// The schema has a description for every property, so that an editor can show it.
func TestDescriptions(t *testing.T) {
	for _, name := range []string{"instance", "solution"} {
		text, _ := schema.Text(name)
		properties := 0
		var visit func(path string, node any)
		visit = func(path string, node any) {
			object, _ := node.(map[string]any)
			if members, ok := object["properties"].(map[string]any); ok {
				for name, property := range members {
					p := property.(map[string]any)
					if properties++; p["description"] == nil && !strings.Contains(path, "anyOf") {
						t.Errorf("%s.%s has no description", path, name)
					}
				}
			}
			for name, member := range object {
				visit(path+"."+name, member)
			}
		}
		visit("", parse(t, text))
		if properties < 25 {
			t.Errorf("%d properties only", properties)
		}
	}
}
