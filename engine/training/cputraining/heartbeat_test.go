package cputraining_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// beats records each beat and its time in seconds since the start.
type beats struct {
	c       *worldtest.Case
	start   int64
	noted   []string
	flushes int
	hang    bool
}

func (b *beats) EmitStore(name string, seconds int64, typ string) {
	if b.hang {
		b.c.Env.Tasks.NewCond("a server that does not answer").Wait()
	}
	b.noted = append(b.noted, fmt.Sprint(name, " ", seconds-b.start, " ", typ))
}

func (b *beats) Flush() { b.flushes++ }

// TRN-2.22: a beat comes every 30 s. Stop waits for the next beat, which still reports running.
func TestAHeartbeatEndsWithItsNextBeat(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		b := &beats{c: c, start: c.Env.Clock.Now().Unix()}
		h := cputraining.NewHeartbeat(c.Env, b)
		h.Stop()
		h.Start()
		c.Env.Tasks.Sleep(70 * time.Second)
		start := c.Env.Clock.Now()
		h.Stop()
		if waited := c.Env.Clock.Now().Sub(start); waited != 20*time.Second {
			t.Errorf("stopping took %v, want 20 s", waited)
		}
		want := []string{"training_heart_beat 30 running", "training_heart_beat 60 running", "training_heart_beat 90 running", "training_heart_beat 90 stopped"}
		if !slices.Equal(b.noted, want) || b.flushes != 4 {
			t.Errorf("got %v and %d flushes, want %v", b.noted, b.flushes, want)
		}
		h.Stop()
		h.Start()
		c.Env.Tasks.Sleep(31 * time.Second)
		b.hang = true
		start = c.Env.Clock.Now()
		h.Stop()
		if waited := c.Env.Clock.Now().Sub(start); waited != 300*time.Second {
			t.Errorf("stopping one that hangs took %v, want 300 s", waited)
		}
	})
}
