package datadir_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/adler32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/zookeeper/datadir"
)

// Goal: without a real server installed, a recorded directory is read as the state that its
// server answered, and any damage to its files is detected. Method: testdata/recorded comes
// from a server 3.8.0 that was started twice (go test -run ADirectoryHas -update records it
// anew). Tests cut and change copies of it.

// copied returns a copy of the recorded directory.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/recorded")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func answers(t *testing.T) map[string]znode {
	t.Helper()
	text, err := os.ReadFile("testdata/recorded/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]znode
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// of returns the only file in version-2 of a directory that a pattern matches.
func of(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "version-2", pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: found %q, %v, want one", pattern, files, err)
	}
	return files[0]
}

const (
	firstLog       = "log.1"
	secondLog      = "log.[2-9a-f]*"
	secondSnapshot = "snapshot.[1-9a-f]*"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// refused checks that Load fails with an error that contains all the words.
func refused(t *testing.T, dir string, opt datadir.Options, words ...string) {
	t.Helper()
	_, err := datadir.Load(dir, opt)
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Fatalf("got %v, want an error with %q", err, w)
		}
	}
}

func TestARecordedDirectory(t *testing.T) {
	d := load(t, "testdata/recorded", datadir.Options{})
	_, got := restored(t, d.Image)
	same(t, "the newest snapshot and its log", answers(t), got)

	dir := copied(t)
	if err := os.Remove(of(t, dir, secondSnapshot)); err != nil {
		t.Fatal(err)
	}
	d = load(t, dir, datadir.Options{})
	_, got = restored(t, d.Image)
	same(t, "the first snapshot and all logs", answers(t), got)
	if len(d.Logs) != 2 {
		t.Errorf("got the logs %q, want two", d.Logs)
	}
}

