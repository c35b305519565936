package wire

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire/logfile"
)

// store is a data directory. Its files have a generation n, which grows with each snapshot:
//
//	snapshot.n   the whole state when log.n was begun
//	log.n        records since then
//
// A new log is begun before its snapshot is written. So the directory may hold log.n-1, log.n and
// snapshot.n-1 for a while. Older files are deleted once snapshot.n is complete.
type store struct {
	dir  string
	lock io.Closer
	log  *logfile.File
	gen  int64
	// rotateAt is the size in bytes at which a new log is begun, unless the last snapshot was
	// larger.
	rotateAt int64
	snapshot int64 // snapshot is the size of the last snapshot in bytes
	// writing delivers the result of a snapshot that is being written in the background. It is nil
	// if no snapshot is being written.
	writing chan written
	// next delivers the log that makeNext creates in advance. It delivers nil after an error.
	next chan *logfile.File
}

// written is the result of writing a snapshot: its size in bytes, and the error.
type written struct {
	bytes int64
	err   error
}

// nextName is the file name of a log created in advance.
const nextName = "next"

// defaultRotateAt is the size in bytes at which a log ends and a new generation begins.
const defaultRotateAt = 64 << 20

// openStore opens or creates a data directory. The state s is nil if the directory was empty. cut
// describes the bytes that were cut off an incomplete log, as after a loss of power.
func openStore(dir string) (st *store, s *state, cut string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, "", fmt.Errorf("data directory: %w", err)
	}
	if err := refuseApache(dir); err != nil {
		return nil, nil, "", err
	}
	lock, err := logfile.LockDir(dir)
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
	if err := os.RemoveAll(filepath.Join(dir, nextName)); err != nil {
		return nil, nil, "", err
	}
	snapshots, logs, err := st.generations()
	if err != nil {
		return nil, nil, "", err
	}
	if len(snapshots) == 0 {
		if len(logs) > 0 && !st.onlyBegun(logs) {
			return nil, nil, "", fmt.Errorf("found %s without its snapshot: want %s", st.logName(logs[0]), st.snapshotName(logs[0]))
		}
		return st, nil, "", nil
	}
	s = newState()
	st.gen = snapshots[len(snapshots)-1]
	if err := s.load(st.snapshotName(st.gen)); err != nil {
		return nil, nil, "", err
	}
	st.snapshot = sizeOf(st.snapshotName(st.gen))
	cut, err = st.replayLogs(s, logs)
	return st, s, cut, err
}

// apacheName matches the names of a real ZooKeeper's files: its id in myid, its snapshots and logs,
// and the directory version-2 that holds them.
var apacheName = regexp.MustCompile(`^(version-[0-9]+|myid|(snapshot|log)\.[0-9a-f]+(\.snappy|\.gz)?)$`)

// ownName matches the names of the snapshots and logs that a store writes.
var ownName = regexp.MustCompile(`^(snapshot|log)\.[0-9]{10}$`)

// refuseApache returns an error for a directory with the data of a real ZooKeeper, which a store
// would ignore. A directory that also holds a store's own files is accepted.
func refuseApache(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	found := ""
	for _, e := range entries {
		switch {
		case ownName.MatchString(e.Name()):
			return nil
		case apacheName.MatchString(e.Name()):
			found = e.Name()
		}
	}
	if found != "" {
		return fmt.Errorf("data directory %s: found %s of an Apache ZooKeeper, whose files are not read here: want an empty directory, or one that this server has made", dir, found)
	}
	return nil
}

func (st *store) snapshotName(gen int64) string { return st.name("snapshot", gen) }
func (st *store) logName(gen int64) string      { return st.name("log", gen) }

func (st *store) name(kind string, gen int64) string {
	return filepath.Join(st.dir, fmt.Sprintf("%s.%010d", kind, gen))
}

