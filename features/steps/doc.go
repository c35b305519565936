// Package steps runs scenarios written in Gherkin against any implementation
// behind the runners interface.
//
// Three things to use first:
//
//   - [Run] runs the scenarios of a Go test of somebody's, each as a subtest.
//   - [Suite] loads scenarios and runs them with one seed or many; what comes
//     back is a [Report], or a [Listener] is told of each run as it comes.
//   - [Vocabulary] lists every sentence that a scenario may say; [Action] and
//     [Assertion] make more of them.
//
// A sentence is of one of seven kinds. Shapes describe the cluster before it is
// built and are all that a Background may hold. Actions do something. Conditions
// last until they are taken back, or for a time when the sentence ends in "for
// 12s"; onsets are like them, but let no time pass and end by themselves. Assertions
// say what must be seen: at once, or "within 30s" of waiting, or all the time "for 30s". Questions and findings make scenarios without a cluster:
// they have a single operation of the agents' code done, by a golden case that was
// recorded from the reference, and look at the answer.
//
// To change:
//
//   - what a sentence says: words.go
//   - what it does: the file named after its noun, calls to model servers in calls.go;
//     a place in an answer: package answer
//   - how waiting works: time.go
//   - the agents' configuration: cluster.go
//   - how scenarios are found: plan.go; by tags: package tags
//   - what is said of a cluster of somebody else's: script.go
//   - how scenarios are run: execute.go; many at a time: stream.go; as Go tests: run.go
//   - what is counted and which failures are of one kind: report.go
package steps
