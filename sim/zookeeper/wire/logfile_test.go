package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Goal: a log has what was written to it, in writes of all lengths, whichever way it is
// written and however often it is opened again, also by who was killed. Method: numbered
// bytes, and a copy of the file as a crash would leave it.
func TestLogHasWhatWasWritten(t *testing.T) {
	for _, c := range []struct {
		name   string
		cached bool
	}{{"as the file system can", false}, {"by way of the cache", true}} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "log")
			l := must[*logFile](t)(createLog(name, 3000))
			want := []byte(magic)
			sizes := rand.New(rand.NewPCG(1, 2))
			for i := range 60 {
				if c.cached && l.direct {
					if err := l.goCached(); err != nil {
						t.Fatal(err)
					}
				}
				n := 1 + sizes.IntN(3*blockSize)
				switch i {
				case 7:
					n = blockSize - len(want)%blockSize // just a whole block
				case 20:
					n = 2*blocksSize + 5
				}
				records := bytes.Repeat([]byte{byte(i + 1)}, n)
				if err := l.write(records); err != nil {
					t.Fatal(err)
				}
				want = append(want, records...)
				left := must[[]byte](t)(os.ReadFile(name))
				if got := bytes.TrimRight(left, "\x00"); !bytes.Equal(got, want) {
					t.Fatalf("after write %d of %d bytes: found %d bytes before the zeros, want %d, or other ones", i, n, len(got), len(want))
				}
				if i%10 == 9 {
					l.close()
					expect(t, must[os.FileInfo](t)(os.Stat(name)).Size(), int64(len(want)))
					l = must[*logFile](t)(openLog(name, want))
				}
			}
			l.close()
		})
	}
}

// Goal: where a file system opens a file for direct writes and then refuses one, the log
// goes on by way of the cache. Method: blocks at an odd place in memory, which no file
// system takes.
func TestLogThatMayNotBeWrittenDirectly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l := must[*logFile](t)(createLog(name, 0))
	defer func() { l.close() }()
	if !l.direct {
		t.Skip("the file system has no direct writes")
	}
	l.blocks = append(make([]byte, 1, len(l.blocks)+1), l.blocks...)[1:]
	for range 2 {
		if err := l.write([]byte("record")); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, l.direct, false)
	expect(t, strings.TrimRight(string(must[[]byte](t)(os.ReadFile(name))), "\x00"), magic+"recordrecord")
}

// Goal: the log after this one is there when it is begun, with its room, and is gone when
// it was not needed.
func TestTheNextLogIsMadeAhead(t *testing.T) {
	dir := t.TempDir()
	st, _, _, err := openStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	st.rotateAt = 1000
	if err := st.begin(1); err != nil {
		t.Fatal(err)
	}
	next := filepath.Join(dir, nextName)
	for range 2 {
		if err := st.write(make([]byte, 600)); err != nil {
			t.Fatal(err)
		}
		expect(t, st.next != nil, st.log.size > 1200) // once half of rotateAt was written
	}
	made := <-st.next
	st.next <- made
	if err := st.begin(2); err != nil {
		t.Fatal(err)
	}
	expect(t, st.log == made, true)
	if st.log.room < st.rotateAt {
		t.Errorf("the next log has room for %d bytes, want %d at least", st.log.room, st.rotateAt)
	}
	if err := errors.Join(st.write(make([]byte, 800)), st.write([]byte("last")), st.close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(next); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v, want it to be gone", next, err)
	}
	expect(t, sizeOf(st.logName(2)), int64(len(magic)+804))
}
