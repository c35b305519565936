// Package child is for programs that a test or a bench starts beside itself.
//
// Two things to use first:
//
//   - [DieWithParent] lets none outlive whoever started it.
//   - [Tail] keeps the end of what one says, to show when it fails.
//
// [FreePorts] are ports that one can be told to take. What a program needs of memory
// and time says runners/usage.
package child
