package plan

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// decoder fills a Plan from YAML nodes, as the tags of its fields say.
type decoder struct {
	file     string
	folders  []string // folders in or below which every file that the plan names must lie
	read     func(path string) (string, error)
	problems Problems
	places   map[string]place  // line and column in the file, by path
	words    map[string]string // text of each single value in the file, by path
	unsure   []Uncertain
	targets  map[string]quantity.Kind // kind of quantity in which each autoscaler target is written, by path
}

// given reports whether the file has a value at a path.
func (d *decoder) given(path string) bool { _, ok := d.places[path]; return ok }

// nodeDecoder is implemented by types whose values have several YAML forms.
type nodeDecoder interface {
	decodeNode(d *decoder, n *yaml.Node, path string)
}

// textDecoder is implemented by types whose values are written as one scalar.
type textDecoder interface {
	decodeText(d *decoder, text, path string)
}

// field is a struct field with its tags.
type field struct {
	value    reflect.Value
	tag      reflect.StructTag
	name     string
	required bool
	unless   string // name of a key in the same mapping, which makes this one optional if it is given
}

func fieldsOf(v reflect.Value) []field {
	var list []field
	t := v.Type()
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("plan")
		if name == "" || name == "-" {
			continue
		}
		tag := t.Field(i).Tag
		list = append(list, field{value: v.Field(i), tag: tag, name: name, required: tag.Get("required") == "true", unless: tag.Get("unless")})
	}
	return list
}

func namesOf(fields []field) []string {
	return lists.Map(fields, func(f field) string { return f.name })
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// record stores where a key and its value are in the file.
func (d *decoder) record(path string, key, value *yaml.Node) {
	d.places[path] = place{key.Line, key.Column, value.Line, value.Column}
	if value.Kind == yaml.ScalarNode {
		d.words[path] = value.Value
	}
}

// mapping calls the function each for every key of a mapping. It reports unknown and duplicate
// keys.
func (d *decoder) mapping(n *yaml.Node, path string, names []string, each func(name string, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.report(path, wrongUnit, "%s: found %s, a mapping expected", cmp.Or(lastName(path), "the plan"), shapeOf(n))
		return
	}
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind == yaml.ScalarNode && value.Style == 0 && n.Style&yaml.FlowStyle != 0 && openCall(value.Value) {
			d.record(join(path, key.Value), key, value)
			d.unquoted(n, i, value)
			return
		}
		if earlier := first[key.Value]; earlier != nil {
			d.at(key.Line, key.Column, duplicateKey, "key %q given twice (first at %d:%d)", key.Value, earlier.Line, earlier.Column)
			continue
		}
		first[key.Value] = key
		if names != nil && !slices.Contains(names, key.Value) {
			d.at(key.Line, key.Column, unknownKey, "unknown key %q%s", key.Value, Nearest(key.Value, names))
			continue
		}
		d.record(join(path, key.Value), key, value)
		if value.Kind == yaml.AliasNode {
			d.at(value.Line, value.Column, wrongUnit, "%s: found an alias, want the value itself", key.Value)
			continue
		}
		if value.Tag == "!!null" {
			d.at(value.Line, value.Column, requiredKey, "%s has no value", join(path, key.Value))
			continue
		}
		each(key.Value, value)
	}
}

// openCall reports whether a text has more opening than closing parentheses, as when YAML
// has cut a call such as exp(...) at a comma.
func openCall(text string) bool { return strings.Count(text, "(") > strings.Count(text, ")") }

// unquoted reports a distribution without quotes that YAML has cut into several keys, at a
// comma inside { }.
func (d *decoder) unquoted(n *yaml.Node, i int, value *yaml.Node) {
	text := value.Value
	for j := i + 2; j+1 < len(n.Content) && openCall(text); j += 2 {
		text += ", " + n.Content[j].Value
	}
	d.at(value.Line, value.Column, unquotedLaw, "distribution with a comma inside { }: write %q in quotes", text)
}

func shapeOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	const most = 60 // the text may be a whole file that is not a plan, so only so much of it is quoted
	if text := []rune(n.Value); len(text) > most {
		return strconv.Quote(string(text[:most])) + " and so on"
	}
	return strconv.Quote(n.Value)
}

