//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// dieOfSignals lets the program die of signals that Go catches or ignores. Upstream's server has
// no handlers for them, so they end it. Signals that come before this call are lost.
func dieOfSignals() {
	incoming := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM} {
		if !signal.Ignored(s) {
			signal.Notify(incoming, s)
		}
	}
	go func() { dieOf((<-incoming).(syscall.Signal)) }()
}

// dieOf ends the program by a signal, so that its parent sees that signal. Go catches some
// signals, so another program is put in place of this one and gets the signal.
func dieOf(s syscall.Signal) {
	if s == syscall.SIGKILL {
		syscall.Kill(os.Getpid(), s)
	}
	syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("kill -%d $$", int(s))}, nil)
	os.Exit(128 + int(s)) // there is no shell
}
