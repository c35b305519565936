// Package pysem has those parts of Python's semantics on which the visible behaviour of the ported
// Python program depends: None, exceptions, JSON, the text forms of numbers and other values, and
// os.path. Packages below it have more: expr has eval, pyre has re.match, pyset has sets in their
// order.
//
//   - [Error] is an exception that Python would have raised; errors.As finds it in an error.
//   - [Opt] is a value or None.
//
// A Python value whose type is known only at run time is an any that holds one of nil, bool, int,
// *big.Int (only outside the range of int), float64, string, []byte, []any (a list), [Tuple] or
// *[Dict]. Strings are UTF-8, in which a lone surrogate is kept as its three-byte form, so that it
// survives a round trip through JSON.
//
// Unstable: any commit may change it.
package pysem
