package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Goal: progress on standard error begins a new line if standard output goes to the same log.
func TestProgressStandsOnLinesOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		name string
		same bool
		want string
	}{
		{"one log", true, "..\n0 runs, 0 failed, 0s virtual\n0 runs, 0 failed, 0s virtual\n.\n0 runs, 0 failed, 0s virtual\n"},
		{"two files", false, "...\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log, err := os.Create(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			errs := log
			if !c.same {
				if errs, err = os.Create(filepath.Join(t.TempDir(), "errs")); err != nil {
					t.Fatal(err)
				}
				defer errs.Close()
			}
			s := newScreen(log, errs)
			tick := &ticker{out: errs, screen: s, begin: time.Now()}
			fmt.Fprint(s, "..")
			tick.say()
			tick.say()
			fmt.Fprint(s, ".\n")
			tick.say()
			if text, err := os.ReadFile(log.Name()); err != nil || string(text) != c.want {
				t.Errorf("got %q, %v, want %q", text, err, c.want)
			}
		})
	}
}
