// Package quickproto reads and writes the messages of a usual Predict, a few tensors of
// floats, several times as fast as the general library, which looks at each field by its
// description and allocates each message by itself. What is not usual it leaves alone, to
// the general library: fields that are there twice or are unknown, texts that are none,
// other types than it knows.
//
// Two things to use first: [ReadPredict] and [AppendPredict]. To change which requests are
// usual look in read.go, which responses, in append.go; the tests hold both to the general
// library.
package quickproto
