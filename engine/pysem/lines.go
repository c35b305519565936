package pysem

import (
	"strings"
)

// Lines splits text into lines as Python's text mode does, where "\r\n" and "\r" end a line too.
// The text behind the last line end is a line, even when it is empty.
func Lines(text string) []string {
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	return strings.Split(text, "\n")
}
