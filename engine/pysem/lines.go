package pysem

import (
	"strings"
)

// Lines splits text as Python's text mode does, where "\r\n" and "\r" end
// lines too. What follows the last line end is a line also when it is empty.
func Lines(text string) []string {
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	return strings.Split(text, "\n")
}
