package wfformat

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/internal/lines"
)

// document holds the parts of a file that are read. Versions up to 1.4 have tasks and machines in the workflow itself;
// later versions have the structure in its specification and the measurements in its execution. Everything else in the
// file is skipped.
type document struct {
	Name          string `json:"name"`
	SchemaVersion string `json:"schemaVersion"`
	Workflow      struct {
		Tasks         []task    `json:"tasks"`    // up to 1.4
		Machines      []machine `json:"machines"` // up to 1.4
		Specification struct {
			Tasks []task `json:"tasks"`
		} `json:"specification"`
		Execution struct {
			Tasks    []task    `json:"tasks"`
			Machines []machine `json:"machines"`
		} `json:"execution"`
	} `json:"workflow"`
}

// task is a task of the specification, of the execution or, up to 1.4, of both.
type task struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Parents  []string `json:"parents"`
	Children []string `json:"children"`

	RuntimeInSeconds *float64 `json:"runtimeInSeconds"`
	Runtime          *float64 `json:"runtime"` // up to 1.3, in seconds
	CoreCount        *float64 `json:"coreCount"`
	Cores            *float64 `json:"cores"` // up to 1.4
	MemoryInBytes    *float64 `json:"memoryInBytes"`
	Memory           *float64 `json:"memory"` // up to 1.3, in KB
}

// machine is a machine that the workflow ran on.
type machine struct {
	NodeName string `json:"nodeName"`
	CPU      struct {
		CoreCount *float64 `json:"coreCount"`
		Count     *float64 `json:"count"` // up to 1.4
	} `json:"cpu"`
}

// versions are the supported values of schemaVersion; flat are those without a specification.
var (
	versions = []string{"1.3", "1.4", "1.5", "1.6"}
	flat     = []string{"1.3", "1.4"}
)

// decode reads the document and lists faults of its form. If a field is given twice, the last counts.
func decode(r io.Reader, faults *lines.Faults) *document {
	doc := new(document)
	in := lines.NewJSON(r)
	err := json.UnmarshalDecode(in.Decoder, doc)
	if err == nil {
		if _, err = in.ReadToken(); err == io.EOF {
			err = nil
		} else if err == nil {
			err = errors.New("expected the end of the file after the JSON value")
		}
	}
	if err != nil {
		explain(in, err, faults)
		return nil
	}
	if !slices.Contains(versions, doc.SchemaVersion) {
		faults.At("schemaVersion", "expected one of %s, found %s", strings.Join(versions, ", "), lines.Quote(doc.SchemaVersion))
		return nil
	}
	return doc
}

// isFlat says that the file is of a version without a specification.
func (d *document) isFlat() bool { return slices.Contains(flat, d.SchemaVersion) }

// explain lists an error that ended reading.
func explain(in *lines.JSON, err error, faults *lines.Faults) {
	if semantic := (*json.SemanticError)(nil); !in.Ended(err) && errors.As(err, &semantic) {
		faults.At(lines.Path(semantic.JSONPointer), "expected %s, found %s", expected(semantic.GoType), found(semantic.JSONKind))
		return
	}
	faults.At("", "%s", in.Explain(err))
}

// expected names the kind of value that goes into a type.
func expected(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return "another value"
	case t.Kind() == reflect.Float64:
		return "a finite number"
	case t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// found names a kind of value.
func found(kind jsontext.Kind) string {
	if kind == '0' {
		return "a number of another kind or size"
	}
	return lines.KindName(kind)
}