// lastName returns the last key of a path. For an item of a list, it returns the key of the
// list.
func lastName(path string) string {
	rest, name, _ := cutLast(path)
	if _, err := strconv.Atoi(name); err == nil && rest != "" {
		return lastName(rest)
	}
	return name
}

// cutLast splits a path into its last key and the rest before it.
func cutLast(path string) (rest, key string, found bool) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:], true
	}
	return "", path, false
}

// structure fills a struct from a mapping. If n is nil, because the file lacks the key, it
// fills in defaults.
func (d *decoder) structure(v reflect.Value, n *yaml.Node, path string) {
	fields := fieldsOf(v)
	seen := map[string]bool{}
	if n != nil {
		d.mapping(n, path, namesOf(fields), func(name string, value *yaml.Node) {
			seen[name] = true
			for _, f := range fields {
				if f.name == name {
					d.value(f.value, value, join(path, name), f.tag)
				}
			}
		})
	}
	for _, f := range fields {
		if !seen[f.name] && !d.given(join(path, f.name)) {
			d.missing(f, join(path, f.name))
		}
	}
}

// missing fills in the default of a field that the file does not give, or reports that the
// field is required.
func (d *decoder) missing(f field, path string) {
	text, ok := f.tag.Lookup("default")
	parent, _, _ := cutLast(path)
	switch {
	case f.unless != "" && d.given(join(parent, f.unless)):
	case f.required:
		d.reportParent(path)
	case ok:
		d.value(f.value, &yaml.Node{Kind: yaml.ScalarNode, Value: text}, path, f.tag)
	case f.value.Kind() == reflect.Struct && !isLaw(f.value):
		d.structure(f.value, nil, path)
	}
}

// reportParent reports a missing key at the place of its parent's key.
func (d *decoder) reportParent(path string) {
	parent, _, _ := cutLast(path)
	d.reportKey(parent, requiredKey, "%s is required", path)
}

func isLaw(v reflect.Value) bool {
	switch v.Interface().(type) {
	case TimeLaw, NumberLaw, noiseLaw, delayLaw:
		return true
	}
	return false
}

// value fills a field of any type.
func (d *decoder) value(v reflect.Value, n *yaml.Node, path string, tag reflect.StructTag) {
	if isUncertain(v, n) {
		d.uncertain(v, n, path, tag)
		return
	}
	switch x := v.Addr().Interface().(type) {
	case nodeDecoder:
		x.decodeNode(d, n, path)
		return
	case textDecoder:
		if d.scalar(n, path) {
			x.decodeText(d, n.Value, path)
		}
		d.ranged(v, n, path, tag)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(v, n, path)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(v.Elem(), n, path, tag)
	case reflect.Slice:
		d.list(v, n, path, tag)
	case reflect.Map:
		d.mapping(n, path, nil, func(name string, value *yaml.Node) {
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			e := reflect.New(v.Type().Elem()).Elem()
			d.value(e, value, join(path, name), tag)
			v.SetMapIndex(reflect.ValueOf(name), e)
		})
	default:
		if d.scalar(n, path) && d.plain(v, n, path) {
			d.ranged(v, n, path, tag)
		}
	}
}

// list fills a slice. Its items have paths such as events.3, counted from 0.
func (d *decoder) list(v reflect.Value, n *yaml.Node, path string, tag reflect.StructTag) {
	if n.Kind != yaml.SequenceNode {
		d.report(path, wrongUnit, "%s: found %s, a list expected", lastName(path), shapeOf(n))
		return
	}
	for i, item := range n.Content {
		at := join(path, strconv.Itoa(i))
		d.record(at, item, item)
		if item.Kind == yaml.AliasNode {
			d.at(item.Line, item.Column, wrongUnit, "%s: found an alias, want the value itself", lastName(path))
			continue
		}
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(e, item, at, tag)
		v.Set(reflect.Append(v, e))
	}
}

func (d *decoder) scalar(n *yaml.Node, path string) bool {
	if n.Kind == yaml.ScalarNode {
		return true
	}
	d.report(path, wrongUnit, "%s: found %s, a single value expected", lastName(path), shapeOf(n))
	return false
}
