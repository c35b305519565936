package features_test

import (
	"bufio"
	"fmt"

	"github.com/monosim/monosim/features"
)

// The scenarios of the binary are files, to be run by package steps or read.
func Example() {
	file, err := features.FS.Open("sessions.feature")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan()
	fmt.Println(lines.Text())

	// Output:
	// Feature: ZooKeeper sessions
}
