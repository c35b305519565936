//go:build race

package bench_test

// raceDetector takes several times the memory.
const raceDetector = true
