// Package pyset has Python's sets in the order in which CPython walks them: the layout of
// their tables, and the hashes of strings under a hash seed.
//
// Two things to use first:
//
//   - [HashingOf] is how a process hashes, and [Strings] a set of strings in it;
//     [Words.Minus] is Python's difference of two.
//   - [Set] is the table for keys of any kind, by hashes that the caller knows.
//
// To change how a table grows or is searched look in set.go; how strings are hashed, in
// hash.go.
package pyset
