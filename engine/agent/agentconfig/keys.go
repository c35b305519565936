package agentconfig

import (
	"reflect"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// configClass describes the fields of [AgentConfig], as derived from its struct tags.
var configClass = dataclass.Of(func(c *AgentConfig) **dataclass.OddValues { return &c.odd })

// configKeys holds the keys of an agent.conf, derived from the same struct tags.
var configKeys = keysOf(configClass.Fields())

// serverFlags holds the keys that are flags of the model server.
var serverFlags = configKeys.ownedBy(reflect.TypeFor[TfServingConfig]())

// Key describes a key of an agent.conf. It is derived from the struct tag of the field in
// [AgentConfig].
type Key struct {
	// Name is the reference's name of the field.
	Name string
	// Reading says how words in a file are converted.
	Reading Reading
	// Default is the value when a file lacks the key, a Python value.
	Default any
	// Words holds the words that an agent accepts, in lower case; empty when it accepts any.
	Words []string
	// WrongIsFatal means that no agent starts if the word is not one of Words.
	WrongIsFatal bool
	// Older is a former name of the key, "" if there is none. If the file lacks the key but has the
	// former name, the field gets the former name's word, unconverted.
	Older string

	owner reflect.Type
}

// class returns the repr of the Python type that the dataclass declares for the field
// (utils.py:789).
func (r Reading) class() string {
	switch r {
	case ReadBool:
		return "<class 'bool'>"
	case ReadInt:
		return "<class 'int'>"
	case ReadFloat:
		return "<class 'float'>"
	case ReadList:
		return "typing.List"
	}
	return "<class 'str'>"
}

// Reading says how the word after a key is converted (utils.py:757-790).
type Reading uint8

// A Reading is a way in which a key's value is read. Each comment ends with the Go types of the
// fields that are read so.
const (
	ReadText  Reading = iota // the value is a word, and "none" becomes None: all other types
	ReadBool                 // the value is a word for true or false: bool
	ReadInt                  // the value is an expression, converted to int: int, pysem.OptInt
	ReadFloat                // the value is an expression, converted to float: float64
	ReadList                 // the values of all lines with this key form a list: []string
)

// Keys lists the keys of an agent.conf in the order of the reference's fields.
func Keys() []Key { return slices.Clone(configKeys.list) }

// keyTable holds the keys of a configuration class in the order of its fields, and finds them by
// name.
type keyTable struct {
	list   []Key
	byName map[string]Key // keys by name, also by their older names
	names  []string       // names of all keys, the older names last
}

// These struct tags appear only on fields of [AgentConfig], where they are explained.
const (
	wordsTag   = "words"
	wrongTag   = "wrong"
	olderTag   = "older"
	wrongFatal = "fatal"
)

// keysOf makes the key table from the fields of a configuration class.
func keysOf(fields []dataclass.Attribute) *keyTable {
	t := &keyTable{byName: map[string]Key{}}
	var older []string
	for _, f := range fields {
		key := Key{
			Name: f.Name, Reading: readingOf(f.Type), Default: f.Default, owner: f.Owner,
			Words: strings.Fields(f.Tag.Get(wordsTag)), WrongIsFatal: f.Tag.Get(wrongTag) == wrongFatal,
			Older: f.Tag.Get(olderTag),
		}
		t.list = append(t.list, key)
		t.names = append(t.names, key.Name)
		t.byName[key.Name] = key
		if key.Older != "" {
			older = append(older, key.Older)
			t.byName[key.Older] = key.older()
		}
	}
	t.names = append(t.names, older...)
	return t
}

// older returns the key that reads the older name. The word of an older name is not converted, so
// "none" does not mean None there and is not an accepted word.
func (k Key) older() Key {
	k.Words = slices.DeleteFunc(slices.Clone(k.Words), func(word string) bool { return word == "none" })
	k.Name, k.Older = k.Older, ""
	return k
}

func readingOf(t reflect.Type) Reading {
	switch t {
	case reflect.TypeFor[bool]():
		return ReadBool
	case reflect.TypeFor[int](), reflect.TypeFor[pysem.OptInt]():
		return ReadInt
	case reflect.TypeFor[float64]():
		return ReadFloat
	case reflect.TypeFor[[]string]():
		return ReadList
	}
	return ReadText
}

// ownedBy returns the keys whose fields belong to the struct owner.
func (t *keyTable) ownedBy(owner reflect.Type) []Key {
	return lists.Filter(t.list, func(key Key) bool { return key.owner == owner })
}

// Set assigns a Python value of any type to a field by its Python name, as a keyword argument or an
// attribute assignment does. An unknown name is a TypeError.
func (c *AgentConfig) Set(name string, value any) error { return configClass.Set(c, name, value) }

// Get returns the Python value of a field by its Python name; ok reports whether there is such a
// field. model_config_file, a class attribute and no field, is None.
func (c *AgentConfig) Get(name string) (value any, ok bool) {
	value, ok = configClass.Lookup(c, name)
	return value, ok || name == "model_config_file"
}

// Fields lists all fields with their Python values, in the reference's order.
func (c *AgentConfig) Fields() []dataclass.Field { return configClass.List(c) }
