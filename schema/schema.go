// Package schema has the JSON Schemas (draft 2020-12) of the file formats, of allot advise's answer and of the lines of an on-line policy. A test makes them of the wire types of
// packages model, proof, advise and online and of their struct tags, so the schemas agree with the readers: `go test ./schema -update` rewrites them.
//
// A schema describes one value at a time. It leaves to the reader the rules that connect values: that ids are unique,
// that names refer to something, that `after` has no cycle and that min ≤ max. The reader is also a little stricter at
// limits that no real file reaches: lengths of texts count bytes there and characters here; a number that is not 0 has
// a magnitude of at least 1e-18; a number fits float64; and of a text that names processors only the form is described.
//
// In one thing the schema is narrower than the reader: the metrics of a solution are those that there are, each a number
// or an object of cluster → number as it should be. The reader takes any, and model.Check reports them.
package schema

import (
	"embed"
	"io/fs"
	"strings"
)

// files holds one file a schema, NAME.schema.json.
//
//go:embed *.schema.json
var files embed.FS

const ending = ".schema.json"

// Names lists the schemas in the order of the alphabet: instance, solution and proof are files; advice is what allot advise --json writes; online-header, online-event and online-answer are lines
// that a program on the other side of an on-line policy reads and writes.
func Names() []string {
	paths, _ := fs.Glob(files, "*"+ending) // the pattern is well formed
	for k := range paths {
		paths[k] = strings.TrimSuffix(paths[k], ending)
	}
	return paths
}

// Text returns the schema of that name, indented, and whether there is one.
func Text(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ending)
	return text, err == nil
}
