package train

import (
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/training/gflagsutils"
	"github.com/monosim/monosim/runners/show/jsonschema"
	meanings "github.com/monosim/monosim/runners/show/settings"
)

// Schema returns the JSON schema of plans, for editors.
func Schema() []byte {
	s := jsonschema.Of(reflect.TypeFor[file](), func(t reflect.Type) *jsonschema.Schema {
		if t == reflect.TypeFor[yaml.Node]() {
			return &jsonschema.Schema{} // filled in below
		}
		return nil
	})
	for key, known := range map[string]*jsonschema.Schema{
		runConfigKey: configSchema(runConfigFields), runnerConfigKey: configSchema(runnerConfigFields), "script": jsonschema.List(jsonschema.Text()),
	} {
		known.Description = s.Properties[key].Description
		s.Properties[key] = known
	}
	job := s.Properties["job"].Properties
	for _, one := range meanings.List() {
		if one.Of == "job" {
			job[one.Name].Description = one.Meaning
		}
	}
	return s.Document("monosim training plan")
}

// configSchema returns the JSON schema of one of the reference's configurations.
func configSchema(fields []gflagsutils.Field) *jsonschema.Schema {
	s := jsonschema.Object(map[string]*jsonschema.Schema{})
	for _, f := range fields {
		one := fieldSchema(f)
		if f.Default == nil && f.Kind != gflagsutils.Other {
			one = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, {Type: "null"}}}
		}
		s.Properties[f.Name] = one
	}
	return s
}

// fieldSchema returns the schema of a field, which allows the values that [reader.field]
// accepts.
func fieldSchema(f gflagsutils.Field) *jsonschema.Schema {
	switch f.Kind {
	case gflagsutils.Int:
		return jsonschema.Whole()
	case gflagsutils.Bool:
		return jsonschema.Boolean()
	case gflagsutils.Float:
		return jsonschema.Number()
	case gflagsutils.String:
		return jsonschema.Text()
	case gflagsutils.Enum:
		one := &jsonschema.Schema{}
		for _, m := range f.Members {
			one.Enum = append(one.Enum, strings.ToLower(m.Name))
		}
		slices.SortFunc(one.Enum, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		return one
	}
	return &jsonschema.Schema{} // any value, because the simulation never reads it
}
