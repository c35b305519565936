// Package infer answers the requests of PredictionService for one loaded model. It makes the
// checks of TensorFlow Serving in upstream's order and words (servables/tensorflow/*.cc), and
// then those of the TensorFlow runtime. The outputs are invented: a function of the model's
// name, version, signature and inputs makes them, in the shapes and types of the signature.
//
// The two things to use first:
//
//	model := infer.New(signatures, infer.Options{Name: "m", Version: 3})
//	run, err := model.Begin(request)   // checked; err is an *env.RPCError
//	response, err := run()
//
// [Model.Prepare] is Begin in two steps: what a server checks of a request, and the Session::Run.
//
// A request is a *apis.PredictRequest, *apis.ClassificationRequest,
// *apis.RegressionRequest or *apis.MultiInferenceRequest. The caller has resolved the version:
// this package does not look at model_spec's name and version.
//
// Equal inputs give equal outputs, however their TensorProtos are encoded. A row gives the
// same outputs in every batch.
//
// To change:
//
//   - the order of checks: predict.go, classify.go, regress.go, multi.go
//   - what Classify, Regress and MultiInference share: examples.go
//   - what a run feeds and fetches: call.go
//   - calls that are computed together: batch.go
//   - a model that takes every request: anything.go
//   - what is checked of inputs and outputs: inputs.go, outputs.go
//   - what the runtime checks: runtime.go
//   - which outputs the graph computes: graph.go
//   - the shapes of invented outputs: shape.go
//   - the values of invented outputs: function.go, digest.go
//
// Unstable: any commit may change it.
package infer
