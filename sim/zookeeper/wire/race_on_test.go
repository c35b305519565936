//go:build race

package wire

// raceDetector says that the test runs under the race detector.
const raceDetector = true
