package outlook

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// Goal: the cost of a run is forecast from its cost so far. Method: made-up runs whose
// memory and time follow a known law, without measuring a machine.

const mib = 1 << 20

// watch makes an outlook that takes memory only from the test's numbers.
func watch(size Size, maxBytes int64) *Outlook {
	o := New(size, maxBytes)
	o.base, o.next = Memory{}, 2 // it collects nothing
	return o
}

// Goal: a run that will not fit into memory is ended early. Method: a start that has done a
// tenth of its reads with 100 MiB will need ten times as much, which is too much.
func TestARunThatWillNotFitEndsEarly(t *testing.T) {
	size := Size{Version: 1, Agents: 1000, Models: 11, For: time.Hour}
	o := watch(size, 500*mib)
	o.collect, o.next = func() Memory { return Memory{Live: 100 * mib} }, 0.1
	far := Far{Now: 2 * time.Second, Wall: time.Second, Reads: uint64(size.StartReads() / 10), Memory: Memory{Live: 90 * mib}}
	err := o.At(far)
	for _, want := range []string{"100 MiB used after 10 % of the start", "about 1000 MiB", "want at most 500 MiB", "1000 agents squared x 11 models = 11 M"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if err := watch(size, 2000*mib).At(far); err != nil {
		t.Errorf("got %v of a run that fits", err)
	}
	if err := watch(size, 0).At(far); err != nil {
		t.Errorf("got %v without a limit", err)
	}
}

func TestARunThatHasTakenTooMuchEnds(t *testing.T) {
	o := watch(Size{Version: 3, Agents: 10, Models: 6, For: time.Hour}, 50*mib)
	err := o.At(Far{Now: 30 * time.Minute, Memory: Memory{Live: 40 * mib, Stacks: 20 * mib}})
	if err == nil || !strings.Contains(err.Error(), "found 60 MiB used at t+30m0s, want at most 50 MiB") {
		t.Errorf("got %v", err)
	}
}

// Goal: the remaining time is computed from the rate after the start, and not from the rate
// during the start.
func TestTheTimeThatIsLeft(t *testing.T) {
	size := Size{Version: 3, Agents: 100, Models: 6, For: 24 * time.Hour}
	o := watch(size, 0)
	at := func(now, wall time.Duration, reads uint64) {
		if err := o.At(Far{Now: now, Wall: wall, Reads: reads, Events: reads}); err != nil {
			t.Fatal(err)
		}
	}
	at(10*time.Second, 5*time.Second, 1000)
	if left, known := o.Left(); known {
		t.Errorf("got %v left while the start is under way, want it unknown", left)
	}
	if line := o.Line(); !strings.Contains(line, "1 % of the start") {
		t.Errorf("got %q, want how far the start is", line)
	}
	at(time.Minute, 20*time.Second, 104_000)
	at(time.Hour+time.Minute, 21*time.Second, 104_000) // at a speed of one hour per second
	left, known := o.Left()
	if want := 22*time.Hour + 59*time.Minute; !known || (left-time.Duration(float64(want)/3600)).Abs() > 2*time.Second {
		t.Errorf("got %v (%v), want about 23 s", left, known)
	}
	if line := o.Line(); !strings.Contains(line, "t+1h1m0s of 24h0m0s after 21s") || !strings.Contains(line, "left") {
		t.Errorf("got %q", line)
	}
}

func TestALargeRunIsSaidToBeOneBefore(t *testing.T) {
	day := 24 * time.Hour
	if warning := New(Size{Version: 1, Agents: 10_000, Models: 11, For: day}, 0).Warning(); !strings.Contains(warning, "1.59 T reads") || !strings.Contains(warning, "10000 agents squared x 11 models = 1.10 G") {
		t.Errorf("got %q", warning)
	}
	for _, size := range []Size{{Version: 1, Agents: 100, Models: 11, For: day}, {Version: 3, Agents: 10_000, Models: 6, For: day}} {
		if warning := New(size, 0).Warning(); warning != "" {
			t.Errorf("%+v: got %q, want nothing", size, warning)
		}
	}
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "8GiB": 8 << 30, "1.5 MiB": 3 << 19, "2KiB": 2048, "1TiB": 1 << 40} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%s: got %d and %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1GiB", "8GB", "NaN", "1e30TiB"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.50 KiB", 30 << 10: "30 KiB", 5 << 39: "2560 GiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 12.34: "12.3", 1500: "1.50 k", 2e15: "2000 T"} {
		if got := Count(v); got != want {
			t.Errorf("%g: got %s, want %s", v, got, want)
		}
	}
}

func TestMemoryOfThisProgram(t *testing.T) {
	kept := make([]byte, 8*mib)
	if m := ReadMemory(); m.Heap < int64(len(kept)) || m.Stacks <= 0 {
		t.Errorf("got %+v, want more than the %d bytes of the test", m, len(kept))
	}
	runtime.KeepAlive(kept)
}
