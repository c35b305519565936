package pysem

import (
	"strings"
)

// Lines splits text into lines as Python's text mode does, where "\r\n" and "\r" also end a line.
// The text after the last line end counts as a line, even if it is empty.
func Lines(text string) []string {
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	return strings.Split(text, "\n")
}
