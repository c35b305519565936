//go:build race

package main

// underRace says whether the race detector is built in.
const underRace = true
