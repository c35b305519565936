// Package explore looks for faults that no scenario describes yet. It draws random stories for
// clusters, runs them, and checks invariants. It shrinks a story that fails to a short scenario, and
// finds which repairs of the reference make that scenario pass.
//
// Two things to use first:
//
//   - [Hunt] draws and runs stories until its context ends, and reports each failure that it [Found].
//   - [Worlds] lists the clusters that it knows; [WorldOf] makes one of any scenario.
//
// A story is a list of sentences with their arguments, never a seed: what was found stays the same
// when the program that draws changes.
//
// To change
//
//   - the clusters, and what operators do in them: worlds.go
//   - how a story is drawn: draw.go
//   - what it has, and how its lines follow: story.go
//   - what must hold: laws.go, and runners/test/simrun/agentcheck
//   - how a failure is cut down: shrink.go, and tape.go for its choices
//   - how its cause is found: cause.go
//   - by which choice a story was lost: moment.go
//   - in what order all of that happens: hunt.go
//   - what is recorded for PARITY.md: record.go
//
// Unstable: any commit may change it.
package explore
