package wfformat

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model/budget"
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
		ExecutedAt string `json:"executedAt"` // up to 1.4
		Execution  struct {
			ExecutedAt string    `json:"executedAt"`
			Tasks      []task    `json:"tasks"`
			Machines   []machine `json:"machines"`
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
	err := fill(in, reflect.ValueOf(doc).Elem())
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

// kindError says that a value is of another kind than its field.
type kindError struct {
	at    jsontext.Pointer
	goes  reflect.Type
	found jsontext.Kind
}

// Error says what was expected and what was found.
func (e *kindError) Error() string {
	return "expected " + expected(e.goes) + ", found " + found(e.found)
}

// fill reads a value into what the document has for it. Null empties it, and fields that the document lacks are skipped. It reads the few kinds of fields of
// this format; the library's decoder, which reads all, takes a fortieth of a build from nothing.
func fill(in *lines.JSON, v reflect.Value) error {
	kind := in.PeekKind()
	switch {
	case kind == 'n':
		v.SetZero()
		return in.SkipValue()
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(in, v.Elem())
	case v.Kind() == reflect.Struct && kind == '{':
		return within(in, '}', func() error {
			name, err := in.ReadToken()
			if err != nil {
				return err
			}
			for k := range v.NumField() {
				if v.Type().Field(k).Tag.Get("json") == name.String() {
					return fill(in, v.Field(k))
				}
			}
			return in.SkipValue()
		})
	case v.Kind() == reflect.Slice && kind == '[':
		v.SetZero()
		return within(in, ']', func() error {
			if err := in.Budget().Names(budget.NamesOfType(v.Type().Elem())); err != nil {
				return err
			}
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			return fill(in, v.Index(v.Len()-1))
		})
	}
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	if v.Kind() == reflect.String && kind == '"' {
		v.SetString(token.String())
		return nil
	}
	if v.Kind() == reflect.Float64 && kind == '0' {
		x, err := strconv.ParseFloat(token.String(), 64)
		if err == nil {
			v.SetFloat(x)
			return nil
		}
	}
	return &kindError{in.StackPointer(), v.Type(), kind}
}

// within reads an object or an array, member by member.
func within(in *lines.JSON, end jsontext.Kind, member func() error) error {
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	for in.PeekKind() != end {
		if err := member(); err != nil {
			return err
		}
	}
	_, err := in.ReadToken()
	return err
}

// explain lists an error that ended reading.
func explain(in *lines.JSON, err error, faults *lines.Faults) {
	if wrong := (*kindError)(nil); errors.As(err, &wrong) {
		faults.At(lines.Path(wrong.at), "%s", wrong)
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
