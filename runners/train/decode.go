package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// decoder fills structs from YAML strictly and collects all mistakes.
type decoder struct {
	file   string
	faults []error
	at     []string // where in the file each fault is
}

// fault records a mistake at a node's place in the file.
func (d *decoder) fault(n *yaml.Node, format string, args ...any) {
	d.at = append(d.at, d.where(n))
	d.faults = append(d.faults, fmt.Errorf("%s: %s", d.where(n), fmt.Sprintf(format, args...)))
}

func (d *decoder) where(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", d.file, n.Line, n.Column)
}

func (d *decoder) err() error { return errors.Join(d.faults...) }

// object fills the fields of a struct from a YAML mapping, by their yaml tags.
func (d *decoder) object(n *yaml.Node, name string, into any) {
	if n.Kind != yaml.MappingNode {
		d.fault(n, "%s: found %s, want keys and values", name, shown(n))
		return
	}
	fields := map[string]reflect.Value{}
	var known []string
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("yaml")
		fields[tag] = v.Field(i)
		known = append(known, tag)
	}
	slices.Sort(known)
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field, ok := fields[key.Value]
		switch {
		case !ok:
			d.fault(key, "%s: found key %q, want one of %s", name, key.Value, strings.Join(known, ", "))
		case seen[key.Value]:
			d.fault(key, "%s: found key %q twice, want it once", name, key.Value)
		default:
			seen[key.Value] = true
			d.value(value, under(name, key.Value), field)
		}
	}
}

// under names a key by the mapping that has it. The keys of the plan itself have their own names.
func under(name, key string) string {
	if name == "plan" {
		return key
	}
	return name + ": " + key
}

func (d *decoder) value(n *yaml.Node, name string, field reflect.Value) {
	switch {
	case field.Type() == reflect.TypeFor[yaml.Node]():
		field.Set(reflect.ValueOf(*n))
	case n.Tag == "!!null":
		d.fault(n, "%s: found nothing, want %s", name, wanted(field.Type()))
	case field.Kind() == reflect.Struct:
		d.object(n, name, field.Addr().Interface())
	default:
		if err := n.Decode(field.Addr().Interface()); err != nil || isCut(n, field.Interface()) {
			d.fault(n, "%s: found %s, want %s", name, misread(n), cmp.Or(bound(n, field.Type()), wanted(field.Type())))
		}
	}
}

// bound describes the range of a type if a node is a number or time outside it, and is "" otherwise.
func bound(n *yaml.Node, t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[time.Duration]() {
		if _, err := time.ParseDuration(n.Value); err != nil && spelledDuration.MatchString(n.Value) {
			return "a time of 292 years or less"
		}
		return ""
	}
	number, ok := new(big.Int).SetString(strings.ReplaceAll(n.Value, "_", ""), 0)
	whole := t.Kind() == reflect.Int || t.Kind() == reflect.Int64
	switch {
	case !ok, n.Tag == "!!str":
	case t.Kind() == reflect.Uint64 && number.Sign() > 0:
		return fmt.Sprintf("%d or less", uint64(math.MaxUint64))
	case whole && number.Sign() > 0:
		return fmt.Sprintf("%d or less", math.MaxInt64)
	case whole:
		return fmt.Sprintf("%d or more", math.MinInt64)
	}
	return ""
}

// spelledDuration matches what is spelled as a time, of whatever length.
var spelledDuration = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`)

// isCut reports whether decoding a node as a whole number would drop its fraction, which the
// YAML package allows.
func isCut(n *yaml.Node, into any) bool {
	t := reflect.TypeOf(into)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return n.Tag == "!!float" && t.Kind() != reflect.Float64
}

// shown describes a node for error messages.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

// misread describes a node that is not what its type wants. Quotes make a text of a number.
func misread(n *yaml.Node) string {
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		return "the text " + shown(n)
	}
	return shown(n)
}

// wanted describes the valid values of a type, for error messages.
func wanted(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a time as 90s, 10m or 1h30m"
	case t.Kind() == reflect.Pointer:
		return wanted(t.Elem())
	case t.Kind() == reflect.Struct:
		return "keys and values"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return "a list of texts"
	case t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Uint64:
		return "a whole number, 0 or more"
	}
	return "a whole number"
}
