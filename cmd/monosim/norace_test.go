//go:build !race

package main

// underRace is false in this build, which has no race detector.
const underRace = false
