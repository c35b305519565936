package datadir

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Options limits what is read. The zero value reads a single directory completely.
type Options struct {
	// LogDir is the directory of the logs if it differs from that of the snapshots (dataLogDir),
	// else "".
	LogDir string
	// At is the zxid of the last transaction to apply, 0 for all transactions.
	At int64
}

// Data is the state that was read, with its origin.
type Data struct {
	Image zookeeper.Image
	// TimeMs is the wall time of the last change, in milliseconds since 1970.
	TimeMs int64
	// Snapshot is the file from which the state began. Logs are the log files whose transactions
	// were applied to it.
	Snapshot     string
	Logs         []string
	Transactions int
	// Notes lists messages for the user, such as files that were skipped and bytes that were cut
	// off.
	Notes []string
}

// file is a snapshot or a log. Its zxid comes from the file name.
type file struct {
	name string
	zxid int64
}

// fileName matches the names of a server's snapshots and logs. The second group is the zxid
// in hexadecimal.
var fileName = regexp.MustCompile(`^(snapshot|log)\.([0-9a-f]{1,16})(\.gz|\.snappy)?$`)

// Holds reports whether a directory holds files of an Apache ZooKeeper and no files of the
// simulated server.
func Holds(dir string) bool {
	snapshots, logs, err := find(dir, "")
	return err == nil && len(snapshots)+len(logs) > 0 && !HoldsOwn(dir)
}

// HoldsOwn reports whether a directory is a --data-dir of the simulated server. If its only log is
// empty or damaged at the beginning, the directory is still recognized by the lock, which no other
// server makes.
func HoldsOwn(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "lock")); err == nil {
		return true
	}
	logs, _ := filepath.Glob(filepath.Join(dir, "log.*")) // fails only if the name of dir is no valid pattern
	return slices.ContainsFunc(logs, IsOwn)
}

// find lists the snapshots and logs in a data directory or in its subdirectory version-2,
// the newest first. If dir is a single file, find returns only this file.
func find(dir, logDir string) (snapshots, logs []file, err error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		if !fileName.MatchString(filepath.Base(dir)) {
			return nil, nil, fmt.Errorf("%s: want a name like snapshot.1f, which says the zxid", dir)
		}
		return []file{{name: dir, zxid: zxidOf(dir)}}, nil, nil
	}
	if snapshots, err = list(dir, "snapshot"); err != nil {
		return nil, nil, err
	}
	if logs, err = list(cmp.Or(logDir, dir), "log"); err != nil {
		return nil, nil, err
	}
	return snapshots, logs, nil
}

func list(dir, kind string) (found []file, err error) {
	if below := filepath.Join(dir, "version-2"); isDirectory(below) {
		dir = below
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		m := fileName.FindStringSubmatch(e.Name())
		name := filepath.Join(dir, e.Name())
		if m == nil || m[1] != kind || e.IsDir() || m[3] == "" && IsOwn(name) {
			continue
		}
		found = append(found, file{name, zxidOf(name)})
	}
	slices.SortFunc(found, func(a, b file) int { return cmp.Compare(b.zxid, a.zxid) })
	return found, nil
}

