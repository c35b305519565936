// Package rest is the REST API of tensorflow_model_server, byte for byte and
// without sockets (TFS-13): a Handler takes a request as it was sent and gives the
// response as libevent would send it. Time, the network and the model server
// behind it are the caller's.
//
// The two things to use first are New and Handler.Serve:
//
//	h := rest.New(backend, rest.Options{Profile: tfserving.ProfileHead, CORS: true})
//	response := h.Serve(ctx, rest.Request{Method: "GET", Target: "/v1/models/m"})
//
// What upstream leaves to the order of a hash map is ordered by name here: the
// members of "predictions", "outputs" and of maps in metadata, and which of several
// faulty tensors an error is about. Where upstream's C++ would overflow its stack,
// at more than MaxDepth levels, a request is refused.
//
// To change what comes before the API (targets, methods, error pages) look in
// libevent.go and gzip.go; paths, in path.go; which call a path makes, in
// handler.go and calls.go; JSON to tensors, in predict.go, instances.go, inputs.go
// and fill.go; JSON to examples, in examples.go; tensors and results to JSON, in
// output.go and decimal.go; status and metadata, in metadata.go and protojson.go;
// strings and bytes in JSON, in escape.go and base64.go; codes, in codes.go; JSON
// itself, in package rapidjson.
package rest
