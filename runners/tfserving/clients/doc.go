// Package clients runs real clients of model servers against `monosim tfserving`: Python programs
// with the stubs of tensorflow_serving.apis, urllib, gRPC reflection, and the reference's own
// TFSMonitor, TFSWrapper and tfs_client. Their answers are compared with those that Go clients get
// from the same server. It has only tests.
//
// Two programs stand beside the tests: clients.py is a plain client with the stubs, which are
// generated from engine/proto or come from the package tensorflow-serving-api; reference.py runs
// the reference, unmodified, from the checkout that MONOLITH_SRC names. PYTHON names the
// interpreter. A test whose program lacks something is skipped, with a line that names it.
//
// Both read orders by orders.py and are started by engine/pythontest. To change
//
//   - a call: calls_test.go and clients.py
//   - a step of the reference's clients: reference.py and ported_test.go
//
// Unstable: any commit may change it.
package clients
