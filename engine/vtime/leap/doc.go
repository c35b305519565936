// Package leap skips the repeated turns of polling loops. If a turn would only send the requests
// of the previous turn and get the same answers, it causes no events; its effects are computed in
// bulk, when an observer needs them or something changes. Only the speed differs. LEAPS.md has the
// rules, a drawn example and a glossary.
//
// Two things to use first:
//
//   - [Tasks] is the env.Tasks of a process in virtual time: engine/vtime's, with loops and beats.
//   - [Sleeper] puts any loop to sleep that can compute its own steps, such as the pings of a
//     session: a [Leaper].
//
// A [Request] is what a turn asks, an [Observed] is data that a turn reads.
//
// To change:
//
//   - what a turn is, and when it may be skipped: turns.go
//   - what is recorded of a turn: record.go
//   - how recorded turns are played: play.go
//   - when a sleeping loop is woken: wake.go
//   - which loops must not sleep through each other's turns: conflict.go
//   - the order of the steps of a process: sleeper.go
//   - how changes are noticed: observed.go
//   - training steps and other cyclic waits: beat.go
//
// Unstable: any commit may change it.
package leap
