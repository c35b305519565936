// Package rest is the REST API of tensorflow_model_server, byte for byte but without sockets
// (TFS-13). A Handler takes a request as it was sent, and returns the response as libevent would
// send it. The caller supplies time, the network and the model server.
//
// The two things to use first are New and Handler.Serve:
//
//	h := rest.New(backend, rest.Options{Profile: tfserving.ProfileHead, CORS: true})
//	response := h.Serve(ctx, rest.Request{Method: "GET", Target: "/v1/models/m"})
//
// Where upstream uses the order of a hash map, this package sorts by name. That is the order of
// the members of "predictions", "outputs" and the maps in metadata. It also decides which of
// several faulty tensors an error reports. A request with more than MaxDepth levels is refused;
// upstream's C++ would overflow its stack.
//
// To change:
//
//   - what comes before the API (targets, methods, error pages): libevent.go, gzip.go
//   - paths: path.go
//   - which call a path makes: handler.go, calls.go
//   - JSON to tensors: predict.go, instances.go, inputs.go, fill.go
//   - JSON to examples: examples.go
//   - tensors and results to JSON: output.go, decimal.go
//   - status and metadata: metadata.go, protojson.go
//   - strings and bytes in JSON: escape.go, base64.go
//   - codes: codes.go
//   - JSON itself: package rapidjson
//
// Unstable: any commit may change it.
package rest
