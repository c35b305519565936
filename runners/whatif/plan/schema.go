package plan

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// schema is a JSON schema (draft 2020-12), with the keywords needed here.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        string             `json:"type,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Enum        []any              `json:"enum,omitempty"`
	Default     any                `json:"default,omitempty"`
	Minimum     *float64           `json:"minimum,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Additional  any                `json:"additionalProperties,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	AnyOf       []*schema          `json:"anyOf,omitempty"`
	Examples    []string           `json:"examples,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Defs        map[string]*schema `json:"$defs,omitempty"`
}

// Schema returns the JSON schema of the plan file, for editors.
func Schema() []byte {
	s := schemaOf(reflect.TypeFor[Plan](), "")
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "monosim capacity plan"
	value := &schema{AnyOf: []*schema{text(), number()}}
	s.Defs = map[string]*schema{"uncertain": {Description: "a value that is not known for sure: an interval, or a law of factors of mid with the mean 1", AnyOf: []*schema{
		object(map[string]*schema{"low": value, "mid": value, "high": value, "confidence": value}, "low", "mid", "high"), object(map[string]*schema{"mid": value, "belief": text()}, "mid", "belief")}}}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // a plain struct cannot fail
	}
	return append(data, '\n')
}

func number() *schema { return &schema{Type: "number"} }
func text() *schema   { return &schema{Type: "string"} }
func whole() *schema  { return &schema{Type: "integer"} }
func clock() *schema {
	return &schema{Type: "string", Pattern: `^\d\d:\d\d(:\d\d)?$|^` + unitPattern(quantity.Duration) + `$`}
}
func lawText() *schema {
	return &schema{Type: "string", Examples: []string{"lognormal(mean=1ms, cv=0.5)"}}
}

// special returns the schema of a type with its own form, nil for other types.
func special(t reflect.Type) *schema {
	switch t {
	case reflect.TypeFor[Clock]():
		return clock()
	case reflect.TypeFor[TimeLaw](), reflect.TypeFor[NumberLaw](), reflect.TypeFor[NoiseLaw]():
		return &schema{AnyOf: []*schema{lawText(), number()}}
	case reflect.TypeFor[Skew]():
		return &schema{AnyOf: []*schema{{Enum: []any{"none"}}, object(map[string]*schema{"zipf": number()}, "zipf"),
			object(map[string]*schema{"shares": {Type: "array", Items: quantitySchema(quantity.Percent)}}, "shares")}}
	case reflect.TypeFor[Replicas]():
		return &schema{AnyOf: []*schema{whole(), object(map[string]*schema{"default": whole(), "hottest": whole()}, "default")}}
	case reflect.TypeFor[RateLaw]():
		return &schema{AnyOf: []*schema{quantitySchema(quantity.Rate), schemaOf(reflect.TypeFor[rateForms](), "")}}
	case reflect.TypeFor[Kill](), reflect.TypeFor[Slow]():
		tier := schemaOf(reflect.TypeFor[picked](), "")
		tiers := map[string]*schema{"entry": tier, "ps": tier, "dense": tier}
		if t == reflect.TypeFor[Kill]() {
			tiers["refuse"] = &schema{Type: "boolean"}
		}
		return object(tiers)
	case reflect.TypeFor[Axes]():
		return axesSchema()
	case reflect.TypeFor[Sweeps]():
		return &schema{Type: "object", Additional: axesSchema()}
	case reflect.TypeFor[SLO](), reflect.TypeFor[Must](), reflect.TypeFor[Balance](), reflect.TypeFor[Partial](), reflect.TypeFor[Loop](), reflect.TypeFor[HedgeAfter](), reflect.TypeFor[Traced]():
		return text()
	case reflect.TypeFor[Target](), reflect.TypeFor[Shards](), reflect.TypeFor[Thin]():
		return &schema{AnyOf: []*schema{text(), number()}}
	}
	return nil
}

func axesSchema() *schema {
	return &schema{Type: "object", Additional: &schema{AnyOf: []*schema{{Type: "string", Pattern: `^\s*\d+\s*\.\.\s*\d+\s*$`}, {Type: "array"}}}}
}

func object(properties map[string]*schema, required ...string) *schema {
	return &schema{Type: "object", Properties: properties, Required: required, Additional: false}
}

func unitPattern(kind quantity.Kind) string {
	var units []string
	for u := range quantity.Units(kind) { //lint:order sorted below
		units = append(units, regexp.QuoteMeta(u))
	}
	slices.Sort(units)
	return `[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*(` + strings.Join(units, "|") + `)`
}

func quantitySchema(kind quantity.Kind) *schema {
	s := &schema{Type: "string", Pattern: "^" + unitPattern(kind) + "$", Examples: []string{kind.Example()}}
	if kind == quantity.Count {
		return &schema{AnyOf: []*schema{{Type: "integer"}, {Enum: []any{"unlimited"}}, s}}
	}
	return s
}

// schemaOf returns the schema of a type, following its fields as the decoder does.
func schemaOf(t reflect.Type, tag reflect.StructTag) *schema {
	if s := special(t); s != nil {
		return s
	}
	if words := tag.Get("enum"); words != "" {
		s := &schema{}
		for _, w := range strings.Split(words, "|") {
			if t.Kind() == reflect.Int {
				s.Enum = append(s.Enum, json.Number(w))
			} else {
				s.Enum = append(s.Enum, w)
			}
		}
		return s
	}
	if kind, ok := kindOf(t); ok && kind != quantity.Number {
		return quantitySchema(kind)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), tag)
	case reflect.Slice:
		return &schema{Type: "array", Items: schemaOf(t.Elem(), "")}
	case reflect.Map:
		return &schema{Type: "object", Additional: schemaOf(t.Elem(), "")}
	case reflect.Struct:
		return structSchema(t)
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.String:
		return text()
	case reflect.Float64:
		return number()
	}
	return whole()
}

func structSchema(t reflect.Type) *schema {
	s := object(map[string]*schema{})
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("plan")
		if name == "" || name == "-" {
			continue
		}
		property := schemaOf(f.Type, f.Tag)
		if d, ok := f.Tag.Lookup("default"); ok && property.Type == "string" {
			property.Default = d
		}
		if mayBeUncertain(f.Type) && f.Tag.Get("enum") == "" {
			property = &schema{AnyOf: []*schema{property, {Ref: "#/$defs/uncertain"}}, Default: property.Default}
			property.AnyOf[0].Default = nil
		}
		property.Description = f.Tag.Get("doc")
		s.Properties[name] = property
		if f.Tag.Get("required") == "true" {
			s.Required = append(s.Required, name)
		}
	}
	return s
}
