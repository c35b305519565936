package vtime

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// TapeMode says what a tape does with random choices.
type TapeMode uint8

// The modes of a tape.
const (
	// TapeOverlay takes the choices that are on the tape, and draws all others from the seed.
	TapeOverlay TapeMode = iota
	// TapeRecord draws from the seed, and writes the draws that are not 0 onto the tape.
	TapeRecord
	// TapeReplay takes the choices that are on the tape, and 0 for all others. A run is shrunk by
	// cutting entries off the tape, which makes it more ordinary.
	TapeReplay
)

type tapeKey struct {
	node, site string
	k          uint64
}

// Tape holds the choices that are not 0, the default, in the order in which they were made.
type Tape struct {
	Mode    TapeMode
	Entries []env.Choice
	// At holds the time at which each entry was recorded. Only a tape of mode TapeRecord has times.
	At    []time.Duration
	index map[tapeKey]uint64
}

// NewTape makes a tape with entries, which fix choices in each mode. In mode TapeRecord, an entry
// is written down again when its choice is made.
func NewTape(mode TapeMode, entries ...env.Choice) *Tape {
	t := &Tape{Mode: mode, index: make(map[tapeKey]uint64, len(entries))}
	for _, e := range entries {
		t.index[tapeKey{e.Node, e.Site, e.K}] = e.Value
	}
	if mode != TapeRecord {
		t.Entries = entries
	}
	return t
}

func (t *Tape) choose(s *Source, k, n, seeded uint64) uint64 {
	site := s.Site()
	value := seeded
	if v, ok := t.index[tapeKey{s.node.name, site, k}]; ok {
		// The program may have changed since the recording, and may now offer fewer outcomes.
		value = min(v, n-1)
	} else if t.Mode == TapeReplay {
		value = 0
	}
	if t.Mode == TapeRecord && value != 0 {
		t.Entries = append(t.Entries, env.Choice{Node: s.node.name, Site: site, K: k, Value: value})
		t.At = append(t.At, s.node.w.Now())
	}
	return value
}

// Chosen returns the entries of the world's tape so far, and when each was made if the tape
// records. Without a tape it returns nil.
func (w *World) Chosen() ([]env.Choice, []time.Duration) {
	if w.cfg.Tape == nil {
		return nil, nil
	}
	return w.cfg.Tape.Entries, w.cfg.Tape.At
}

// WriteTo writes the entries as JSON lines.
func (t *Tape) WriteTo(out io.Writer) (int64, error) {
	var buf bytes.Buffer
	for _, e := range t.Entries {
		line, err := json.Marshal(e)
		if err != nil {
			return 0, err
		}
		buf.Write(line)
		buf.WriteByte('\n')
	}
	return buf.WriteTo(out)
}

// ReadTape reads JSON lines written by WriteTo.
func ReadTape(in io.Reader, mode TapeMode) (*Tape, error) {
	var entries []env.Choice
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var e env.Choice
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("tape line %d: found %q, want an object with node, site, k and value: %w", n, line, err)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("tape: %w", err)
	}
	return NewTape(mode, entries...), nil
}
