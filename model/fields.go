package model

import (
	"reflect"
	"strings"
	"sync"
)

// field is what the struct tags say of one field of a wire type.
type field struct {
	name     string
	index    []int // of the field, also in a struct that is embedded
	required bool
	bare     bool // a value that is no object is that of this field
	check    string
	enum     []string
}

// fieldCache holds the fields of each wire type, so that the tags are read once.
var fieldCache sync.Map // reflect.Type → []field

// fieldsOf lists the fields of a wire type in the order of the struct.
func fieldsOf(t reflect.Type) []field {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.([]field)
	}
	var fields []field
	for _, of := range reflect.VisibleFields(t) {
		tag := of.Tag
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		if name == "-" || of.Anonymous {
			continue
		}
		f := field{name: name, index: of.Index, required: options == "", bare: tag.Get("bare") == "true", check: tag.Get("check")}
		if enum := tag.Get("enum"); enum != "" {
			f.enum = strings.Split(enum, ",")
		}
		fields = append(fields, f)
	}
	fieldCache.Store(t, fields)
	return fields
}
