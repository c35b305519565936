// Package clients has real clients of model servers drive `monosim tfserving`:
// Python programs with the stubs of tensorflow_serving.apis, urllib, gRPC
// reflection, and the reference's own TFSMonitor, TFSWrapper and tfs_client. What
// they are told is held to what the Go clients are told by the same server. It has
// tests only.
//
// Two programs stand beside the tests: clients.py is what anybody writes with the
// stubs, which are generated from engine/proto or those of the package
// tensorflow-serving-api; reference.py runs the reference, unmodified, from the
// checkout that MONOLITH_SRC names. PYTHON names the interpreter. What is missing
// skips its test, with one line that says what.
//
// Both read orders by orders.py and are started by engine/pythontest. To add a call
// look in calls_test.go and clients.py; a step of the reference's
// clients, in reference.py and ported_test.go.
package clients
