package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: progress on standard error begins a new line if standard output goes to the same log.
func TestProgressStandsOnLinesOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		name string
		same bool
		want string
	}{
		{"one log", true, "..\n0 runs, 0 failed, 0s virtual\n1 runs, 0 failed, 0s virtual\n.\n2 runs, 0 failed, 0s virtual\n"},
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
			now := time.Now()
			tick, lines := &ticker{out: errs, screen: s, begin: now}, command.NewLines(0, now)
			say := func() {
				now = now.Add(time.Hour)
				tick.tell(lines, now)
				tick.far.runs++
			}
			fmt.Fprint(s, "..")
			say()
			say()
			fmt.Fprint(s, ".\n")
			say()
			if text, err := os.ReadFile(log.Name()); err != nil || string(text) != c.want {
				t.Errorf("got %q, %v, want %q", text, err, c.want)
			}
		})
	}
}
