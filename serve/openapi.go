package serve

import (
	"bytes"
	"encoding"
	"encoding/json"
	"maps"
	"math"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/schema"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

// OpenAPI returns the OpenAPI 3.1 document of the service, made of the table of operations and of the types and tags of their settings and results.
var OpenAPI = sync.OnceValue(func() []byte {
	d := &document{schemas: map[string]any{}, types: map[string]reflect.Type{}}
	paths := object{}
	for k := range table {
		o := &table[k]
		item := object{"post": d.post(o)}
		if o.Light {
			item["get"] = d.get(o)
		}
		paths["/v1/"+o.Name] = item
	}
	paths["/v1/runs/{id}"] = object{"delete": object{
		"operationId": "cancel", "summary": "End a run. The answer is that of the run: the best that it has.",
		"parameters": []any{object{"name": "id", "in": "path", "required": true, "schema": object{"type": "string"}, "description": "the " + requestID + " of the run"}},
		"responses":  d.responses(object{"description": "what the operation of the run answers", "content": object{"application/json": object{"schema": true}}}),
	}}
	paths["/v1/openapi.json"] = object{"get": object{"operationId": "openapi", "summary": "This document.", "responses": object{"200": object{"description": "the document"}}}}
	paths["/healthz"] = object{"get": object{"operationId": "health", "summary": "Say that the service lives.", "security": []any{}, "responses": object{"200": object{"description": "it lives"}}}}
	for _, name := range schema.Names() {
		text, _ := schema.Text(name)
		d.schemas[name] = json.RawMessage(placed(text, "#/components/schemas/"+name))
	}
	d.schemas["PolicyReport"] = d.schemaOf(reflect.TypeFor[lab.Report]())
	d.schemas["Failed"] = object{"type": "object", "required": []string{"error"}, "properties": object{"error": d.schemaOf(reflect.TypeFor[Error]())}}
	d.schemaOf(reflect.TypeFor[Progress]())
	d.schemaOf(reflect.TypeFor[RowProgress]())
	d.schemas["Document"] = object{
		"description": `a document: the object itself; or a text with the document byte for byte; or {"base64": "…"}, also of compressed files; or {"file": "NAME"}, where the service allows it`,
	}
	var text bytes.Buffer
	err := answers.WriteJSON(&text, object{
		"openapi": "3.1.0",
		"info": object{
			"title": "allot", "version": Protocol, "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Allocates batches of jobs to clusters: the requests of the commands of allot. docs/service.md explains them.",
		},
		"paths":      paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
		"security":   []any{object{}, object{"token": []any{}}},
	})
	if err != nil {
		panic("service: the OpenAPI document cannot be written: " + err.Error()) // it holds no value that JSON cannot state
	}
	return text.Bytes()
})

// placed is the text of a schema that stands at a place of another document: it has no name of its own, which many tools do not look at, and its references lead to that place.
func placed(text []byte, place string) []byte {
	text = ownNames.ReplaceAll(text, nil)
	return bytes.ReplaceAll(text, []byte(`"#/$defs/`), []byte(`"`+place+`/$defs/`))
}

var ownNames = regexp.MustCompile(`"\$(schema|id)":\s*"[^"]*",\s*`)

// object is an object of JSON, written in the order of its keys.
type object = map[string]any

// document is an OpenAPI document in the making.
type document struct {
	schemas map[string]any          // by name
	types   map[string]reflect.Type // by name
}

// ref refers to a schema by its name.
func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// responses are the answer and the errors.
func (d *document) responses(ok object) object {
	return object{"200": ok, "default": object{"description": "an error; docs/service.md lists the statuses", "content": object{"application/json": object{"schema": ref("Failed")}}}}
}

// content is the result of an operation.
func (d *document) content(o *Operation) object {
	result := d.schemaOf(o.Result)
	if o.Shells != nil {
		result = object{"anyOf": kit.Each(o.Shells, func(t reflect.Type) any { return d.schemaOf(t) }), "description": "with a member caveats before the others, a list of what the instance leaves out, where it leaves out something"}
	}
	kinds := object{"application/json": object{"schema": result}}
	if !o.Light {
		kinds["text/event-stream"] = object{"schema": object{"type": "string", "description": "events: progress, and at the end result or error"}}
	}
	return object{"description": "the result", "content": kinds}
}

// settings describes the settings of an operation.
func (d *document) settings(o *Operation) (body, properties object) {
	body, usual := d.structure(o.Settings, true), reflect.ValueOf(o.settings()).Elem()
	properties, _ = body["properties"].(object)
	for _, f := range question.FieldsOf(o.Settings) {
		one, value := properties[f.Name].(object), usual.FieldByIndex(f.Index)
		one["description"] = f.Description()
		if !value.IsZero() && value.Kind() != reflect.Slice && value.Kind() != reflect.Map {
			one["default"] = value.Interface()
		}
	}
	return body, properties
}

// post describes an operation whose parameters are in the body.
func (d *document) post(o *Operation) object {
	body, properties := d.settings(o)
	required, _ := body["required"].([]string)
	for _, p := range o.Documents {
		one := object{"description": p.Doc, "anyOf": []any{ref("Document")}}
		if p.Schema != "" {
			one["anyOf"] = []any{ref(p.Schema), ref("Document")}
		}
		if p.Several {
			one = object{"description": p.Doc, "type": "array", "items": object{"anyOf": one["anyOf"]}}
		}
		properties[p.Name] = one
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if len(required) > 0 {
		body["required"] = required
	}
	return object{
		"operationId": o.Name, "summary": o.Doc,
		"parameters":  []any{object{"name": requestID, "in": "header", "schema": object{"type": "string", "maxLength": mostID}, "description": "names the run, so that DELETE /v1/runs/{id} can end it"}},
		"requestBody": object{"required": len(o.Documents) > 0, "content": object{"application/json": object{"schema": body}}},
		"responses":   d.responses(d.content(o)),
	}
}

// get describes an operation whose settings are in the query.
func (d *document) get(o *Operation) object {
	parameters := []any{}
	_, properties := d.settings(o)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		parameters = append(parameters, object{"name": name, "in": "query", "schema": properties[name]})
	}
	return object{"operationId": o.Name + "-get", "summary": o.Doc, "parameters": parameters, "responses": d.responses(d.content(o))}
}

// schemaOf is the schema of a type as encoding/json writes it. What a type writes by a method of its own may be anything, but for those that are known.
func (d *document) schemaOf(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[model.Bound]():
		return object{"type": "number"}
	case reflect.TypeFor[model.ProcessorSet]():
		return object{"type": "string"}
	case reflect.TypeFor[model.MetricValue]():
		return object{"type": []string{"number", "object"}, "additionalProperties": object{"type": "number"}}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch {
	case t.Kind() == reflect.Pointer && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	case t.Kind() == reflect.Pointer:
		return d.schemaOf(t.Elem())
	case t.Implements(reflect.TypeFor[json.Marshaler]()), reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()):
		return object{}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float64, reflect.Float32:
		return object{"type": "number"}
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint64, reflect.Uint32, reflect.Uint8, reflect.Int8, reflect.Uint:
		return object{"type": "integer"}
	case reflect.Slice:
		return object{"type": "array", "items": d.schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schemaOf(t.Elem())}
	case reflect.Struct:
		if t.Name() == "" {
			return d.structure(t, false)
		}
		name := t.Name()
		if of := d.types[name]; of != nil && of != t {
			name = path.Base(t.PkgPath()) + "." + name // another type has the name
		}
		if d.types[name] == nil {
			d.types[name] = t // types may refer to themselves
			d.schemas[name] = d.structure(t, false)
		}
		return ref(name)
	}
	return object{} // any
}

