// Package grpccore serves gRPC as the C core does, on which the reference's servers stand: TensorFlow
// Serving, grpc-python's agents, the parameter servers. It is grpc-go with what its options lack. The
// core is that of grpcio 1.85.1; package runners/grpcpeers holds both side by side.
//
// Two things to use first:
//
//   - [New] returns a [Server], which is used as one of grpc-go.
//   - [Options] has what C-core's answers depend on: sizes, TLS, unknown methods, channel arguments.
//
// Each part does what nothing before it can:
//
//   - A codec decompresses, because grpc-go does so in its own words: encodings.go.
//   - Services are registered as streams, because C-core reads one request and looks no further, and
//     answers compressed requests uncompressed: server.go.
//   - A wrapper of each connection (front.go) reads header blocks as C-core does (judge.go, call.go). Of
//     these grpc-go's interceptors and taps learn nothing: it has refused them before. It passes what is
//     usual byte for byte, which costs a comparison for a repeated header.
//   - The wrapper puts marks into messages that are too large or have a wrong flag, so that the codec refuses them: bodies.go.
//   - It follows what grpc-go writes, to add the encodings that are accepted and to answer a passed
//     deadline, which grpc-go only resets, and to end connections as C-core does: writing.go.
//   - Channel arguments become options of grpc-go, or limits of the wrapper: arguments.go; compressed
//     answers and strikes of pings are its own: compression.go, pings.go.
//
// Unstable: any commit may change it.
package grpccore
