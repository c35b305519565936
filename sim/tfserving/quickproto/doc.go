// Package quickproto encodes and decodes the messages of a usual Predict, which has a few
// tensors of floats. It is several times as fast as the general library, which looks at each
// field by its description and allocates each message by itself. It leaves unusual messages
// to that library: those with repeated or unknown fields, invalid text, or other types.
//
// Two things to use first: [ReadPredict] and [AppendPredict].
//
// To change:
//
//   - which requests are usual: read.go
//   - which responses are usual: append.go
//
// The tests compare both with the general library.
//
// Unstable: any commit may change it.
package quickproto