// generations lists the numbers of the snapshots and logs, in order. It deletes temporary files of
// unfinished snapshots.
func (st *store) generations() (snapshots, logs []int64, err error) {
	entries, err := os.ReadDir(st.dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".tmp-") {
			os.Remove(filepath.Join(st.dir, e.Name()))
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

// replayLogs applies the logs from the snapshot's generation on, and opens the last of them for
// appending. Only the last log may end within a record, and no log may be missing.
func (st *store) replayLogs(s *state, logs []int64) (cut string, err error) {
	// logs that are older than the snapshot are not needed
	logs = slices.DeleteFunc(logs, func(gen int64) bool { return gen < st.gen })
	for i := range max(len(logs), 1) {
		if want := st.gen + int64(i); i == len(logs) || logs[i] != want {
			return "", fmt.Errorf("%s is missing: %s needs it", st.logName(want), st.snapshotName(st.gen))
		}
	}
	for _, gen := range logs[:len(logs)-1] {
		t, _, err := s.replayLog(st.logName(gen))
		if err == nil && (t.torn > 0 || t.end == 0) {
			err = fmt.Errorf("%s: byte %d of %d begins no whole and sound record, and a later log follows", st.logName(gen), t.end, t.size)
		}
		if err != nil {
			return "", err
		}
	}
	st.gen = logs[len(logs)-1]
	name := st.logName(st.gen)
	t, b, err := s.replayLog(name)
	if err != nil {
		return "", err
	}
	if t.torn > 0 {
		cut = fmt.Sprintf("%s: cut off the last %d of %d bytes, which were not written to their end", name, t.torn, t.end+t.torn)
	}
	if t.end == 0 {
		return cut, st.begin(st.gen)
	}
	st.log, err = logfile.Open(name, b[:t.end])
	return cut, err
}

// replayLog applies the records of a log and returns its bytes. If the log ends within its magic,
// only the size in the tail t is set.
func (s *state) replayLog(name string) (t tail, b []byte, err error) {
	if b, err = os.ReadFile(name); err != nil {
		return t, nil, err
	}
	if len(b) < len(magic) && strings.HasPrefix(magic, string(b)) {
		return tail{size: len(b)}, b, nil
	}
	if t, err = s.replay(name, b); err != nil {
		return t, nil, err
	}
	return t, b, t.refusal(name)
}

// begin starts the empty log of a generation, and closes the previous log.
func (st *store) begin(gen int64) error {
	log, err := st.takeNext(gen)
	if err != nil {
		return err
	}
	if log == nil {
		if log, err = logfile.Create(st.logName(gen), magic, 0); err != nil {
			return err
		}
	}
	err = errors.Join(logfile.SyncDir(st.dir), st.closeLog())
	st.log, st.gen = log, gen
	return err
}

// makeNext creates the next log and reserves its space, so that no later write has to wait for
// this. It does so in the background, once the present log is half full.
func (st *store) makeNext() {
	if st.next != nil || st.log.Size() < st.rotateAt/2 {
		return
	}
	name, room, result := filepath.Join(st.dir, nextName), max(st.rotateAt, st.snapshot)+logfile.MaxRoom, make(chan *logfile.File, 1)
	st.next = result
	go func() {
		log, err := logfile.Create(name, magic, room)
		if err != nil {
			log = nil // the error is not returned here, because it comes again when the log is begun
		}
		result <- log
	}()
}

// takeNext renames the log that makeNext has created to its generation's name, and returns it. It
// returns nil if that log is not ready.
func (st *store) takeNext(gen int64) (*logfile.File, error) {
	var log *logfile.File
	select {
	case log = <-st.next:
		st.next = nil
	default:
	}
	if log == nil {
		return nil, nil
	}
	if err := log.Rename(st.logName(gen)); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return log, nil
}

// dropNext deletes the log that was created in advance, if it was never used.
func (st *store) dropNext() error {
	if st.next == nil {
		return nil
	}
	log := <-st.next
	st.next = nil
	if log == nil {
		return nil
	}
	return errors.Join(log.Close(), log.Remove())
}

// first writes the first log and snapshot of a new directory. The log comes first, as in every
// generation. So a snapshot without its log shows that the log was lost.
func (st *store) first(nowMs int64, s *zookeeper.Snapshot) error {
	if err := st.begin(1); err != nil {
		return err
	}
	return SaveSnapshot(st.snapshotName(1), nowMs, s)
}

// onlyBegun reports whether the only log is the first one and has no records. In that case the
// server ended before it wrote its first snapshot.
func (st *store) onlyBegun(logs []int64) bool {
	return len(logs) == 1 && logs[0] == 1 && sizeOf(st.logName(1)) <= int64(len(magic))
}

// append writes records to the log and returns once they are durable.
func (st *store) append(records []byte) error {
	st.makeNext()
	return st.log.Append(records)
}

func (st *store) closeLog() error {
	if st.log == nil {
		return nil
	}
	return st.log.Close()
}

// full reports whether a new generation is due. It returns false while a snapshot is being written.
// A log grows at least to the size of the last snapshot, so that writing snapshots costs no more
// than writing logs.
func (st *store) full() bool {
	return st.writing == nil && st.log.Size() >= max(st.rotateAt, st.snapshot)
}

// hasRecords reports whether there are records that the last snapshot does not have.
func (st *store) hasRecords() bool { return st.log.Size() > int64(len(magic)) }

// rotate begins a new generation. s is the state after all records written so far. Its snapshot is
// written in the background.
func (st *store) rotate(nowMs int64, s *zookeeper.Snapshot) error {
	gen := st.gen + 1
	if err := st.begin(gen); err != nil {
		return err
	}
	result := make(chan written, 1)
	st.writing = result
	go func() {
		err := SaveSnapshot(st.snapshotName(gen), nowMs, s)
		if err == nil {
			err = st.deleteBefore(gen)
		}
		result <- written{bytes: sizeOf(st.snapshotName(gen)), err: err}
	}()
	return nil
}

// rotated handles the result of the snapshot that rotate has begun. If the snapshot is still being
// written, it returns nil, or waits if wait is true.
func (st *store) rotated(wait bool) (err error) {
	if st.writing == nil {
		return nil
	}
	var w written
	if wait {
		w = <-st.writing
	} else {
		select {
		case w = <-st.writing:
		default:
			return nil
		}
	}
	st.writing, st.snapshot = nil, w.bytes
	return w.err
}

// sizeOf returns the size of a file in bytes; 0 if it does not exist.
func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// deleteBefore deletes generations older than gen.
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
	return errors.Join(st.rotated(true), st.dropNext(), st.closeLog(), st.lock.Close())
}

// sizes returns the total bytes of all snapshots and of all logs, for the four-letter words dirs
// and conf.
func (st *store) sizes() (snapshots, logs int64) {
	entries, err := os.ReadDir(st.dir)
	if err != nil {
		return 0, 0
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil { // for example a file that was deleted since ReadDir
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
