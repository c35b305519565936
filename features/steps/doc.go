// Package steps runs scenarios written in Gherkin against any implementation behind the
// runners interface.
//
// Three things to use first:
//
//   - [Run] runs the scenarios of a Go test, each as a subtest.
//   - [Suite] loads scenarios and runs them with one seed or many. It returns a
//     [Report], or tells a [Listener] of each run at once.
//   - [Vocabulary] lists every sentence that a scenario may say; [Action] and
//     [Assertion] make more of them.
//
// A sentence is of one of seven kinds. Shapes describe the cluster before it is built; a
// Background may hold only them. Actions do something. Conditions last until they are taken
// back, or for a time when the sentence ends in "for 12s". Onsets are like conditions, but
// let no time pass and end by themselves. Assertions say what must be seen: at once,
// "within 30s" of waiting, or all the time "for 30s". Questions and findings make scenarios
// without a cluster: a question asks a single operation of the agents' code, by a golden
// case that was recorded from the reference, and a finding looks at the answer.
//
// To change:
//
//   - what a sentence says: words.go
//   - what it does: the file named after its noun
//   - calls to model servers: calls.go
//   - a place in an answer: package answer
//   - how waiting works: world.go
//   - what invariants say: invariants.go
//   - stories, which are lists of sentences: story.go
//   - how their words are drawn: package drawn
//   - the agents' configuration: cluster.go
//   - how scenarios are found: plan.go
//   - how they are chosen by tags: package tags
//   - scripts for a cluster that another program builds: script.go
//   - how scenarios are run: execute.go
//   - how many are run at a time: stream.go
//   - how they become Go tests: run.go
//   - what is counted and which failures are of one kind: report.go
package steps
