//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// dieOfSignals makes the program end at signals that Go would otherwise catch or ignore. Upstream's
// server has no handlers for these signals, so they end it too. Signals that arrive before this
// call are lost.
func dieOfSignals() {
	incoming := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM} {
		if !signal.Ignored(s) {
			signal.Notify(incoming, s)
		}
	}
	go func() { dieOf((<-incoming).(syscall.Signal)) }()
}

// dieOf ends the program by a signal, so that its parent process sees that signal. Go catches some
// signals itself. So this program replaces itself by a shell that sends the signal to itself.
func dieOf(s syscall.Signal) {
	if s == syscall.SIGKILL {
		syscall.Kill(os.Getpid(), s)
	}
	syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("kill -%d $$", int(s))}, nil)
	os.Exit(128 + int(s)) // reached only if there is no shell, because Exec does not return
}
