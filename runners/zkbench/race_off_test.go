//go:build !race

package zkbench_test

const raceDetector = false
