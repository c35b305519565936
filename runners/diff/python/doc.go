// Package python holds the testee that runs the Python reference itself, and the
// Go side of keeping it current.
//
// Two things to use first:
//
//   - testee.py answers cases on stdin from an unmodified checkout that the user
//     names in MONOLITH_SRC; its first lines say how to run it and what lies where.
//   - check_examples.py runs answered cases through it and prints what differs.
//
// Operations of the training side run with the TensorFlow 2.4 of the interpreter that
// TENSORFLOW_PYTHON names (requirements-tensorflow.txt), and are skipped without it.
//
// Three programs stand beside it: contract.py is the reference as a client or server of
// the AgentService on real sockets (runners/test/realrun asks it), and grpc_statuses.py
// records how grpc-python's client words failures. names.py lists the reference's public
// names for vectors/scope/names.json (make names).
//
// descriptors.pb describes the messages of engine/proto, from which testee.py
// makes its protobuf modules; go generate writes it after a .proto changed.
//
// To change:
//
//   - an operation: ops, a file for each module of the reference
//   - how values are written: values.py
//   - what a case sees of the world: surroundings.py
//   - what stands for packages that are not there: standins
//
// Unstable: any commit may change it.
package python

//go:generate go run ../../../engine/proto/gen -descriptors descriptors.pb
