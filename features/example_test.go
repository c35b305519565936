package features_test

import (
	"bufio"
	"fmt"

	"github.com/monosim/monosim/features"
)

// The scenarios are files inside the program. The package steps can run them, or a program can read
// them.
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
