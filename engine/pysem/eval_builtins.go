package pysem

import (
	"slices"
	"unicode/utf8"
)

var builtins = []string{"abs", "bool", "float", "int", "len", "max", "min", "sum"}

func isBuiltin(name string) bool { return slices.Contains(builtins, name) }

func callBuiltin(name string, args []any) (any, error) {
	switch name {
	case "max", "min":
		return extreme(name, args)
	case "int", "float", "bool":
		if len(args) == 0 {
			return map[string]any{"int": 0, "float": 0.0, "bool": false}[name], nil
		}
	}
	if len(args) != 1 {
		return nil, Raise("TypeError", "%s() takes exactly one argument (%d given)", name, len(args))
	}
	switch arg := args[0]; name {
	case "int":
		return ToInt(arg)
	case "float":
		return ToFloat(arg)
	case "bool":
		return Truth(arg), nil
	case "abs":
		return absolute(arg)
	case "len":
		return length(arg)
	default:
		return total(arg)
	}
}

func absolute(v any) (any, error) {
	if !isNumber(v) {
		return nil, Raise("TypeError", "bad operand type for abs(): '%s'", TypeName(v))
	}
	if negative, _ := order("<", v, 0); negative {
		return applyUnary("-", v)
	}
	if f, ok := v.(float64); ok {
		return f + 0, nil // -0.0 becomes 0.0
	}
	return applyUnary("+", v)
}

func length(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), nil
	case []any, Tuple:
		return len(itemsOf(v)), nil
	}
	return nil, Raise("TypeError", "object of type '%s' has no len()", TypeName(v))
}

func total(v any) (any, error) {
	items := itemsOf(v)
	if items == nil && TypeName(v) != "list" && TypeName(v) != "tuple" {
		return nil, Raise("TypeError", "'%s' object is not iterable", TypeName(v))
	}
	var sum any = 0
	for _, item := range items {
		var err error
		if sum, err = applyBinary("+", sum, item); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func extreme(name string, args []any) (any, error) {
	if len(args) == 0 {
		return nil, Raise("TypeError", "%s expected at least 1 argument, got 0", name)
	}
	if len(args) == 1 {
		if args = itemsOf(args[0]); len(args) == 0 {
			return nil, Raise("ValueError", "%s() arg is an empty sequence", name)
		}
	}
	op := map[string]string{"max": ">", "min": "<"}[name]
	best := args[0]
	for _, arg := range args[1:] {
		better, err := order(op, arg, best)
		if err != nil {
			return nil, err
		}
		if better {
			best = arg
		}
	}
	return best, nil
}
