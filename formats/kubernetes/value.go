package kubernetes

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// What one object of a file may be. Kubernetes itself stores objects of at most some 1.5 MB.
const (
	maxDepth  = 100     // levels
	maxValues = 100_000 // those behind aliases counted as often as they are used
	maxObject = 4 << 20 // bytes of its YAML
)

// value is a value of a file, of JSON or of YAML.
type value struct {
	kind  jsontext.Kind // of JSON: { [ " 0 t f n
	text  string        // of a text or a number
	names []string      // of an object, each once
	list  []value       // elements of an array, members of an object
}

// size is the number of values in a value.
func (v *value) size() int {
	n := 1
	for k := range v.list {
		n += v.list[k].size()
	}
	return n
}

// place is where a value is in its file.
type place struct {
	up    *place
	name  string // of a member; empty: an element
	index int
}

// String is the path, such as items[3].spec.nodeName.
func (p *place) String() string {
	var steps []string
	for ; p != nil; p = p.up {
		step := "." + lines.Name(p.name[:min(len(p.name), 60)])
		if p.name == "" {
			step = "[" + strconv.Itoa(p.index) + "]"
		}
		steps = append(steps, step)
	}
	const most = 30
	if len(steps) > most {
		steps = append([]string{"…"}, steps[len(steps)-most:]...)
	}
	var text strings.Builder
	for k := len(steps) - 1; k >= 0; k-- {
		text.WriteString(steps[k])
	}
	return strings.TrimPrefix(text.String(), ".")
}

func (p *place) member(name string) *place { return &place{up: p, name: name} }
func (p *place) element(k int) *place      { return &place{up: p, index: k} }

// builder makes values of one object. The first fault ends it.
type builder struct {
	faults *lines.Faults
	values int
}

// fault adds a fault and says that the value is to be given up.
func (b *builder) fault(p *place, format string, args ...any) bool {
	b.faults.At(p.String(), format, args...)
	return false
}

// count counts a value of the object, and draws it from the budget of the reading: an object is gone when the next one is read, so that it takes time and no memory.
func (b *builder) count(p *place, depth int) bool {
	b.values++
	if depth > maxDepth {
		return b.fault(p, "expected at most %d levels, found more", maxDepth)
	} else if b.values > maxValues {
		return b.fault(p, "expected an object of at most %d values, found more", maxValues)
	} else if err := b.faults.Budget().Steps(1); err != nil {
		return b.fault(p, "%s", err)
	}
	return true
}

// passedOver are the fields that are long and say nothing of use.
func passedOver(name string) bool {
	return name == "managedFields" || name == "kubectl.kubernetes.io/last-applied-configuration"
}

// member makes room for a member of an object. Known names are those of a large object.
func (b *builder) member(v *value, known map[string]bool, name string, p *place) (map[string]bool, bool) {
	const few = 16
	again := known[name]
	if known == nil {
		for _, other := range v.names {
			again = again || other == name
		}
	}
	if again {
		return known, b.fault(p.member(name), "expected the field once, found it again")
	}
	v.names = append(v.names, name)
	switch {
	case known != nil:
		known[name] = true
	case len(v.names) > few:
		known = map[string]bool{}
		for _, other := range v.names {
			known[other] = true
		}
	}
	return known, true
}

// fromJSON reads the next value. An error is one of the reader; what is wrong in the value is a fault.
func (b *builder) fromJSON(d *lines.JSON, v *value, p *place, depth int) (ok bool, err error) {
	if !b.count(p, depth) {
		return false, nil
	}
	token, err := d.ReadToken()
	if err != nil {
		return false, err
	}
	switch v.kind = token.Kind(); v.kind {
	case '"':
		v.text = token.String()
	case '0':
		v.text = token.String()
	case '[':
		for k := 0; d.PeekKind() != ']'; k++ {
			v.list = append(v.list, value{})
			if ok, err := b.fromJSON(d, &v.list[k], p.element(k), depth+1); !ok || err != nil {
				return ok, err
			}
		}
		_, err = d.ReadToken()
	case '{':
		var known map[string]bool
		for d.PeekKind() != '}' {
			token, err := d.ReadToken()
			if err != nil {
				return false, err
			}
			name := token.String()
			if passedOver(name) {
				if err := d.SkipValue(); err != nil {
					return false, err
				}
				continue
			}
			if known, ok = b.member(v, known, name, p); !ok {
				return false, nil
			}
			v.list = append(v.list, value{})
			if ok, err := b.fromJSON(d, &v.list[len(v.list)-1], p.member(name), depth+1); !ok || err != nil {
				return ok, err
			}
		}
		_, err = d.ReadToken()
	}
	return err == nil, err
}

