//go:build race

package bench

// raceDetector takes several times the memory.
const raceDetector = true
