package wfformat

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/model/internal/lines"
)

// maxToken is the longest text, number or run of white space that is read, in bytes. Besides the tasks, about this much of
// the file is in memory at most.
const maxToken = 1 << 20

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

// decode reads the document and lists faults of its form. If a field is given twice, the last counts, because remembering
// all names of a foreign object would need unlimited memory.
func decode(r io.Reader, faults *lines.Faults) *document {
	doc := new(document)
	in := &source{r: r}
	in.json = jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true))
	err := json.UnmarshalDecode(in.json, doc)
	if err == nil {
		if _, err = in.json.ReadToken(); err == io.EOF {
			err = nil
		} else if err == nil {
			err = errors.New("expected the end of the file after the JSON value")
		}
	}
	if err != nil {
		in.explain(err, faults)
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

// source limits what the decoder holds at once and remembers the error that ended reading, which the decoder would wrap.
type source struct {
	r    io.Reader
	json *jsontext.Decoder // that reads from it
	read int64
	err  error
}

// Read implements io.Reader.
func (s *source) Read(buffer []byte) (int, error) {
	if s.read-s.json.InputOffset() > maxToken {
		s.err = fmt.Errorf("expected texts, numbers and white space of at most %d bytes, found a longer one", maxToken)
		return 0, s.err
	}
	n, err := s.r.Read(buffer)
	s.read += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// explain lists an error of the decoder.
func (s *source) explain(err error, faults *lines.Faults) {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case s.err != nil:
		faults.At("", "%s", s.err)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		faults.At("", "the file ends early, at byte %d, inside a JSON value", s.read)
	case errors.As(err, &semantic):
		faults.At(path(semantic.JSONPointer), "expected %s, found %s", expected(semantic.GoType), found(semantic.JSONKind))
	case errors.As(err, &syntactic):
		faults.At("", "not JSON: %s at byte %d", strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "), syntactic.ByteOffset)
	default:
		faults.At("", "%s", err)
	}
}

// path writes a pointer such as /tasks/3/id as tasks[3].id.
func path(pointer jsontext.Pointer) string {
	var text strings.Builder
	for token := range pointer.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			text.WriteString("[" + token + "]")
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('.')
		}
		text.WriteString(token)
	}
	return text.String()
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
	switch kind {
	case '0':
		return "a number of another kind or size"
	case '"':
		return "a text"
	case '[':
		return "an array"
	case '{':
		return "an object"
	default:
		return kind.String()
	}
}
