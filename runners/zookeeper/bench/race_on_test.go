//go:build race

package bench_test

// raceDetector is true in builds with the race detector, which needs several times the memory.
const raceDetector = true