// structure is the schema of a struct. Of a request it allows no other members.
func (d *document) structure(t reflect.Type, request bool) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case name == "-" || !f.IsExported() || f.Anonymous && !tagged:
			continue
		case name == "":
			name = f.Name
		}
		one := d.property(f)
		properties[name] = one
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
	}
	s := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	if request {
		s["additionalProperties"] = false
	}
	return s
}

// property is the schema of a field, with its description and what its tags allow.
func (d *document) property(f reflect.StructField) object {
	one := d.schemaOf(f.Type)
	if named := f.Tag.Get("schema"); named != "" {
		one = ref(named)
	}
	if f.Type.Kind() == reflect.Pointer && !strings.Contains(f.Tag.Get("json"), "omit") || f.Type.Kind() == reflect.Slice && !strings.Contains(f.Tag.Get("json"), "omit") {
		one = object{"anyOf": []any{one, object{"type": "null"}}}
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		one["description"] = doc
	}
	if enum := f.Tag.Get("enum"); enum != "" {
		one["enum"] = strings.Split(enum, ",")
	}
	switch f.Tag.Get("check") {
	case "counter":
		one["minimum"], one["maximum"] = 0, 1<<53
	case "count":
		one["minimum"], one["maximum"] = 1, math.MaxInt32
	case "time", "nonnegative":
		one["minimum"] = 0
	case "positive":
		one["exclusiveMinimum"] = 0
	}
	return one
}
