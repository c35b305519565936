// Package pysem holds the pieces of Python's semantics that the port of a
// Python program can be seen to depend on: None, exceptions as errors, json,
// text and number forms, and os.path. Package expr below it has eval, package pyre
// re.match, package pyset sets in their order.
//
// Two things to use first:
//
//   - [Error], the exception that Python would have raised, found with
//     errors.As.
//   - [Opt], a value or None.
//
// A Python value whose type is known only at run time is an any that holds one
// of nil, bool, int, *big.Int (only outside the range of int), float64, string,
// []byte, []any (a list), [Tuple] or *[Dict]. Strings are UTF-8, in which a lone
// surrogate is kept as its three-byte form, so that it survives a round trip
// through JSON.
//
// To change how numbers are read or written look in number.go and float.go;
// text, JSON and paths have files named so.
package pysem
