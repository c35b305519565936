package wire

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
)

// store is a data directory. Generation n of it is a snapshot and the log of
// what came after:
//
//	snapshot.n   the whole state when log.n was begun
//	log.n        records since then
//
// A new log is begun before the snapshot that goes with it is written, so the
// directory may hold log.n-1, log.n and snapshot.n-1 for a while; what is not
// needed is deleted when snapshot.n is whole.
type store struct {
	dir  string
	lock io.Closer
	log  *os.File
	gen  int64
	size int64 // of log
	// room is how far the file of log goes: there are zeros behind size (see room.go).
	room int64
	// rotateAt is the size at which a new log is begun.
	rotateAt int64
	// writing is the snapshot that is being written; its result comes once.
	writing chan error
}

// defaultRotateAt is the size of a log that is worth a snapshot.
const defaultRotateAt = 64 << 20

// openStore opens or makes a data directory. s is nil when there is nothing in
// it. cut says what was cut off a log that was not written to its end, as after
// a loss of power.
func openStore(dir string) (st *store, s *state, cut string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, "", fmt.Errorf("data directory: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, nil, "", err
	}
	st = &store{dir: dir, lock: lock, rotateAt: defaultRotateAt}
	defer func() {
		if err != nil {
			lock.Close()
			err = fmt.Errorf("data directory %s: %w", dir, err)
		}
	}()
	snapshots, logs, err := st.generations()
	if err != nil {
		return nil, nil, "", err
	}
	if len(snapshots) == 0 {
		if len(logs) > 0 {
			return nil, nil, "", fmt.Errorf("found %s without its snapshot: want %s", st.logName(logs[0]), st.snapshotName(logs[0]))
		}
		return st, nil, "", nil
	}
	s = newState()
	st.gen = snapshots[len(snapshots)-1]
	if err := s.load(st.snapshotName(st.gen)); err != nil {
		return nil, nil, "", err
	}
	cut, err = st.replayLogs(s, logs)
	return st, s, cut, err
}

func (st *store) snapshotName(gen int64) string { return st.name("snapshot", gen) }
func (st *store) logName(gen int64) string      { return st.name("log", gen) }

func (st *store) name(kind string, gen int64) string {
	return filepath.Join(st.dir, fmt.Sprintf("%s.%010d", kind, gen))
}

// generations lists what is there, in order.
func (st *store) generations() (snapshots, logs []int64, err error) {
	entries, err := os.ReadDir(st.dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".tmp-") {
			os.Remove(filepath.Join(st.dir, e.Name())) // of a snapshot that was not finished
			continue
		}
		var gen int64
		kind, digits, _ := strings.Cut(e.Name(), ".")
		if _, err := fmt.Sscanf(digits, "%d", &gen); err != nil || e.Name() != filepath.Base(st.name(kind, gen)) {
			continue
		}
		switch kind {
		case "snapshot":
			snapshots = append(snapshots, gen)
		case "log":
			logs = append(logs, gen)
		}
	}
	slices.Sort(snapshots)
	slices.Sort(logs)
	return snapshots, logs, nil
}

// replayLogs applies the logs from the snapshot's generation on. Only the last
// one may end within a record.
func (st *store) replayLogs(s *state, logs []int64) (cut string, err error) {
	for i, gen := range logs {
		if gen < st.gen {
			continue // left over from before the snapshot
		}
		name, last := st.logName(gen), i == len(logs)-1
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if last && len(b) < len(magic) && strings.HasPrefix(magic, string(b)) {
			b = nil // not even its beginning was written
		}
		end, torn := 0, 0
		if b != nil {
			if end, torn, err = s.replay(name, b); err != nil {
				return "", err
			}
		}
		if torn > 0 && !last {
			return "", fmt.Errorf("%s: byte %d of %d begins no whole and sound record, and a later log follows", name, end, len(b))
		}
		if last {
			if torn > 0 {
				cut = fmt.Sprintf("%s: cut off the last %d of %d bytes, which were not written to their end", name, torn, end+torn)
			}
			st.gen = gen
			return cut, st.reopen(name, int64(end))
		}
	}
	return "", st.begin(st.gen)
}

