package serve

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/serve/question"
)

// Operation is one thing that a client can ask for.
type Operation struct {
	Name      string // the method on the lines, and the last part of the path of HTTP
	Doc       string // one sentence
	Documents []Part // files that the request brings along
	Settings  reflect.Type
	Result    reflect.Type
	Shells    []reflect.Type // what a result that is written already may be; nil: Result says it
	Light     bool           // takes no solver's work: it waits for no place

	run func(context.Context, *call) (any, error)
}

// Part is a document of a request.
type Part struct {
	Name     string
	Doc      string
	Schema   string // name of its schema in package schema; empty: a text in a foreign format
	Required bool
	Several  bool // a list of documents
}

// call is a request under way.
type call struct {
	*request
	service  *Service
	from     *Client
	budget   *budget.Budget // of all documents together; it ends when nobody waits for the answer any more
	held     int64          // bytes of memory, as estimated
	progress func(any)      // tells the client; nil: it does not want to know
}

// operation makes an Operation whose settings are an S and whose result is an R. The handler gets settings that have been read.
func operation[S, R any](name, doc string, parts []Part, handle func(*call, context.Context, *S) (R, error)) Operation {
	return Operation{
		Name: name, Doc: doc, Documents: parts, Settings: reflect.TypeFor[S](), Result: reflect.TypeFor[R](),
		run: func(ctx context.Context, c *call) (any, error) { return handle(c, ctx, c.settings.(*S)) },
	}
}

// writing names the types of which one is the result that the operation writes itself.
func writing(o Operation, shells ...reflect.Type) Operation {
	o.Shells = shells
	return o
}

// light marks an operation that waits for no place.
func light(o Operation) Operation {
	o.Light = true
	return o
}

// settings makes settings with their defaults.
func (o *Operation) settings() any {
	s := reflect.New(o.Settings).Interface()
	s.(question.Settings).SetDefaults()
	return s
}

// settingNames lists the fields of the settings.
func (o *Operation) settingNames() []string {
	var names []string
	for _, f := range reflect.VisibleFields(o.Settings) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// names lists all fields of a request.
func (o *Operation) names() []string {
	return append(kit.Each(o.Documents, func(p Part) string { return p.Name }), o.settingNames()...)
}

// Named finds an operation.
func Named(name string) (*Operation, bool) {
	for k := range table {
		if table[k].Name == name {
			return &table[k], true
		}
	}
	return nil, false
}

// Operations lists all operations.
func Operations() []Operation { return table }

// Raw is a result that has been written already, as JSON.
type Raw = json.RawMessage
