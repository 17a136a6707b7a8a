package schema_test

import (
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/allot-opt/allot/model"
)

// addRules adds what the reader demands beyond the tags.
func addRules(t reflect.Type, s *jsonschema.Schema) {
	property := func(name string) *jsonschema.Schema {
		p, _ := s.Properties.Get(name)
		return p
	}
	switch t {
	case reflect.TypeFor[model.InstanceSpec]():
		property("objective").PropertyNames = objectiveNames()
		property("clusters").MinItems = new(uint64(1))
	case reflect.TypeFor[model.ClusterSpec]():
		property("machines").MinItems = new(uint64(1))
	case reflect.TypeFor[model.JobSpec]():
		s.AnyOf = oneOfWorkEstimateRuntime()
	}
}

// objectiveNames are the metrics that can be part of an objective.
func objectiveNames() *jsonschema.Schema {
	names := &jsonschema.Schema{}
	for _, m := range model.MetricTable() {
		if !m.PerCluster {
			names.Enum = append(names.Enum, m.Name)
		}
	}
	return names
}

// oneOfWorkEstimateRuntime says that a job states how long it takes in at least one of three ways; run times without
// any cluster say nothing.
func oneOfWorkEstimateRuntime() []*jsonschema.Schema {
	runtime := &jsonschema.Schema{Required: []string{"runtime"}, Properties: jsonschema.NewProperties()}
	runtime.Properties.Set("runtime", &jsonschema.Schema{MinProperties: new(uint64(1))})
	return []*jsonschema.Schema{{Required: []string{"work"}}, {Required: []string{"estimate"}}, runtime}
}

// mapped is the schema of a type that is written in another way than its Go type suggests; nil for all others.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[model.ProcessorRange]():
		return processorRange()
	case reflect.TypeFor[model.ProcessorSet]():
		return &jsonschema.Schema{Type: "string", Pattern: "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$", MaxLength: new(uint64(longestSet))}
	case reflect.TypeFor[model.Metrics]():
		return metricTable()
	case reflect.TypeFor[model.Bound]():
		return &jsonschema.Schema{Type: "number"}
	}
	return nil
}

// processorRange is a number, or an object of min and max.
func processorRange() *jsonschema.Schema {
	count := func(title, doc string) *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "integer", Title: title, Description: doc}
		s.Minimum, s.Maximum, _ = bounds("count")
		return s
	}
	moldable := &jsonschema.Schema{
		Type:                 "object",
		Title:                "moldable",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
		Required:             []string{"min", "max"},
	}
	moldable.Properties.Set("min", count("", "the least"))
	moldable.Properties.Set("max", count("", "the most, at least min"))
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{count("rigid", ""), moldable}}
}

// metricTable has one property a metric.
func metricTable() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, m := range model.MetricTable() {
		value := &jsonschema.Schema{Type: "number"}
		if m.PerCluster {
			value = &jsonschema.Schema{Type: "object", PropertyNames: length(1, longestName), AdditionalProperties: value}
		}
		better := map[string]string{"low": "Less", "high": "More", "neither": "Neither more nor less"}[m.Better()]
		value.Description = fmt.Sprintf("%s. Unit: %s. %s is better.", m.Doc, m.Unit, better)
		s.Properties.Set(m.Name, value)
	}
	return s
}

// scalar is a parameter of a solver: a number, a text or a truth value.
func scalar() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: "number"}, {Type: "string", MaxLength: new(uint64(longestText))}, {Type: "boolean"},
	}}
}
