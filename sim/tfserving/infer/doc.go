// Package infer answers the requests of PredictionService for one loaded model:
// the checks of TensorFlow Serving in upstream's order and words
// (servables/tensorflow/*.cc), those of the TensorFlow runtime behind them, and
// outputs that a function of the model's name, version, signature and inputs
// invents in the shapes and types that the signature promises.
//
// The two things to use first:
//
//	model := infer.New(signatures, infer.Options{Name: "m", Version: 3})
//	run, err := model.Begin(request)   // checked; err is an *env.RPCError
//	response, err := run()
//
// A request is a *apis.PredictRequest, *apis.ClassificationRequest,
// *apis.RegressionRequest or *apis.MultiInferenceRequest. The version is found
// before: this package does not look at model_spec's name and version.
//
// Equal inputs give equal outputs, however their TensorProtos are encoded, and a
// row of a batch gives the same outputs in whatever batch it comes.
//
// To change the order of checks look in predict.go, classify.go, regress.go and
// multi.go, of which the last three share examples.go; a model that takes every
// request, in anything.go; what is checked of inputs and outputs, in inputs.go and
// outputs.go; what the runtime checks, in runtime.go; shapes of outputs, in
// shape.go; their values, in function.go and digest.go.
package infer
