package golden

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: a release has the same vectors as any other build. Method: the test packs the vectors of
// this binary, and reads all files back from the archive.
func TestPackedVectorsAreTheSame(t *testing.T) {
	var first, again bytes.Buffer
	if err := Pack(&first, FS()); err != nil {
		t.Fatal(err)
	}
	if err := Pack(&again, FS()); err != nil || !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Errorf("packing twice: got other bytes, or %v", err)
	}
	names, err := fs.Glob(FS(), "*")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := fs.Glob(unpack(first.Bytes()), "*")
	if diff := cmp.Diff(names, packed); diff != "" || err != nil || len(names) < 10 {
		t.Fatalf("files (-embedded +packed), %v:\n%s", err, diff)
	}
	for _, name := range names {
		want, err := fs.ReadFile(FS(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(unpack(first.Bytes()), name); err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s: got %d bytes and %v, want the %d that were packed", name, len(got), err, len(want))
		}
	}
}
