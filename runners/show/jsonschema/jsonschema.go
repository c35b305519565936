// Package jsonschema describes files of YAML as JSON schemas (draft 2020-12), by which editors
// complete and check them.
//
// Two things to use first:
//
//   - [Of] describes a struct by the tags of its fields: yaml names the key, doc says what it is.
//   - [Schema.Document] writes a schema as a file.
//
// Readers of files have the last word: a schema knows the keys and the forms of values, and not
// which of them go together.
//
// Unstable: any commit may change it.
package jsonschema

import (
	"encoding/json"
	"reflect"
	"time"
)

// Schema is a JSON schema with the keywords that this project needs.
type Schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	Default     any                `json:"default,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Additional  any                `json:"additionalProperties,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	Examples    []string           `json:"examples,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Defs        map[string]*Schema `json:"$defs,omitempty"`
}

// These functions make schemas of simple values.
func Number() *Schema  { return &Schema{Type: "number"} }
func Text() *Schema    { return &Schema{Type: "string"} }
func Whole() *Schema   { return &Schema{Type: "integer"} }
func Boolean() *Schema { return &Schema{Type: "boolean"} }

// Duration makes the schema of a duration in Go's notation, such as 1h30m.
func Duration() *Schema {
	return &Schema{Type: "string", Pattern: `^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$|^0$`, Examples: []string{"90s"}}
}

// List makes the schema of an array. The parameter of is the schema of its items.
func List(of *Schema) *Schema { return &Schema{Type: "array", Items: of} }

// Object makes the schema of an object that may have only these keys.
func Object(properties map[string]*Schema, required ...string) *Schema {
	return &Schema{Type: "object", Properties: properties, Required: required, Additional: false}
}

// Of makes the schema of a Go type, including the fields of structs. special may return a schema
// for some types, and nil for the others. special itself may be nil.
func Of(t reflect.Type, special func(t reflect.Type) *Schema) *Schema {
	if special != nil {
		if s := special(t); s != nil {
			return s
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return Of(t.Elem(), special)
	case reflect.Slice:
		return List(Of(t.Elem(), special))
	case reflect.Map:
		return &Schema{Type: "object", Additional: Of(t.Elem(), special)}
	case reflect.Struct:
		s := Object(map[string]*Schema{})
		for i := range t.NumField() {
			f := t.Field(i)
			property := Of(f.Type, special)
			property.Description = f.Tag.Get("doc")
			s.Properties[f.Tag.Get("yaml")] = property
		}
		return s
	case reflect.String:
		return Text()
	case reflect.Bool:
		return Boolean()
	case reflect.Float64:
		return Number()
	}
	if t == reflect.TypeFor[time.Duration]() {
		return Duration()
	}
	return Whole()
}

// Document encodes the schema as a JSON schema file with a title.
func (s *Schema) Document(title string) []byte {
	whole := *s
	whole.Schema, whole.Title = "https://json-schema.org/draft/2020-12/schema", title
	data, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		panic(err) // cannot happen: the schema has only values that can be encoded
	}
	return append(data, '\n')
}
