// Package leap leaps over what polls do again and again: the turns of a loop that would only ask
// what the last one asked and get the same answers are gone through at one go, without their
// events, when somebody looks or something changes. Nothing but the speed is different. LEAPS.md has
// the rules, a drawn example and a glossary.
//
// Two things to use first:
//
//   - [Tasks] is the env.Tasks of a process in virtual time: engine/vtime's, with loops and beats.
//   - [Sleeper] is the sleep of any loop that can make its steps by itself, such as the pings of a
//     session: a [Leaper].
//
// What a turn asks is a [Request], what it looks at an [Observed].
//
// To change
//
//   - what a turn is, and when it may be left out, look in turns.go;
//   - what is written down of a turn, in record.go;
//   - how recorded turns are gone through, in play.go;
//   - when a loop that sleeps is woken, in wake.go, and which loops must not sleep through each
//     other's turns, in conflict.go;
//   - the order in which the steps of a process are made, in sleeper.go;
//   - what tells of changes, in observed.go;
//   - training steps and other waits in a circle, in beat.go.
package leap
