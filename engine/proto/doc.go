// Package proto is the root of the wire formats: our own minimal .proto files
// under upstream's package names, import paths, message names and field numbers
// (TFS-15), each with its generated Go next to it. The package itself holds no
// code.
//
// The two things to use first are the generated package of the format at hand
// and textpb, which prints and parses the text format as Python does:
//
//	tensorflow_serving/apis                    apis          requests, ModelService, PredictionService
//	tensorflow_serving/config                  config        model, platform, monitoring config files
//	tensorflow_serving/sources/storage_path    storagepath   version policies
//	tensorflow_serving/servables/tensorflow    servables     session and batching options
//	tensorflow_serving/util                    util          StatusProto
//	tensorflow/core/framework                  framework     tensors
//	tensorflow/core/example                    tfexample     rows to classify and regress
//	tensorflow/core/protobuf                   tfcore        signatures, session options, error codes
//	tensorflow/python/training                 training      the text file "checkpoint"
//	monolith/agent_service                     agentservice  AgentService
//	monolith/io/proto                          example       batches of examples
//	monolith/native_training             nativetraining the text file monolith_checkpoint
//	monolith/native_training/hooks       hooks          what an operator asks by a file, what a save tells workers
//	monolith/native_training/hooks/server  server       the controller of a training
//	monolith/native_training/runtime/ops  ops           what a machine says of its health
//	monolith/native_training/model_export      modelexport   the text file ExportSaverListenerState
//	monolith/native_training/runtime/parameter_sync  parametersync  embeddings that a training pushes, and where a target of that runs
//	monolith/parameter_sync_rpc          parametersyncrpc  the service that takes them
//	monolith/ps_training                 pstraining     embeddings, statistics and barriers of a PS
//	idl/matrix/proto                           matrix        Instance and its parts
//
// Those of TensorFlow and TensorFlow Serving are held to upstream's own by
// upstream, where record.py records what a release has.
//
// To add a field or a message: write it into the .proto of the same import path
// as upstream, with upstream's number and a doc comment of our own, then run
// go generate in this folder and commit both files. To add a .proto: put it at
// its import path below this folder with a go_package option that ends in
// ";<short name>"; every directory is one Go package. A message that upstream
// does not have says so in its comment and takes a number upstream is unlikely
// to take.
//
// To change how Go is generated look in gen. go run ./engine/proto/gen -check
// lists generated files that differ from their source.
//
// Unstable: any commit may change it.
package proto

//go:generate go run ./gen
