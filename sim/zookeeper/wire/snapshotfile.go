package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire/logfile"
)

// magic is the beginning of every file of records; its last digit is the version of the format.
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

// load reads a whole snapshot into an empty state.
func (s *state) load(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	end, torn, err := s.replay(name, b)
	if err != nil {
		return err
	}
	if torn > 0 || !s.complete {
		return fmt.Errorf("snapshot %s: ends at byte %d of %d without its last record", name, end, len(b))
	}
	return nil
}

// errNoMagic says that a file does not begin with magic.
var errNoMagic = errors.New("not a file of records: want " + magic + " at its beginning")

// replay applies the records of a file, up to the first one that is incomplete or damaged. end is
// that record's offset. torn is the number of bytes after end, without trailing zeros, which are
// unused room.
func (s *state) replay(name string, b []byte) (end, torn int, err error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return 0, len(b), fmt.Errorf("%s: %w", name, errNoMagic)
	}
	rest := b[len(magic):]
	for len(rest) > 0 {
		body, after, ok := nextRecord(rest)
		if !ok {
			break
		}
		if err := s.apply(body); err != nil {
			return len(b) - len(rest), len(rest), fmt.Errorf("%s at byte %d: %w", name, len(b)-len(rest), err)
		}
		rest = after
	}
	return len(b) - len(rest), len(bytes.TrimRight(rest, "\x00")), nil
}
