package agentconfig

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/pysem/expr"
	"github.com/monosim/monosim/engine/quirks"
)

// trueWords and falseWords are the words for true and false in a file, in lower case
// (utils.py:766-772).
var trueWords, falseWords = []string{"true", "y", "t", "yes", "1"}, []string{"false", "n", "f", "no", "0"}

// IsTrue reports whether a word of a file reads as true.
func IsTrue(word string) bool { return slices.Contains(trueWords, pysem.Lower(word)) }

// IsFalse reports whether a word of a file reads as false. A word can be neither true nor false.
func IsFalse(word string) bool { return slices.Contains(falseWords, pysem.Lower(word)) }

// FromFile reads a configuration file and completes it from the environment (utils.py:757-794). It
// also writes the platform config file. Errors are *pysem.Error with Python's type. A word that
// cannot be converted is only logged, and the field keeps its default (Q158). A missing file leads
// to the AssertionError of a missing deploy_type. [CheckConf] explains what is wrong with a file.
func FromFile(e *env.Env, path string) (*AgentConfig, error) {
	return Loader{Env: e}.FromFile(path)
}

// FromFile is [FromFile] with the loader's quirks.
//
// Cost: reading grows with the lines of the file and its includes. It happens twice at the start
// and never again.
func (l Loader) FromFile(path string) (*AgentConfig, error) {
	var args pysem.Dict
	if err := ParseConf(l.Env, path, &args, l.Quirks); err != nil {
		return nil, err
	}
	fields, err := l.fieldsOf(configKeys, &args)
	if err != nil {
		return nil, err
	}
	return l.New(fields...)
}

// fieldsOf makes the fields' values from the words that a file gives for their keys.
func (l Loader) fieldsOf(keys *keyTable, args *pysem.Dict) ([]dataclass.Field, error) {
	var fields []dataclass.Field
	for _, key := range keys.list {
		value, ok, err := l.fieldOf(key, args)
		switch {
		case err != nil:
			return nil, err
		case ok:
			fields = append(fields, dataclass.Field{Name: key.Name, Value: value})
		}
	}
	return fields, nil
}

// fieldOf returns the value that a file gives to a key. ok is false if the field keeps its default.
func (l Loader) fieldOf(key Key, args *pysem.Dict) (value any, ok bool, err error) {
	word, ok := args.Get(key.Name)
	if ok {
		if list, isList := word.([]any); isList && key.Reading != ReadList && !l.Quirks.Keeps(quirks.Q156) {
			word = list[len(list)-1]
		}
		value, err = l.convert(key, word)
		if err == nil {
			return value, true, nil
		}
		if !l.Quirks.Keeps(quirks.Q158) || pysem.IsRefused(err) {
			return nil, false, pysem.Raise(pysem.TypeOf(err), "%s: %s", key.Name, err.(*pysem.Error).Message)
		}
		// utils.py:788: the field keeps its default.
		logf(l.Env, env.Error, "type convert %s error, the type is %s", key.Name, key.Reading.class())
	}
	if key.Older == "" {
		return nil, false, nil
	}
	// utils.py:791: the field gets the word of the key's older name, unconverted, or None.
	word, _ = args.Get(key.Older)
	return word, true, nil
}

// convert converts a word of a file to the value of a key. For a key that occurs several times,
// word is a list.
func (l Loader) convert(key Key, word any) (any, error) {
	if key.Reading == ReadList {
		if list, ok := word.([]any); ok {
			return list, nil
		}
		return []any{word}, nil
	}
	text, ok := word.(string)
	if !ok {
		// word is a list, which in Python has no lower() and cannot be evaluated (Q156).
		return nil, pysem.AttributeError(word, "lower")
	}
	switch key.Reading {
	case ReadBool:
		return l.convertBool(text)
	case ReadInt:
		v, err := EvalNumber(text, key.Name, "int")
		if err != nil {
			return nil, err
		}
		return expr.ToInt(v)
	case ReadFloat:
		v, err := EvalNumber(text, key.Name, "float")
		if err != nil {
			return nil, err
		}
		return expr.ToFloat(v)
	}
	if pysem.Lower(text) == "none" {
		return nil, nil
	}
	return text, nil
}

func (l Loader) convertBool(text string) (any, error) {
	switch {
	case IsTrue(text):
		return true, nil
	case IsFalse(text):
		return false, nil
	case l.Quirks.Keeps(quirks.Q154):
		return text != "", nil // utils.py:787: bool(text)
	}
	return nil, pysem.Raise("ValueError", "found %q, want true or false", text)
}

// logf logs a line if the Env has a log.
func logf(e *env.Env, level env.Level, format string, args ...any) {
	if e.Log != nil && e.Log.Enabled(level) {
		e.Log.Logf(level, format, args...)
	}
}
