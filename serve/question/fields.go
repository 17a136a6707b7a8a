package question

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Seconds is a length of time: a duration such as 10s on the command line, a number in a request.
type Seconds float64

// mostSeconds is the longest time that a run can ask for: what is longer is as good as no limit.
const mostSeconds = 1e9

// Duration is the length as the library of Go has it. A positive one is never 0, which is no limit.
func (s Seconds) Duration() time.Duration {
	return time.Duration(math.Ceil(min(float64(s), mostSeconds) * float64(time.Second)))
}

// Settings are those of a question: a pointer to a struct.
type Settings interface {
	SetDefaults() // sets what an absent setting means
}

// Field is a setting of a question.
type Field struct {
	Name   string // in a request
	Flag   string // on the command line; empty: none
	Doc    string // with the placeholder of the value in quotes
	Absent string // what holds where it is absent; empty: the default says so
	Enum   []string
	Check  string
	Index  []int
	Type   reflect.Type
}

// FieldsOf are the settings of a question, a struct, in their order.
func FieldsOf(t reflect.Type) []Field {
	var list []Field
	for _, f := range reflect.VisibleFields(t) {
		if one := fieldOf(f); !f.Anonymous && one.Name != "" && one.Name != "-" {
			list = append(list, one)
		}
	}
	return list
}

// fieldOf is the setting that a field declares.
func fieldOf(f reflect.StructField) Field {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	one := Field{Name: name, Flag: f.Tag.Get("flag"), Doc: f.Tag.Get("doc"), Absent: f.Tag.Get("absent"), Check: f.Tag.Get("check"), Index: f.Index, Type: f.Type}
	switch one.Flag {
	case "":
		one.Flag = flagOf(name)
	case "-":
		one.Flag = ""
	}
	if enum := f.Tag.Get("enum"); enum != "" {
		one.Enum = strings.Split(enum, ",")
	}
	return one
}

// flagOf is the flag of a member.
func flagOf(name string) string { return strings.ReplaceAll(name, "_", "-") }

// named are names of flags in a text, and what of a command line stands before them.
var named = regexp.MustCompile(`(allot [a-z ]+ )?--[a-z][a-z-]*`)

// placeholder stands for the value in a text.
var placeholder = regexp.MustCompile(`'([A-Z]+(?:=[A-Z]+)?)'`)

// Usage is the text of the flag, with the placeholder as the library of flags wants it.
func (f *Field) Usage() string { return placeholder.ReplaceAllString(f.Doc, "`$1`") }

// Description says what a member of a request is: the doc of the flag in the words of requests.
func (f *Field) Description() string {
	text := named.ReplaceAllStringFunc(f.Doc, func(name string) string {
		if strings.HasPrefix(name, "allot ") {
			return name
		}
		return strings.ReplaceAll(strings.TrimPrefix(name, "--"), "-", "_")
	})
	ofFile := strings.Contains(text, "'FILE'")
	text = placeholder.ReplaceAllString(text, "$1")
	if ofFile {
		text += "; here the text of the file"
	}
	switch f.Type {
	case reflect.TypeFor[Seconds]():
		text += "; a number of seconds"
	case reflect.TypeFor[Parameters]():
		text += "; here an object: name → a text, a number, true or false"
	case reflect.TypeFor[Names]():
		text += "; a list"
	}
	if f.Absent != "" {
		text += "; absent: " + f.Absent
	}
	return text
}

// Wrong says what a number on the command line should have been; empty: it is in the range that the tag check states.
func (f *Field) Wrong(x float64) string {
	expected, ok := "", true
	kind := "a number"
	if f.Type == reflect.TypeFor[Seconds]() || f.Type == reflect.TypeFor[*Seconds]() {
		kind = "a duration"
	}
	switch f.Check {
	case "counter", "time", "nonnegative":
		expected, ok = kind+" ≥ 0", x >= 0
	case "count":
		expected, ok = kind+" ≥ 1", x >= 1
	case "positive":
		expected, ok = kind+" > 0", x > 0
	default:
		if low, high, is := strings.Cut(f.Check, ","); is {
			expected, ok = within(kind, low, high, x)
		}
	}
	if ok {
		return ""
	}
	found := any(x)
	if kind == "a duration" {
		found = Seconds(x).Duration()
	}
	return fmt.Sprintf("expected %s, found %v", expected, found)
}

// within says whether x lies in an interval, such as [0.5,1) or (0,) without an upper end, and names it. Its halves are what stands before and behind the comma.
func within(kind, low, high string, x float64) (expected string, ok bool) {
	open, from, sign := low[0] == '(', low[1:], "≥"
	if open {
		sign = ">"
	}
	least, _ := strconv.ParseFloat(from, 64)
	if ok = x >= least && !(open && x == least); high == ")" {
		if kind == "a duration" {
			from += "s"
		}
		return fmt.Sprintf("%s %s %s", kind, sign, from), ok
	}
	to := high[:len(high)-1]
	most, _ := strconv.ParseFloat(to, 64)
	shut := high[len(high)-1] == ']'
	ok = ok && x <= most && (shut || x < most)
	switch {
	case open && shut:
		return fmt.Sprintf("%s above %s and at most %s", kind, from, to), ok
	case open:
		return fmt.Sprintf("%s between %s and %s, both excluded", kind, from, to), ok
	default:
		return fmt.Sprintf("%s from %s to %s", kind, from, to), ok
	}
}
