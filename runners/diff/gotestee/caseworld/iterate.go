package caseworld

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// Items returns Python's list(v), for functions of the reference that iterate over any value. A set
// has the order in the case. A value without items is a TypeError.
func Items(v any) ([]any, error) {
	if set, ok := v.(Set); ok {
		return set, nil
	}
	return pysem.Items(v)
}

// Pairs returns what Python's dict.update(v) would add. For a dict these are its entries. Otherwise
// each item of v is a key with a value, and an item that does not have two parts is a ValueError.
func Pairs(v any) (pairs [][2]any, err error) {
	if d, ok := v.(*pysem.Dict); ok {
		return lists.Map(d.Items, func(item pysem.Item) [2]any { return [2]any{item.Key, item.Value} }), nil
	}
	items, err := Items(v)
	for _, item := range items {
		two, err := Items(item)
		if err != nil {
			return nil, err
		}
		if len(two) != 2 {
			return nil, pysem.UnpackError(2, len(two))
		}
		pairs = append(pairs, [2]any{two[0], two[1]})
	}
	return pairs, err
}
