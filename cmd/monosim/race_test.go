//go:build race

package main

// underRace is true in this build, which has the race detector.
const underRace = true
