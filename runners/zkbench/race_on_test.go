//go:build race

package zkbench_test

// raceDetector takes several times the memory.
const raceDetector = true
