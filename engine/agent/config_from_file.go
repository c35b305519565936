package agent

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// The words of a bool, compared in lower case (utils.py:766-772).
var (
	trueWords  = []string{"true", "y", "t", "yes", "1"}
	falseWords = []string{"false", "n", "f", "no", "0"}
)

// FromFile reads a configuration file and completes it from the environment
// (utils.py:757-794). Errors are *pysem.Error with the type that Python raises.
// A missing file is not an error of its own: it ends in the AssertionError of a
// missing deploy_type. [CheckConf] tells a person what is wrong with a file.
func FromFile(e *env.Env, path string) (*AgentConfig, error) {
	return Loader{Env: e}.FromFile(path)
}

// FromFile is [FromFile].
//
// Speed: read twice at the start and never again, so that evaluating its values
// costs nothing that counts.
func (l Loader) FromFile(path string) (*AgentConfig, error) {
	var args pysem.Dict
	if err := ParseConf(l.Env.Files, path, &args, l.Quirks); err != nil {
		return nil, err
	}
	fields, err := l.fieldsOf(&args)
	if err != nil {
		return nil, err
	}
	return l.New(fields...)
}

// fieldsOf converts the words of a file to the fields' types.
func (l Loader) fieldsOf(args *pysem.Dict) ([]Field, error) {
	var fields []Field
	var types AgentConfig
	hasDeployType := false
	for _, f := range configFields {
		word, ok := args.Get(f.name)
		if !ok {
			continue
		}
		ptr := f.ptr(&types)
		if list, isList := word.([]any); isList && !l.Quirks.Keeps(Q156) {
			if _, wantsList := ptr.(*[]string); !wantsList {
				word = list[len(list)-1]
			}
		}
		value, err := l.convert(ptr, word)
		if err != nil {
			if !l.Quirks.Keeps(Q158) {
				return nil, pysem.Raise(pysem.TypeOf(err), "%s: %s", f.name, err.(*pysem.Error).Message)
			}
			// utils.py:788: the field keeps its default.
			logf(l.Env, env.Error, "type convert %s error: %v", f.name, err)
			continue
		}
		hasDeployType = hasDeployType || f.name == "deploy_type"
		fields = append(fields, Field{Name: f.name, Value: value})
	}
	if !hasDeployType {
		// utils.py:791: the older name.
		serverType, _ := args.Get("server_type")
		fields = append(fields, Field{Name: "deploy_type", Value: serverType})
	}
	return fields, nil
}

// convert makes a value of the type of the field behind ptr from word, a string
// or the list of a duplicate key.
func (l Loader) convert(ptr, word any) (any, error) {
	if _, ok := ptr.(*[]string); ok {
		if list, ok := word.([]any); ok {
			return list, nil
		}
		return []any{word}, nil
	}
	text, ok := word.(string)
	if !ok {
		// A duplicate scalar has no lower() and is no source for eval (Q156).
		return nil, pysem.AttributeError(word, "lower")
	}
	switch ptr.(type) {
	case *bool:
		return l.convertBool(text)
	case *int, *OptInt:
		v, err := pysem.EvalExpression(text)
		if err != nil {
			return nil, err
		}
		return pysem.ToInt(v)
	case *float64:
		v, err := pysem.EvalExpression(text)
		if err != nil {
			return nil, err
		}
		return pysem.ToFloat(v)
	}
	if pysem.Lower(text) == "none" {
		return nil, nil
	}
	return text, nil
}

func (l Loader) convertBool(text string) (any, error) {
	lower := pysem.Lower(text)
	switch {
	case slices.Contains(trueWords, lower):
		return true, nil
	case slices.Contains(falseWords, lower):
		return false, nil
	case l.Quirks.Keeps(Q154):
		return text != "", nil // utils.py:787: bool(text)
	}
	return nil, pysem.Raise("ValueError", "found %q, want true or false", text)
}

// logf writes a line where the world has a log.
func logf(e *env.Env, level env.Level, format string, args ...any) {
	if e.Log != nil && e.Log.Enabled(level) {
		e.Log.Logf(level, format, args...)
	}
}
