// Package expr evaluates Python 3.11 expressions: what eval() makes of a condition of
// a layout filter or of a number in a configuration file.
//
// Two things to use first:
//
//   - [Compile] parses a source once; an error is Python's SyntaxError.
//   - [Program.Eval] evaluates it with names, any number of times.
//
// Literals, displays, comprehensions, lambdas, f-strings, operators, calls, the
// methods of strings, numbers and containers, and the builtins that look at nothing
// but their arguments are Python's, with Python's values, types and error texts. The
// rest is a refusal, as [pysem.IsRefused] tells: what reaches the machine or
// the interpreter (Q230), what would take more time or memory than [Limits] (Q231), and
// what CPython answers differently from run to run (Q232).
//
// A value is nil, bool, int, *big.Int (only outside the range of int), float64, string
// (UTF-8, a lone surrogate as three bytes), []byte, [Tuple], *[List], *[Dict], *[Set],
// *[Range], *[Slice], or one of the unexported functions, types, views and iterators.
//
// To change:
//
//   - the grammar: token*.go, fstring.go and parse*.go
//   - what nodes do: eval*.go
//   - operators: arith*.go, compare.go and order.go
//   - a method: method_*.go
//   - a builtin: builtin*.go
//   - formatting: format*.go and percent.go
package expr
