package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/advise"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve/process/online"
)

// generators make the schemas, by name.
var generators = map[string]func() ([]byte, error){
	"instance": func() ([]byte, error) {
		return generate(model.InstanceSchema, "Instance: jobs to be allocated to clusters", reflect.TypeFor[model.InstanceSpec]())
	},
	"solution": func() ([]byte, error) {
		return generate(model.SolutionSchema, "Solution: where and when each job runs", reflect.TypeFor[model.Solution]())
	},
	"proof": func() ([]byte, error) {
		return generate(proof.Schema, "Proof: the certificate of a lower bound", reflect.TypeFor[proof.Certificate]())
	},
	"advice": func() ([]byte, error) {
		return generate(advise.Schema, "Advice: what allot advise --json writes", reflect.TypeFor[advise.Report]())
	},
	// The lines of an on-line policy have no field "schema".
	"online-header": func() ([]byte, error) {
		return generate(online.Format+"/header", "Header: the first line that an on-line policy reads", reflect.TypeFor[online.Header]())
	},
	"online-event": func() ([]byte, error) {
		return generate(online.Format+"/event", "Event: a line that an on-line policy answers", reflect.TypeFor[online.Event]())
	},
	"online-answer": func() ([]byte, error) {
		return generate(online.Format+"/answer", "Answer: what an on-line policy decides", reflect.TypeFor[online.Answer]())
	},
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
	if err := addTags(t, root, t == reflect.TypeFor[advise.Report]()); err != nil {
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

// definitionName is the name of a type in $defs: JobSpec is a Job to whoever reads the file. What package lab compares has names like others.
func definitionName(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "Spec")
	if t.PkgPath() == reflect.TypeFor[lab.Report]().PkgPath() {
		return "Compared" + name
	}
	return name
}

// fieldDoc is the tag `doc` of a field, for its description.
func fieldDoc(t reflect.Type, name string) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	field, _ := t.FieldByName(name)
	return field.Tag.Get("doc")
}
