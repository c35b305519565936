// Package pyset has Python's sets with the order in which CPython iterates over them. That order
// follows from the layout of a set's table and, for strings, from the hash seed.
//
//   - [HashingOf] tells how a Python process hashes strings. [Strings] makes a set of strings in
//     such a process, and [Words.Minus] is the difference of two sets.
//   - [Set] is a table for keys of any kind; the caller supplies their hashes.
//
// Unstable: any commit may change it.
package pyset
