package clients

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
)

// InstanceFromDump reads an instance from a debugger's dump (utils.py:1052-1130). Each level is
// written in lines such as
//
//	"feature":
//	0:
//	"name": "fa"
//
// The end of a level has to be guessed. A wrong guess raises an exception of Python's dicts and
// lists. A colon in a value is a ValueError (Q169).
func InstanceFromDump(e *env.Env, name string) (*InstanceFormater, error) {
	text, err := pyos.ReadText(e.Files, name)
	if err != nil {
		return nil, err
	}
	d := dumpReader{root: &pysem.Dict{}}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, `"root":`) {
			continue
		}
		if err := d.line(line); err != nil {
			return nil, err
		}
	}
	return instanceOf(plainValue(d.root))
}

// dumpReader builds the object that a dump describes. Its values are *pysem.Dict, *dumpList,
// string, int and nil. The stack holds the path, of strings and ints, to the place that is being
// filled.
type dumpReader struct {
	root  *pysem.Dict
	stack []any
}

// dumpList is a Python list. It is a pointer type, because Python's lists change in place.
type dumpList struct{ items []any }

// featureKeys holds the fields of a feature (utils.py:49).
var featureKeys = []string{
	"name", "fid", "float_value", "int64_value", "bytes_value", "fid_list", "float_list", "int64_list", "bytes_list",
}

func (d *dumpReader) line(line string) error {
	parts := strings.Split(pysem.Strip(line), ":")
	if len(parts) != 2 {
		return pysem.UnpackError(2, len(parts))
	}
	for i := range parts {
		parts[i] = strings.Trim(strings.Trim(pysem.Strip(parts[i]), `"`), "'")
	}
	key, text := parts[0], parts[1]
	if text == "" {
		return d.open(key)
	}
	var value any = text
	if pysem.IsNumeric(text) {
		number, err := pysem.ParseInt(text)
		if err != nil {
			return err
		}
		value = pysem.Int(number)
	}
	if pysem.IsNumeric(key) {
		return d.element(value)
	}
	return d.member(key, value)
}

// place returns the value at the path in the stack, and the dict or list that contains it.
func (d *dumpReader) place() (holder, at any, err error) {
	at = d.root
	for _, key := range d.stack {
		holder = at
		if at, err = subscript(at, key); err != nil {
			return nil, nil, err
		}
	}
	return holder, at, nil
}

// memberPlace returns the place at which the member of an object is put. If the present place is a
// list, the member ends that list.
func (d *dumpReader) memberPlace() (holder, at any, err error) {
	holder, at, err = d.place()
	if _, isList := at.(*dumpList); isList && err == nil {
		d.stack = d.stack[:len(d.stack)-1]
		at = holder
	}
	return holder, at, err
}

// open begins a level.
func (d *dumpReader) open(key string) error {
	holder, at, err := d.memberPlace()
	if err != nil {
		return err
	}
	if pysem.IsNumeric(key) {
		return d.openElement(key, holder)
	}
	switch {
	case at == nil:
		err = d.fill(holder, object1(key, nil))
	case d.inFeature():
		err = d.openFeatureMember(key, at)
	default:
		err = update(at, key, nil)
	}
	if err != nil {
		return err
	}
	d.stack = append(d.stack, key)
	return nil
}

// openElement begins an element of a list. The first element creates the list.
func (d *dumpReader) openElement(key string, holder any) error {
	number, err := pysem.ParseInt(key)
	if err != nil {
		return err
	}
	if number.Sign() == 0 {
		if err := d.fill(holder, &dumpList{items: []any{nil}}); err != nil {
			return err
		}
		d.stack = append(d.stack, 0)
		return nil
	}
	if len(d.stack) == 0 {
		return pysem.Raise("IndexError", "list assignment index out of range")
	}
	d.stack[len(d.stack)-1] = pysem.Saturate(pysem.Int(number))
	return push(holder, nil)
}

// inFeature reports whether the present place is an element of the list of features.
func (d *dumpReader) inFeature() bool {
	n := len(d.stack)
	if n < 2 {
		return false
	}
	_, isIndex := d.stack[n-1].(int)
	return isIndex && d.stack[n-2] == "feature"
}

