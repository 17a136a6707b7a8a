// Package schema generates the JSON Schemas (draft 2020-12) of the file formats and of the lines of an on-line policy. It generates them from the
// wire types of packages model, proof and online and their struct tags, so the schemas agree with the readers. It is a separate package so that users
// of package model do not depend on the generator.
//
// A schema describes one value at a time. It leaves to the reader the rules that connect values: that ids are unique,
// that names refer to something, that `after` has no cycle and that min ≤ max. The reader is also a little stricter at
// limits that no real file reaches: lengths of texts count bytes there and characters here; a number that is not 0 has
// a magnitude of at least 1e-18; a number fits float64; and of a text that names processors only the form is described.
//
// In one thing the schema is narrower than the reader: the metrics of a solution are those that there are, each a number
// or an object of cluster → number as it should be. The reader takes any, and [model.Check] reports them.
package schema

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/allot-opt/allot/internal/online"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Instance is the JSON Schema of an instance file, indented; always the same bytes.
func Instance() ([]byte, error) {
	return generate(model.InstanceSchema, "Instance: jobs to be allocated to clusters", reflect.TypeFor[model.InstanceSpec]())
}

// Solution is the JSON Schema of a solution file, indented; always the same bytes.
func Solution() ([]byte, error) {
	return generate(model.SolutionSchema, "Solution: where and when each job runs", reflect.TypeFor[model.Solution]())
}

// Proof is the JSON Schema of a certificate, see package proof.
func Proof() ([]byte, error) {
	return generate(proof.Schema, "Proof: the certificate of a lower bound", reflect.TypeFor[proof.Certificate]())
}

// OnlineHeader is the JSON Schema of the first line that an on-line policy reads, see package online. These lines have no field "schema".
func OnlineHeader() ([]byte, error) {
	return generate(online.Format+"/header", "Header: the first line that an on-line policy reads", reflect.TypeFor[online.Header]())
}

// OnlineEvent is the JSON Schema of an event.
func OnlineEvent() ([]byte, error) {
	return generate(online.Format+"/event", "Event: a line that an on-line policy answers", reflect.TypeFor[online.Event]())
}

// OnlineAnswer is the JSON Schema of an answer.
func OnlineAnswer() ([]byte, error) {
	return generate(online.Format+"/answer", "Answer: what an on-line policy decides", reflect.TypeFor[online.Answer]())
}

// generate makes the schema of a wire type. Its $id is the value that the files state in their field "schema".
func generate(id, title string, t reflect.Type) ([]byte, error) {
	reflector := &jsonschema.Reflector{
		Anonymous:      true, // the reflector's own $id would name a host
		ExpandedStruct: true,
		Namer:          definitionName,
		Mapper:         mapped,
		LookupComment:  fieldDoc,
	}
	root := reflector.ReflectFromType(t)
	root.ID, root.Title = jsonschema.ID(id), title
	if err := addTags(t, root); err != nil {
		return nil, err
	}
	if format, ok := root.Properties.Get("schema"); ok {
		format.Const, format.MaxLength = id, nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// definitionName is the name of a type in $defs: JobSpec is a Job to whoever reads the file.
func definitionName(t reflect.Type) string { return strings.TrimSuffix(t.Name(), "Spec") }

// fieldDoc is the tag `doc` of a field, for its description.
func fieldDoc(t reflect.Type, name string) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	field, _ := t.FieldByName(name)
	return field.Tag.Get("doc")
}
