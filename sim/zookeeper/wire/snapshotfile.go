package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire/logfile"
)

// magic is the text at the beginning of every snapshot and log file. Its last digit is the version
// of the format.
const magic = "MSIMZK01"

// SaveSnapshot writes a snapshot, taken at nowMs, to a file. It replaces the file atomically.
func SaveSnapshot(name string, nowMs int64, s *zookeeper.Snapshot) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp-*")
	if err != nil {
		return fmt.Errorf("save snapshot: %w", wholefile.Named(name, err))
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("save snapshot: %w", wholefile.Named(name, err))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if _, err = io.WriteString(w, magic); err != nil {
		return err
	}
	if err = writeSnapshot(w, nowMs, s); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), name); err != nil {
		return err
	}
	return logfile.SyncDir(filepath.Dir(name))
}

// LoadSnapshot reads a file written by SaveSnapshot. It returns the snapshot and the time at which
// it was taken.
func LoadSnapshot(name string) (s *zookeeper.Snapshot, nowMs int64, err error) {
	st := newState()
	if err := st.load(name); err != nil {
		return nil, 0, err
	}
	if s, err = st.snapshot(); err != nil {
		return nil, 0, fmt.Errorf("snapshot %s: %w", name, err)
	}
	return s, st.nowMs, nil
}

// load reads a snapshot file into an empty state. It returns an error unless the snapshot is
// complete.
func (s *state) load(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	s.snapshotOnly = true
	t, err := s.replay(name, b)
	s.snapshotOnly = false
	if err != nil {
		return err
	}
	if s.complete && t.end < len(b) {
		return fmt.Errorf("snapshot %s: found %d bytes behind its last record, which ends at byte %d, want none", name, len(b)-t.end, t.end)
	}
	if err := t.refusal("snapshot " + name); err != nil {
		return err
	}
	if !s.complete {
		return fmt.Errorf("snapshot %s: ends at byte %d of %d without its last record", name, t.end, len(b))
	}
	return nil
}

// errNoMagic says that a file does not begin with magic.
var errNoMagic = errors.New("not a file of records: want " + magic + " at its beginning")

// replay applies the records of a file, up to the first torn or damaged record. The tail t
// describes the bytes from that record on.
func (s *state) replay(name string, b []byte) (t tail, err error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return tail{torn: len(b), size: len(b)}, fmt.Errorf("%s: %w", name, errNoMagic)
	}
	rest, records := b[len(magic):], 0
	for len(rest) > 0 {
		body, after, ok := nextRecord(rest)
		if !ok {
			break
		}
		if err := s.apply(body); err != nil {
			return t, fmt.Errorf("%s: record %d, at byte %d: %w", name, records+1, len(b)-len(rest), err)
		}
		rest = after
		records++
	}
	return s.describe(rest, records, len(b)), nil
}
