package plan

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/show/jsonschema"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

type schema = jsonschema.Schema

// Schema returns the JSON schema of the plan file, for editors.
func Schema() []byte {
	s := schemaOf(reflect.TypeFor[Plan](), "")
	value := &schema{AnyOf: []*schema{jsonschema.Text(), jsonschema.Number()}}
	s.Defs = map[string]*schema{"uncertain": {Description: "a value that is not known for sure: an interval, or a law of factors of mid with the mean 1", AnyOf: []*schema{
		jsonschema.Object(map[string]*schema{"low": value, "mid": value, "high": value, "confidence": value}, "low", "mid", "high"), jsonschema.Object(map[string]*schema{"mid": value, "belief": jsonschema.Text()}, "mid", "belief")}}}
	return s.Document("monosim capacity plan")
}

func clock() *schema {
	return &schema{Type: "string", Pattern: `^\d\d:\d\d(:\d\d)?$|^` + unitPattern(quantity.Duration) + `$`}
}
func lawText() *schema {
	return &schema{Type: "string", Examples: []string{"lognormal(mean=1ms, cv=0.5)"}}
}

// special returns the JSON schema of a type with a special YAML form. It returns nil for
// other types.
func special(t reflect.Type) *schema {
	switch t {
	case reflect.TypeFor[Clock]():
		return clock()
	case reflect.TypeFor[TimeLaw](), reflect.TypeFor[NumberLaw](), reflect.TypeFor[noiseLaw](), reflect.TypeFor[delayLaw]():
		return &schema{AnyOf: []*schema{lawText(), jsonschema.Number()}}
	case reflect.TypeFor[Skew]():
		forms := schemaOf(reflect.TypeFor[skewForms](), "").Properties
		return &schema{AnyOf: []*schema{{Enum: []any{"none"}}, jsonschema.Object(map[string]*schema{"zipf": forms["zipf"]}, "zipf"),
			jsonschema.Object(map[string]*schema{"shares": forms["shares"]}, "shares")}}
	case reflect.TypeFor[Replicas]():
		return &schema{AnyOf: []*schema{jsonschema.Whole(), schemaOf(reflect.TypeFor[replicasForms](), "")}}
	case reflect.TypeFor[RateLaw]():
		return &schema{AnyOf: []*schema{quantitySchema(quantity.Rate), schemaOf(reflect.TypeFor[rateForms](), "")}}
	case reflect.TypeFor[Kill](), reflect.TypeFor[Slow]():
		tiers := map[string]*schema{}
		for _, name := range TierNames {
			tiers[name] = schemaOf(reflect.TypeFor[picked](), "")
			tiers[name].Description = "containers of " + name
		}
		if t == reflect.TypeFor[Kill]() {
			tiers["refuse"] = &schema{Type: "boolean", Description: "calls to them are refused at once; else nobody answers"}
		}
		return jsonschema.Object(tiers)
	case reflect.TypeFor[Axes]():
		return axesSchema()
	case reflect.TypeFor[Sweeps]():
		return &schema{Type: "object", Additional: axesSchema()}
	case reflect.TypeFor[SLO](), reflect.TypeFor[Must](), reflect.TypeFor[Balance](), reflect.TypeFor[Partial](), reflect.TypeFor[Loop](), reflect.TypeFor[HedgeAfter](), reflect.TypeFor[Traced](), reflect.TypeFor[starts]():
		return jsonschema.Text()
	case reflect.TypeFor[Target](), reflect.TypeFor[Shards](), reflect.TypeFor[Thin]():
		return &schema{AnyOf: []*schema{jsonschema.Text(), jsonschema.Number()}}
	}
	return nil
}

func axesSchema() *schema {
	return &schema{Type: "object", Additional: &schema{AnyOf: []*schema{{Type: "string", Pattern: `^\s*\d+\s*\.\.\s*\d+\s*$`}, {Type: "array"}}}}
}

func unitPattern(kind quantity.Kind) string {
	var units []string
	for u := range quantity.Units(kind) { //lint:order sorted below
		units = append(units, regexp.QuoteMeta(u))
	}
	slices.Sort(units)
	between := ""
	if kind == quantity.Cost {
		for i, u := range units {
			units[i] = strings.TrimSuffix(u, "/h")
		}
		between = `\s*` + quantity.Currency + `?/h`
	}
	one := `[+-]?(\d+(\.\d*)?|\d{1,3}(,\d{3})+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*(` + strings.Join(units, "|") + `)` + between
	if kind == quantity.Duration {
		return `(` + one + `|[+-]?(\d+(\.\d*)?(` + strings.Join(units, "|") + `)){2,})` // as 2m45s
	}
	return one
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
		return jsonschema.List(schemaOf(t.Elem(), ""))
	case reflect.Map:
		return &schema{Type: "object", Additional: schemaOf(t.Elem(), "")}
	case reflect.Struct:
		return structSchema(t)
	case reflect.Bool:
		return jsonschema.Boolean()
	case reflect.String:
		return jsonschema.Text()
	case reflect.Float64:
		return jsonschema.Number()
	}
	return jsonschema.Whole()
}

func structSchema(t reflect.Type) *schema {
	s := jsonschema.Object(map[string]*schema{})
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("plan")
		if name == "" || name == "-" {
			continue
		}
		property := schemaOf(f.Type, f.Tag)
		if d, ok := f.Tag.Lookup("default"); ok {
			property.Default = defaultOf(d, property.Type)
		}
		if mayBeUncertain(f.Type) && f.Tag.Get("enum") == "" {
			property = &schema{AnyOf: []*schema{property, {Ref: "#/$defs/uncertain"}}, Default: property.Default}
			property.AnyOf[0].Default = nil
		}
		property.Description = described(f.Tag)
		s.Properties[name] = property
		if f.Tag.Get("required") == "true" && f.Tag.Get("unless") == "" {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// defaultOf returns the default of a property as a JSON value.
func defaultOf(text, kind string) any {
	switch kind {
	case "integer", "number":
		return json.Number(text)
	case "boolean":
		return text == "true"
	}
	return text
}

// described returns the description of a key in the schema: what it is, its range, and its name in
// agent.conf.
func described(tag reflect.StructTag) string {
	parts := []string{tag.Get("doc")}
	if text := tag.Get("range"); text != "" {
		parts = append(parts, text)
	}
	if key := tag.Get("conf"); key != "" {
		parts = append(parts, key+" of agent.conf")
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}