// openFeatureMember begins a member of a feature. The member belongs to the instance instead if a
// feature has no such member, or if this feature already has it.
func (d *dumpReader) openFeatureMember(key string, at any) error {
	if slices.Contains(featureKeys, key) {
		has, err := contains(at, key)
		if err != nil {
			return err
		}
		if !has {
			return update(at, key, nil)
		}
	}
	d.stack = d.stack[:len(d.stack)-2]
	d.root.Set(key, nil)
	return nil
}

// member sets a scalar.
func (d *dumpReader) member(key string, value any) error {
	holder, at, err := d.memberPlace()
	if err != nil {
		return err
	}
	if at == nil {
		return d.fill(holder, object1(key, value))
	}
	if _, ok := at.(*pysem.Dict); !ok {
		return &pysem.Error{Type: "AssertionError"}
	}
	return update(at, key, value)
}

// element adds a scalar to the list at the present place.
func (d *dumpReader) element(value any) error {
	holder, at, err := d.place()
	if err != nil {
		return err
	}
	if at == nil {
		return d.fill(holder, &dumpList{items: []any{value}})
	}
	return push(at, value)
}

// fill sets the value at the path in the stack.
func (d *dumpReader) fill(holder, value any) error {
	if len(d.stack) == 0 {
		return indexError()
	}
	key := d.stack[len(d.stack)-1]
	switch h := holder.(type) {
	case *pysem.Dict:
		if name, ok := key.(string); ok {
			h.Set(name, value)
			return nil
		}
	case *dumpList:
		i, ok := key.(int)
		if !ok {
			return pysem.Raise("TypeError", "list indices must be integers or slices, not %s", pysem.TypeName(key))
		}
		if i >= len(h.items) {
			return pysem.Raise("IndexError", "list assignment index out of range")
		}
		h.items[i] = value
		return nil
	}
	return pysem.Raise("TypeError", "'%s' object does not support item assignment", dumpTypeName(holder))
}

// subscript returns container[key], with the errors that Python raises.
func subscript(container, key any) (any, error) {
	if list, ok := container.(*dumpList); ok {
		container = list.items
	}
	return pysem.Subscript(container, key)
}

// contains returns Python's `key in container`, with the errors that Python raises.
func contains(container any, key string) (bool, error) {
	switch c := container.(type) {
	case *pysem.Dict:
		_, ok := c.Get(key)
		return ok, nil
	case *dumpList:
		return slices.Contains(c.items, any(key)), nil
	case string:
		return strings.Contains(c, key), nil
	}
	return false, pysem.Raise("TypeError", "argument of type '%s' is not iterable", dumpTypeName(container))
}

// update performs Python's container.update({key: value}), with the errors that Python raises.
func update(container any, key string, value any) error {
	d, ok := container.(*pysem.Dict)
	if !ok {
		return pysem.Raise("AttributeError", "'%s' object has no attribute 'update'", dumpTypeName(container))
	}
	d.Set(key, value)
	return nil
}

// push performs Python's container.append(value), with the errors that Python raises.
func push(container, value any) error {
	l, ok := container.(*dumpList)
	if !ok {
		return pysem.Raise("AttributeError", "'%s' object has no attribute 'append'", dumpTypeName(container))
	}
	l.items = append(l.items, value)
	return nil
}

func object1(key string, value any) *pysem.Dict {
	return &pysem.Dict{Items: []pysem.Item{{Key: key, Value: value}}}
}

func dumpTypeName(v any) string {
	if _, ok := v.(*dumpList); ok {
		return "list"
	}
	return pysem.TypeName(v)
}

// plainValue replaces each *dumpList in v by a []any.
func plainValue(v any) any {
	switch v := v.(type) {
	case *dumpList:
		return lists.Map(v.items, plainValue)
	case *pysem.Dict:
		d := &pysem.Dict{}
		for _, x := range v.Items {
			d.Set(x.Key, plainValue(x.Value))
		}
		return d
	}
	return v
}
