// Package pythontest runs Python programs for tests: the reference, its libraries,
// and clients that other people write.
//
// Two things to use first:
//
//   - [Find] is the interpreter, [Reference] the checkout of the reference; a test is
//     skipped without. [Has] says which modules the interpreter has.
//   - [Start] begins a program that obeys orders, JSON lines on its standard input
//     with a line of answer for each; [Program.Order] gives one.
//
// To change which interpreter is taken look in find.go; what orders are, in
// program.go.
//
// Unstable: any commit may change it.
package pythontest
