package pysem

import "github.com/monosim/monosim/engine/lists"

// Items returns Python's list(v) for a value of JSON or bytes: the items of a list, the characters
// of a string, the keys of a dict, the numbers of bytes. A value without items is a TypeError.
func Items(v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case string:
		return lists.Map(Chars(v), func(char string) any { return char }), nil
	case []byte:
		return lists.Map(v, func(b byte) any { return int(b) }), nil
	case *Dict:
		return lists.Map(v.Items, func(item Item) any { return item.Key }), nil
	}
	return nil, Raise("TypeError", "'%s' object is not iterable", TypeName(v))
}
