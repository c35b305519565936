// Package graph runs the graphs of SavedModels. It loads a meta graph as TensorFlow does: it
// restores the variables, runs the initialisers of tables, and then runs what a signature names,
// with the results and the errors of TensorFlow's kernels.
//
// The three things to use first:
//
//	model, err := graph.Load(meta, graph.Options{Dir: dir, Files: files})
//	plan, err := model.Plan([]string{"x:0"}, []string{"y:0"})   // an *ops.Unsupported names what it cannot run
//	outputs, err := plan.Run([]tensor.Tensor{x})
//
// What one run may take of memory and work is limited, whatever the graph says (run.go).
//
// To change:
//
//   - how a model is loaded: load.go
//   - how nodes are found and put in order: program.go, plan.go
//   - loops of TensorFlow 1: frames.go
//   - how they run, and what errors say of their node: run.go
//   - what an operation computes: package ops and those below it, listed in families.go
//   - what operations compute with: package value
//   - how variables are read: package bundle
//
// What graphs of TensorFlow answer is recorded in testdata by record.py, which make record-graphs
// runs.
//
// Unstable: any commit may change it.
package graph
