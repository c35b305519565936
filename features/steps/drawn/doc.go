// Package drawn draws the words of stories: who is hit, for how long, how often.
//
// Two things to use first:
//
//   - [New] makes a [Dial], by the seed of a story and the name of the dial.
//   - [Cast] has what the sentences of a story may name.
//
// The [Word] of each placeholder stands beside its pattern, in features/steps/words.go. A dial's
// numbers depend on the seed and the dial's name alone, so that a new dial changes no other.
//
// To change what is drawn for a word, or what is plainer than a value: words.go.
//
// Unstable: any commit may change it.
package drawn
