package logfile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const magic = "MAGIC"

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Goal: a log file holds exactly the bytes that were written to it. This must hold for writes of
// all lengths, for both ways of writing, and after it is opened again, also after a kill. Method:
// numbered bytes are written, and the file is copied as a crash would leave it.
func TestLogHasWhatWasWritten(t *testing.T) {
	for _, c := range []struct {
		name   string
		cached bool
	}{{"as the file system can", false}, {"by way of the cache", true}} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "log")
			l := must[*File](t)(Create(name, magic, 3000))
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
					n = blockSize - len(want)%blockSize // fills exactly the rest of a block
				case 20:
					n = 2*blocksSize + 5
				}
				records := bytes.Repeat([]byte{byte(i + 1)}, n)
				if err := l.Append(records); err != nil {
					t.Fatal(err)
				}
				want = append(want, records...)
				left := must[[]byte](t)(os.ReadFile(name))
				if got := bytes.TrimRight(left, "\x00"); !bytes.Equal(got, want) {
					t.Fatalf("after write %d of %d bytes: found %d bytes before the zeros, want %d, or other ones", i, n, len(got), len(want))
				}
				if i%10 == 9 {
					l.Close()
					if size := must[os.FileInfo](t)(os.Stat(name)).Size(); size != int64(len(want)) {
						t.Fatalf("after Close: found %d bytes, want %d", size, len(want))
					}
					l = must[*File](t)(Open(name, want))
				}
			}
			l.Close()
		})
	}
}

// Goal: if the file system refuses a direct write, the log goes on through the kernel's cache.
// Method: a buffer at an unaligned address, from which no file system writes directly.
func TestLogThatMayNotBeWrittenDirectly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l := must[*File](t)(Create(name, magic, 0))
	defer func() { l.Close() }()
	if !l.direct {
		t.Skip("the file system has no direct writes")
	}
	l.blocks = append(make([]byte, 1, len(l.blocks)+1), l.blocks...)[1:]
	for range 2 {
		if err := l.Append([]byte("record")); err != nil {
			t.Fatal(err)
		}
	}
	got := strings.TrimRight(string(must[[]byte](t)(os.ReadFile(name))), "\x00")
	if want := magic + "recordrecord"; l.direct || got != want {
		t.Errorf("direct %v, found %q, want false and %q", l.direct, got, want)
	}
}