// records returns the offset of each record in a log, and the end of the last record.
func records(t *testing.T, name string) (offsets []int, end int) {
	t.Helper()
	if _, err := datadir.Transactions(name, datadir.Options{}, func(tx *datadir.Transaction) error {
		offsets = append(offsets, tx.Offset)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b := read(t, name)
	return offsets, len(b) - 64
}

func TestATornEndIsPassedOver(t *testing.T) {
	whole := load(t, "testdata/recorded", datadir.Options{}).Image.Zxid
	dir := copied(t)
	log := of(t, dir, secondLog)
	offsets, end := records(t, log)
	last, b := offsets[len(offsets)-1], read(t, log)
	for cut := last + 1; cut < end; cut++ {
		for _, after := range []int{0, len(b) - cut} {
			torn := append(append([]byte{}, b[:cut]...), make([]byte, after)...)
			write(t, log, torn)
			d, err := datadir.Load(dir, datadir.Options{})
			if err != nil {
				t.Fatalf("cut at byte %d, with %d zeros behind: %v", cut, after, err)
			}
			// A record begins with zero bytes, and zeros also fill up the log. So a cut within
			// these first bytes leaves no note.
			if d.Image.Zxid != whole-1 || len(d.Notes) != 1 && strings.Trim(string(b[last:cut]), "\x00") != "" {
				t.Fatalf("cut at byte %d, with %d zeros behind: zxid %#x, notes %q, want %#x and a note", cut, after, d.Image.Zxid, d.Notes, whole-1)
			}
		}
	}
}

func TestAChangedByteIsRefused(t *testing.T) {
	dir := copied(t)
	if err := os.Remove(of(t, dir, secondSnapshot)); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{firstLog, secondLog} {
		log := of(t, dir, pattern)
		offsets, end := records(t, log)
		b := read(t, log)
		record := 0
		for at := offsets[0]; at < end; at += 5 {
			if record+1 < len(offsets) && at >= offsets[record+1] {
				record++
			}
			changed := append([]byte{}, b...)
			changed[at] ^= 1 << (at % 8)
			write(t, log, changed)
			refused(t, dir, datadir.Options{}, log, fmt.Sprintf("record %d, at byte %d, is damaged", record+1, offsets[record]))
		}
		write(t, log, b)
	}
	load(t, dir, datadir.Options{})
}

func TestAChangedSnapshotIsRefused(t *testing.T) {
	dir := copied(t)
	snapshot := of(t, dir, secondSnapshot)
	b := read(t, snapshot)
	for at := 0; at < len(b); at += 3 {
		changed := append([]byte{}, b...)
		changed[at] ^= 1 << (at % 8)
		write(t, snapshot, changed)
		if at >= len(b)-5 { // a snapshot that seems unfinished is skipped, because there is an older one
			if d, err := datadir.Load(dir, datadir.Options{}); err != nil || len(d.Notes) != 1 || len(d.Logs) != 2 {
				t.Fatalf("byte %d: got %+v, %v, want what is in the older snapshot and its logs, and a note", at, d, err)
			}
			continue
		}
		refused(t, dir, datadir.Options{}, snapshot)
	}
}

func TestWhatIsMissingIsRefused(t *testing.T) {
	dir := copied(t)
	if err := os.Remove(of(t, dir, secondSnapshot)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(of(t, dir, firstLog)); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, datadir.Options{}, of(t, dir, secondLog), "record 1, at byte 16", "want 0x1: the transactions between are missing")
	if err := os.Remove(of(t, dir, "snapshot.0")); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, datadir.Options{}, "found logs and no snapshot")
	refused(t, t.TempDir(), datadir.Options{}, "want the data directory of an Apache ZooKeeper")
}

func TestAStateOfTheMiddle(t *testing.T) {
	for _, zxid := range []int64{1, 7, 30} {
		d := load(t, "testdata/recorded", datadir.Options{At: zxid})
		if d.Image.Zxid != zxid || len(d.Logs) != 1 {
			t.Errorf("got zxid %#x of %q, want %#x of the first log", d.Image.Zxid, d.Logs, zxid)
		}
	}
	refused(t, "testdata/recorded", datadir.Options{At: 1 << 32}, "want 0x100000000")
}

// Goal: a snapshot of version 3.9 or later is read. It ends with the last zxid and a
// checksum (FileSnap.java serialize, DataTree.java serializeLastProcessedZxid).
func TestASnapshotWithItsLastZxid(t *testing.T) {
	dir := copied(t)
	snapshot := of(t, dir, secondSnapshot)
	b := binary.BigEndian.AppendUint64(read(t, snapshot), 0x2a)
	sum := binary.BigEndian.AppendUint64(b, uint64(adler32.Checksum(b)))
	write(t, snapshot, append(sum, 0, 0, 0, 1, '/'))
	d := load(t, dir, datadir.Options{})
	_, got := restored(t, d.Image)
	same(t, "the directory", answers(t), got)
	b[len(b)-1]++
	write(t, snapshot, append(append(b, sum[len(b):]...), 0, 0, 0, 1, '/'))
	refused(t, dir, datadir.Options{}, snapshot, "checksum")
}

// Goal: a note says that the tree differs from the server's digest, even though all
// checksums are right. Method: change a znode in the snapshot.
func TestAnotherDigestIsTold(t *testing.T) {
	dir := copied(t)
	snapshot := of(t, dir, secondSnapshot)
	b := read(t, snapshot)
	at := strings.Index(string(b), "10.0.0.0/8")
	at += strings.Index(string(b[at:]), "12345")
	b[at] = 'x'
	const tail = 13 + 20 + 13 // bytes at the end: a checksum, the digest, and a checksum
	binary.BigEndian.PutUint64(b[len(b)-tail:], uint64(adler32.Checksum(b[:len(b)-tail])))
	binary.BigEndian.PutUint64(b[len(b)-13:], uint64(adler32.Checksum(b[:len(b)-13])))
	write(t, snapshot, b)
	d, err := datadir.Load(dir, datadir.Options{})
	if err != nil || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "they are not what it had") {
		t.Errorf("got %+v, %v, want a note", d, err)
	}
}

func TestExportWantsAnEmptyDirectory(t *testing.T) {
	d := load(t, "testdata/recorded", datadir.Options{})
	dir := copied(t)
	if _, err := datadir.Export(dir, &d.Image); err == nil || !strings.Contains(err.Error(), "want an empty directory") {
		t.Errorf("got %v, want an error about an empty directory", err)
	}
	dir = filepath.Join(t.TempDir(), "absent", "below")
	if _, err := datadir.Export(dir, &d.Image); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want an error that names %s", err, dir)
	}
}

// Goal: a directory of the simulated server is known by its lock even when a kill has left an empty log.
func TestOwnDirectoryWithAnEmptyLog(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"lock", "log.0000000001"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if own, apache := datadir.HoldsOwn(dir), datadir.Holds(dir); !own || apache {
			t.Errorf("with %s: found own %v and Apache's %v, want true and false", name, own, apache)
		}
	}
}
