package server_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/zookeeper/server"
)

// Goal: a server that somebody has killed says so, and one that was stopped says nothing.
func TestHowAServerHasEnded(t *testing.T) {
	s := server.ForTest(t, server.Config{})
	if err := s.Ended(); err != nil {
		t.Errorf("a server that runs: found the error %v, want none", err)
	}
	process, err := os.FindProcess(s.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for limit := time.After(30 * time.Second); s.Ended() == nil; {
		select {
		case <-limit:
			t.Fatal("a killed server: found no error in 30 s")
		case <-again.C:
		}
	}
	if err := s.Ended(); !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("a killed server: found the error %v, want one with signal: killed", err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ended(); err != nil {
		t.Errorf("a stopped server: found the error %v, want none", err)
	}
}