// zxidOf returns the zxid in a file's name, 0 if the name has none.
func zxidOf(name string) int64 {
	m := fileName.FindStringSubmatch(filepath.Base(name))
	if m == nil {
		return 0
	}
	zxid, _ := strconv.ParseUint(m[2], 16, 64) // cannot fail: the expression matches hexadecimal digits only
	return int64(zxid)
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// ownMagic begins each file of the simulated server. Its file names look like those of
// Apache ZooKeeper.
const ownMagic = "MSIM"

// IsOwn reports whether a file was written by the simulated server.
func IsOwn(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	front := make([]byte, len(ownMagic))
	n, _ := f.Read(front) // an unreadable file does not count as ours, and fails when it is loaded
	return string(front[:n]) == ownMagic
}

// Load reads a data directory: the newest snapshot, and the logs since then. It fails if
// damage makes it unclear which transactions the server had acknowledged.
func Load(dir string, opt Options) (*Data, error) {
	snapshots, logs, err := find(dir, opt.LogDir)
	if err != nil {
		return nil, err
	}
	switch {
	case len(snapshots) == 0 && len(logs) == 0:
		return nil, fmt.Errorf("%s: found neither version-2 nor a file like snapshot.0 or log.1: want the data directory of an Apache ZooKeeper", dir)
	case len(snapshots) == 0:
		return nil, fmt.Errorf("%s: found logs and no snapshot: a server does not start without one", dir)
	}
	d := &Data{}
	t, digest, err := d.begin(snapshots, opt.At)
	if err != nil {
		return nil, err
	}
	if err := d.replay(t, digest, logs, opt.At); err != nil {
		return nil, err
	}
	if opt.At > t.zxid {
		return nil, fmt.Errorf("%s: found %#x as its last zxid, want %#x", dir, t.zxid, opt.At)
	}
	t.settle()
	d.Image, d.TimeMs = t.image(), t.timeMs
	return d, nil
}

func (d *Data) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// begin reads the newest usable snapshot (ZK-25.1). It skips unfinished snapshots, which a
// server leaves when it is killed while writing.
func (d *Data) begin(snapshots []file, at int64) (t *tree, digest snapshotDigest, err error) {
	for _, f := range snapshots {
		if at != 0 && f.zxid > at {
			continue
		}
		t, digest, err = readSnapshot(f.name)
		switch {
		case errors.Is(err, errUnfinished):
			d.note("%v, and is passed over", err)
			continue
		case err != nil:
			return nil, digest, err
		case at != 0 && (digest.zxid > at || digest.zxid == at && digest.Value != t.digest):
			continue // the snapshot may contain later transactions, or part of the next one
		}
		t.zxid, d.Snapshot = f.zxid, f.name
		return t, digest, nil
	}
	if at != 0 {
		return nil, digest, fmt.Errorf("%s: no snapshot is as old as zxid %#x: found %s", filepath.Dir(snapshots[0].name), at, names(snapshots))
	}
	return nil, digest, fmt.Errorf("%s: no snapshot was written to its end: found %s", filepath.Dir(snapshots[0].name), names(snapshots))
}

func names(files []file) string {
	return strings.Join(lists.MapOrNil(files, func(f file) string { return filepath.Base(f.name) }), ", ")
}

// replay applies the transactions in the logs that are newer than the snapshot. If at is not
// 0 it stops after that zxid.
func (d *Data) replay(t *tree, digest snapshotDigest, logs []file, at int64) error {
	differs := ""
	if digest.zxid != 0 && digest.zxid == t.zxid {
		differs = t.differs(&digest.Digest, differs)
	}
	if i := slices.IndexFunc(logs, func(f file) bool { return f.zxid <= t.zxid }); i >= 0 {
		logs = logs[:i+1] // older logs end before the snapshot
	}
	for _, f := range slices.Backward(logs) {
		log, err := readLog(f.name)
		if err != nil {
			return err
		}
		before, all := d.Transactions, true
		for i := range log.list {
			tx := &log.list[i]
			if at != 0 && tx.Zxid > at {
				all = false
				break
			}
			if tx.Zxid <= t.zxid {
				continue
			}
			if err := follows(t.zxid, tx); err != nil {
				return err
			}
			t.apply(tx)
			d.Transactions++
			differs = t.differs(tx.Digest, differs)
		}
		if d.Transactions > before {
			d.Logs = append(d.Logs, f.name)
		}
		if !all {
			break
		}
		if note := log.cut(); note != "" {
			d.note("%s", note)
		}
	}
	if differs != "" {
		d.note("%s", differs)
	}
	return nil
}

// follows returns an error if transactions are missing between the zxid last and tx
// (ZK-25.2). Within an epoch zxids increase by 1.
func follows(last int64, tx *Transaction) error {
	if tx.Zxid>>32 != last>>32 || tx.Zxid == last+1 {
		return nil
	}
	return fmt.Errorf("%s: record %d, at byte %d, has the zxid %#x, want %#x: the transactions between are missing", tx.File, tx.Record, tx.Offset, tx.Zxid, last+1)
}

// differs compares the digest of the tree with want, a digest that the server has written
// (ZK-25.4). It returns a text on the difference, or "" if they agree. If there is no digest to
// compare with, it returns the parameter before. Only the last comparison counts. While the logs
// are replayed, a snapshot may already contain parts of later transactions, so that earlier digests
// can differ.
func (t *tree) differs(want *Digest, before string) string {
	switch {
	case want == nil || want.Version != digestVersion:
		return before
	case want.Value == t.digest:
		return ""
	}
	return fmt.Sprintf("the znodes after zxid %#x have the digest %d, where the server has written %d: they are not what it had", t.zxid, t.digest, want.Value)
}

// Transactions passes every record in the logs of a directory to the function each, in the order of
// zxids. If name is a single log it reads only that log. It stops at the first error of the
// function. The notes say what was cut off.
func Transactions(name string, opt Options, each func(*Transaction) error) (notes []string, err error) {
	files := []file{{name: name}}
	if isDirectory(name) {
		if _, files, err = find(name, opt.LogDir); err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: found neither version-2 nor a file like log.1: want the data directory of an Apache ZooKeeper, or a log", cmp.Or(opt.LogDir, name))
		}
	}
	for _, f := range slices.Backward(files) {
		log, err := readLog(f.name)
		if err != nil {
			return notes, err
		}
		for i := range log.list {
			if err := each(&log.list[i]); err != nil {
				return notes, err
			}
		}
		if note := log.cut(); note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}
