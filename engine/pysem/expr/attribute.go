package expr

import (
	"maps"
	"math/big"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// methods holds the methods of values, by class and name.
var methods map[string]map[string]*builtin

// statics holds the functions that are called on a class itself, such as dict.fromkeys.
var statics map[string]map[string]*builtin

func init() {
	methods = map[string]map[string]*builtin{}
	for _, table := range [][]*builtin{
		stringMethods, textLib.methods(), stringTestMethods, bytesMethods, bytesLib.methods(), listMethods, tupleMethods, rangeMethods,
		dictMethods, setMethods, intMethods, floatMethods,
	} {
		for _, b := range table {
			if methods[b.of] == nil {
				methods[b.of] = map[string]*builtin{}
			}
			methods[b.of][b.name] = b
		}
	}
	methods["frozenset"] = frozenMethods()
	methods["bool"] = methods["int"]
	methods["dict_keys"] = map[string]*builtin{}
	statics = map[string]map[string]*builtin{
		"dict": {"fromkeys": dictFromKeys}, "str": {"maketrans": strMakeTrans}, "int": {"from_bytes": intFromBytes},
		"bool": {"from_bytes": boolFromBytes}, "float": {"fromhex": floatFromHex}, "bytes": {"fromhex": bytesFromHex, "maketrans": bytesMakeTrans},
	}
}

// hidden lists, by class, attributes that exist in Python but that this package refuses.
var hidden = map[string][]string{
	"generator":   {"close", "gi_code", "gi_frame", "gi_running", "gi_suspended", "gi_yieldfrom", "send", "throw"},
	"type":        {"mro"},
	"dict_keys":   {"isdisjoint", "mapping"},
	"dict_items":  {"isdisjoint", "mapping"},
	"dict_values": {"mapping"},
	"slice":       {"indices"},
}

// attribute returns v.id.
func (m *machine) attribute(v Value, id string) (Value, error) {
	if isDunder(id) {
		return nil, refuse(outside, "the attribute "+id)
	}
	class, isClass := v.(*class)
	typ := typeName(v)
	if isClass {
		if b, ok := methods[class.name][id]; ok {
			return b, nil
		}
		typ = class.name
	}
	if b, ok := statics[typ][id]; ok {
		return b, nil
	}
	if slices.Contains(hidden[typ], id) || isClass && (slices.Contains(hidden["type"], id) || plainAttribute[class.name+"."+id]) {
		return nil, refuse(outside, "the attribute "+id+" of a "+typ)
	}
	if isClass {
		return nil, raise("AttributeError", "type object '%s' has no attribute '%s'", class.name, id)
	}
	if b, ok := methods[typ][id]; ok {
		return &method{builtin: b, self: v}, nil
	}
	if value, ok := plain(v, id); ok {
		return value, nil
	}
	return nil, raise("AttributeError", "'%s' object has no attribute '%s'", typ, id)
}

// plainAttribute lists attributes, as class.name, that are values and not methods.
var plainAttribute = map[string]bool{
	"int.real": true, "int.imag": true, "int.numerator": true, "int.denominator": true, "bool.real": true, "bool.imag": true,
	"bool.numerator": true, "bool.denominator": true, "float.real": true, "float.imag": true,
	"range.start": true, "range.stop": true, "range.step": true, "slice.start": true, "slice.stop": true, "slice.step": true,
}

// plain returns an attribute that is a value, not a method.
func plain(v Value, id string) (Value, bool) {
	switch v := v.(type) {
	case bool, int, *big.Int:
		n, _ := pysem.Big(v)
		switch id {
		case "real", "numerator":
			return pysem.Int(n), true
		case "imag":
			return 0, true
		case "denominator":
			return 1, true
		}
	case float64:
		switch id {
		case "real":
			return v, true
		case "imag":
			return 0.0, true
		}
	case *Range:
		part, ok := map[string]Value{"start": v.Start, "stop": v.Stop, "step": v.Step}[id]
		return part, ok
	case *Slice:
		part, ok := map[string]Value{"start": v.Start, "stop": v.Stop, "step": v.Step}[id]
		return part, ok
	}
	return nil, false
}

// frozenMethods returns the methods of frozenset, which are the methods of set that do not change
// it.
func frozenMethods() map[string]*builtin {
	kept := maps.Clone(methods["set"])
	maps.DeleteFunc(kept, func(name string, _ *builtin) bool { return changesSet[name] })
	frozen := map[string]*builtin{}
	for name, b := range kept { //lint:ordered each method has an entry of its own
		copied := *b
		copied.of = "frozenset"
		frozen[name] = &copied
	}
	return frozen
}