// field is a value with its place, from which the fields below it are read. What is absent and what is null reads as empty.
type field struct {
	v *value // nil: absent
	p *place
	f *lines.Faults
}

// get is a member of an object.
func (x field) get(name string) field {
	y := field{p: x.p.member(name), f: x.f}
	if x.is('{', "an object") {
		for k, other := range x.v.names {
			if other == name {
				y.v = &x.v.list[k]
			}
		}
	}
	return y
}

// at is a member of a member and so on, such as spec.nodeName.
func (x field) at(path ...string) field {
	for _, name := range path {
		x = x.get(name)
	}
	return x
}

// given says that there is a value.
func (x field) given() bool { return x.v != nil && x.v.kind != 'n' }

// is says that there is a value and that it is of the kind; another kind is a fault.
func (x field) is(kind jsontext.Kind, expected string) bool {
	switch {
	case !x.given():
		return false
	case x.v.kind != kind:
		x.fault("expected %s, found %s", expected, lines.KindName(x.v.kind))
		return false
	}
	return true
}

// fault adds a fault at the value.
func (x field) fault(format string, args ...any) { x.f.At(x.p.String(), format, args...) }

// elements are the elements of an array.
func (x field) elements() []field {
	if !x.is('[', "a list") {
		return nil
	}
	list := make([]field, len(x.v.list))
	for k := range list {
		list[k] = field{&x.v.list[k], x.p.element(k), x.f}
	}
	return list
}

// members calls use for each member of an object, in the order of the file.
func (x field) members(use func(name string, y field)) {
	if !x.is('{', "an object") {
		return
	}
	for k, name := range x.v.names {
		use(name, field{&x.v.list[k], x.p.member(name), x.f})
	}
}

// str is a text; empty where there is none.
func (x field) str() string {
	if !x.is('"', "a text") {
		return ""
	}
	return x.v.text
}

// name is a text of at least a byte that the model takes as a name.
func (x field) name() string {
	text := x.str()
	if text == "" || len(text) > model.MaxName || lines.Name(text) != text {
		x.fault("expected a name of 1 to %d bytes, found %s", model.MaxName, lines.Quote(text))
	}
	return text
}

// texts is an object of texts, such as labels.
func (x field) texts() map[string]string {
	found := map[string]string{}
	x.members(func(name string, y field) { found[name] = y.str() })
	return found
}

// words is a list of texts.
func (x field) words() []string {
	var list []string
	for _, y := range x.elements() {
		list = append(list, y.str())
	}
	return list
}

// yes is a truth value; false where there is none.
func (x field) yes() bool {
	if x.given() && x.v.kind != 't' && x.v.kind != 'f' {
		x.fault("expected true or false, found %s", lines.KindName(x.v.kind))
	}
	return x.given() && x.v.kind == 't'
}

// number is a number; known says that there is one.
func (x field) number() (number float64, known bool) {
	if !x.is('0', "a number") {
		return 0, false
	}
	number, err := lines.Number(x.v.text)
	if err != nil {
		x.fault("%s", err)
	}
	return number, err == nil
}

// whole is a whole number from least to most; known says that there is one.
func (x field) whole(least, most float64) (number float64, known bool) {
	number, known = x.number()
	if known && (number < least || number > most || number != float64(int64(number))) {
		x.fault("expected a whole number in [%.0f, %.0f], found %v", least, most, number)
		return 0, false
	}
	return number, known
}

// time is a Unix time; 0 where there is none.
func (x field) time() float64 {
	text := x.str()
	if text == "" {
		return 0
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		x.fault("expected a time such as 2026-11-24T09:30:00Z, found %s", lines.Quote(text))
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
}

// required is a fault where there is no value.
func (x field) required() field {
	if !x.given() {
		x.fault("expected the field, found none")
	}
	return x
}
