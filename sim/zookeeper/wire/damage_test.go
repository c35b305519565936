package wire

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Goal: no acknowledged record is silently dropped. A log or snapshot with any changed bit is
// refused, with the record and its offset, and left unchanged. Only an incomplete last record is
// cut off (TestALogCutAnywhere). Method: a stored directory is damaged in every way and opened.

// refused opens a data directory with a damaged file called name, and returns the text of the
// error. The file must stay unchanged. The result is "" if the directory was opened.
func refused(t *testing.T, dir, name string) string {
	t.Helper()
	before := must[[]byte](t)(os.ReadFile(name))
	st, _, _, err := openStore(dir)
	if err == nil {
		st.close()
		return ""
	}
	if !bytes.Equal(before, must[[]byte](t)(os.ReadFile(name))) {
		t.Fatalf("%v: and the file was changed", err)
	}
	return err.Error()
}

// spoil replaces a file's content by b while f runs.
func spoil(t *testing.T, name string, b []byte, f func()) {
	t.Helper()
	was := must[[]byte](t)(os.ReadFile(name))
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f()
	if err := os.WriteFile(name, was, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedFileIsRefused(t *testing.T) { // ZK-22.10
	dir := stored(t)
	for _, c := range []struct {
		file string
		room int
	}{{"log.0000000001", 0}, {"log.0000000001", 5000}, {"snapshot.0000000001", 0}} {
		t.Run(fmt.Sprint(c.file, " with room for ", c.room), func(t *testing.T) {
			name := filepath.Join(dir, c.file)
			sound := must[[]byte](t)(os.ReadFile(name))
			for i := 0; i < len(sound)*8; i++ {
				if i >= 40*8 {
					i += 8 // in the next byte, another bit is changed
				}
				if i >= len(sound)*8 {
					break
				}
				b := append(bytes.Clone(sound), make([]byte, c.room)...)
				if b[i/8] ^= 1 << (i % 8); i/8 == len(sound)-1 && b[i/8] == 0 && c.room > 0 {
					continue // the log looks as if its last byte had not been written
				}
				spoil(t, name, b, func() {
					why := refused(t, dir, name)
					if !strings.Contains(why, "is damaged") && !strings.Contains(why, "not a file of records") {
						t.Fatalf("bit %d of byte %d: got %q, want it to be damaged", i%8, i/8, why)
					}
				})
			}
		})
	}
}

func TestTheRecordThatIsDamagedIsNamed(t *testing.T) {
	dir := stored(t)
	name := filepath.Join(dir, "log.0000000001")
	sound := must[[]byte](t)(os.ReadFile(name))
	starts := []int{len(magic)}
	for rest := sound[len(magic):]; len(rest) > 0; {
		_, rest, _ = nextRecord(rest)
		starts = append(starts, len(sound)-len(rest))
	}
	zeros := func(from, to int) []byte {
		b := bytes.Clone(sound)
		clear(b[from:to])
		return b
	}
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"a hole of zeros", zeros(starts[1], starts[2]), fmt.Sprintf("record 2, at byte %d of %d, is damaged, and a whole record follows at byte %d", starts[1], len(sound), starts[2])},
		{"a hole of zeros in the midst", zeros(starts[1]+9, starts[3]-5), fmt.Sprintf("record 2, at byte %d", starts[1])},
		{"a hole of zeros before a last record that is torn", zeros(starts[1], starts[2])[:len(sound)-3], fmt.Sprintf("record 2, at byte %d", starts[1])},
		{"a log without the first record", append([]byte(magic), sound[starts[1]+1:]...), fmt.Sprintf("record 1, at byte %d", starts[0])},
		{"a last record of another length", append(bytes.Clone(sound[:len(sound)-1]), 7, 7, 7), fmt.Sprintf("record %d, at byte %d", len(starts)-1, starts[len(starts)-2])},
	} {
		t.Run(c.name, func(t *testing.T) {
			spoil(t, name, c.b, func() {
				if why := refused(t, dir, name); !strings.Contains(why, c.want) || !strings.Contains(why, "nothing was changed") {
					t.Errorf("got %q, want it to say %q", why, c.want)
				}
			})
		})
	}
}

// Goal: a data directory is refused if one of its log files is missing.
func TestAMissingLogIsRefused(t *testing.T) { // ZK-22.10
	for _, logs := range [][]string{{}, {"2"}, {"1", "3"}} {
		dir := stored(t)
		sound := must[[]byte](t)(os.ReadFile(filepath.Join(dir, "log.0000000001")))
		os.Remove(filepath.Join(dir, "log.0000000001"))
		for _, n := range logs {
			os.WriteFile(filepath.Join(dir, "log.000000000"+n), sound, 0o600)
		}
		_, _, _, err := openStore(dir)
		if err == nil || !strings.Contains(err.Error(), "is missing") {
			t.Errorf("with the logs %q: got %v, want one to be missing", logs, err)
		}
	}
	// A log without a snapshot is valid only if the server ended before its first snapshot was
	// written.
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "log.0000000001"), []byte(magic), 0o600)
	serve(t, Options{DataDir: dir}).connect().ok(mk("/a"))
}

// Goal: a directory with the data of a real ZooKeeper is refused, and no file is added to it.
func TestAnApacheDirectoryIsRefused(t *testing.T) {
	for _, name := range []string{"version-2/log.1", "myid", "snapshot.0", "log.1a0000002c"} {
		dir := t.TempDir()
		os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700)
		os.WriteFile(filepath.Join(dir, name), []byte("1"), 0o600)
		_, err := Listen("127.0.0.1:0", Options{DataDir: dir})
		if err == nil || !strings.Contains(err.Error(), "of an Apache ZooKeeper") {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
		if left := must[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) != 1 {
			t.Errorf("%s: found %v afterwards, want nothing beside it", name, left)
		}
	}
}
