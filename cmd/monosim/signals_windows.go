package main

import (
	"os"
	"syscall"
)

// dieOfSignals does nothing, because on Windows Go already ends the program at every signal.
func dieOfSignals() {}

// dieOf ends the program with the exit code that a shell reports for a signal.
func dieOf(s syscall.Signal) { os.Exit(128 + int(s)) }
