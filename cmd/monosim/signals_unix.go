//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// dieOfSignals has the program end by signals that end upstream's, which has no
// handlers, and that Go takes for its own or for nothing. It listens from now on:
// one that comes before is lost.
func dieOfSignals() {
	incoming := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM} {
		if !signal.Ignored(s) {
			signal.Notify(incoming, s)
		}
	}
	go func() { dieOf((<-incoming).(syscall.Signal)) }()
}

// dieOf ends the program by a signal, which its parent then sees. Go keeps some
// for itself, so that the signal goes to what takes the program's place.
func dieOf(s syscall.Signal) {
	if s == syscall.SIGKILL {
		syscall.Kill(os.Getpid(), s)
	}
	syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("kill -%d $$", int(s))}, nil)
	os.Exit(128 + int(s)) // there is no shell
}