// reopen goes on with a log behind its first size bytes.
func (st *store) reopen(name string, size int64) error {
	if size == 0 {
		return st.begin(st.gen)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(size), f.Sync()); err != nil {
		f.Close()
		return err
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		f.Close()
		return err
	}
	st.log, st.size, st.room = f, size, size
	return nil
}

// begin begins an empty log.
func (st *store) begin(gen int64) error {
	f, err := os.OpenFile(st.logName(gen), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(magic); err != nil {
		f.Close()
		return err
	}
	if err := errors.Join(f.Sync(), syncDir(st.dir)); err != nil {
		f.Close()
		return err
	}
	err = st.closeLog()
	st.log, st.gen, st.size, st.room = f, gen, int64(len(magic)), int64(len(magic))
	return err
}

// first writes the state of a new directory.
func (st *store) first(nowMs int64, s *zookeeper.Snapshot) error {
	if err := SaveSnapshot(st.snapshotName(1), nowMs, s); err != nil {
		return err
	}
	return st.begin(1)
}

// write makes records durable.
func (st *store) write(records []byte) error {
	st.makeRoom(int64(len(records)))
	n, err := st.log.Write(records)
	st.size += int64(n)
	st.room = max(st.room, st.size)
	if err != nil {
		return err
	}
	return syncData(st.log)
}

// closeLog closes the log, if there is one, without the room behind it.
func (st *store) closeLog() error {
	if st.log == nil {
		return nil
	}
	var err error
	if st.room > st.size {
		err = st.log.Truncate(st.size)
	}
	return errors.Join(err, st.log.Close())
}

// full reports whether it is time for a new generation; never while a snapshot is
// still being written.
func (st *store) full() bool { return st.size >= st.rotateAt && st.writing == nil }

// rotate begins a new generation with a state that holds all that was written.
// Its snapshot is written meanwhile.
func (st *store) rotate(nowMs int64, s *zookeeper.Snapshot) error {
	gen := st.gen + 1
	if err := st.begin(gen); err != nil {
		return err
	}
	st.writing = make(chan error, 1)
	go func() {
		err := SaveSnapshot(st.snapshotName(gen), nowMs, s)
		if err == nil {
			err = st.deleteBefore(gen)
		}
		st.writing <- err
	}()
	return nil
}

// rotated takes the result of a rotation that is over, with wait also of one that
// is not.
func (st *store) rotated(wait bool) (err error) {
	if st.writing == nil {
		return nil
	}
	if wait {
		err = <-st.writing
	} else {
		select {
		case err = <-st.writing:
		default:
			return nil
		}
	}
	st.writing = nil
	return err
}

func (st *store) deleteBefore(gen int64) error {
	snapshots, logs, err := st.generations()
	if err != nil {
		return err
	}
	for _, old := range snapshots {
		if old < gen {
			err = errors.Join(err, os.Remove(st.snapshotName(old)))
		}
	}
	for _, old := range logs {
		if old < gen {
			err = errors.Join(err, os.Remove(st.logName(old)))
		}
	}
	return err
}

func (st *store) close() error {
	return errors.Join(st.rotated(true), st.closeLog(), st.lock.Close())
}

// sizes are the bytes of snapshots and of logs, for the words dirs and conf.
func (st *store) sizes() (snapshots, logs int64) {
	entries, err := os.ReadDir(st.dir)
	if err != nil {
		return 0, 0
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err != nil {
			continue
		}
		switch {
		case strings.HasPrefix(e.Name(), "snapshot."):
			snapshots += info.Size()
		case strings.HasPrefix(e.Name(), "log."):
			logs += info.Size()
		}
	}
	return snapshots, logs
}
