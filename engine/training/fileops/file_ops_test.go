package fileops_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/engine/training/fileops"
)

// Goal: dumps have the same bytes as those of file_ops.cc. Input that crashes the reference's
// process returns an error instead (TRN-5.20, oracle rust), and a damaged file yields the entries
// before the damage (TRN-2.24). Method: the C++ ops are not available, so the bytes are derived
// from the message's fields, and TensorFlow reads them back.

// dumped returns a file with two entries: id 7 with bias 0.5 and (1, 2), id -1 with bias 0 and (3,
// 4).
func dumped(t testing.TB) (env.Files, []byte) {
	t.Helper()
	files := envtest.New(nil, nil).Files
	f, err := fileops.NewWritableFile(files, "/d/dump")
	must(t, err)
	must(t, f.AppendEntryDump([]int64{7, -1}, []float32{0.5, 0}, []float32{1, 2, 3, 4}))
	must(t, f.Close())
	content, err := files.ReadFile("/d/dump")
	must(t, err)
	return files, content
}

func TestEntryDumpsHaveTheirBytes(t *testing.T) {
	_, got := dumped(t)
	// id has 64 fixed bits (tag 09). Each number has its own tag (15), because proto2 does not
	// pack.
	first, second := "0907000000000000001500"+"00003f150000803f1500000040", "09ffffffffffffffff1500000000150000404015"+"00008040"
	for _, record := range []struct {
		at   int
		want string
	}{{12, first}, {12 + 24 + 4 + 12, second}} {
		if text := hex.EncodeToString(got[record.at : record.at+len(record.want)/2]); text != record.want {
			t.Errorf("record at byte %d: got %s, want %s", record.at, text, record.want)
		}
	}
	if want := 2 * (24 + 16); len(got) != want {
		t.Errorf("got %d bytes, want %d", len(got), want)
	}
}

func TestWrongDumpsAreErrors(t *testing.T) {
	for _, c := range []struct {
		name            string
		ids             []int64
		biases, numbers []float32
		want            string
	}{
		{"no ids", nil, nil, nil, "item_id must be non-empty"},
		{"few biases", []int64{1, 2}, []float32{1}, []float32{1, 2}, "bias must have the same length as item_id"},
		{"uneven", []int64{1, 2}, []float32{1, 2}, []float32{1, 2, 3}, "embedding length must be divisible by batch size"},
	} {
		files := envtest.New(nil, nil).Files
		f, err := fileops.NewWritableFile(files, "/d/dump")
		must(t, err)
		err = f.AppendEntryDump(c.ids, c.biases, c.numbers)
		if pysem.TypeOf(err) != "InvalidInput" || err.(*pysem.Error).Message != c.want {
			t.Errorf("%s: got %v, want InvalidInput %s", c.name, err, c.want)
		}
		must(t, f.Close())
		if content, err := files.ReadFile("/d/dump"); err != nil || len(content) != 0 {
			t.Errorf("%s: got %d bytes, error %v, want none of a refused dump", c.name, len(content), err)
		}
		if err := f.AppendEntryDump(c.ids, c.biases, c.numbers); pysem.TypeOf(err) != "InvalidInput" {
			t.Errorf("%s: appending to a closed file: got %v, want InvalidInput, which the port looks at first", c.name, err)
		}
		for _, err := range []error{f.Append(nil), f.AppendEntryDump([]int64{1}, []float32{1}, nil)} {
			if pysem.TypeOf(err) != "BrokenPipe" || err.(*pysem.Error).Message != "file is closed" {
				t.Errorf("%s: appending to a closed file: got %v, want BrokenPipe file is closed", c.name, err)
			}
		}
	}
}

func TestDumpsWithoutEmbeddingsHaveABias(t *testing.T) {
	files := envtest.New(nil, nil).Files
	f, err := fileops.NewWritableFile(files, "dump")
	must(t, err)
	must(t, f.AppendEntryDump([]int64{1}, []float32{2}, nil))
	must(t, f.Close())
	content, err := files.ReadFile("dump")
	must(t, err)
	dumps, err := fileops.ReadEntryDumps(content)
	if err != nil || len(dumps) != 1 || !cmp.Equal(dumps[0].GetNum(), []float32{2}) {
		t.Errorf("got %v, error %v, want one entry with 2", dumps, err)
	}
}

func TestTornDumpsGiveWhatIsWhole(t *testing.T) {
	_, content := dumped(t)
	for n := range content {
		dumps, err := fileops.ReadEntryDumps(content[:n])
		if want := n / 40; len(dumps) != want || (err == nil) != (n%40 == 0) {
			t.Errorf("%d bytes: got %d entries, error %v, want %d", n, len(dumps), err, want)
		}
	}
}

// The script defines the message by field numbers, because the reference's own module needs C++.
const readScript = `
import sys, tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
f = descriptor_pb2.FileDescriptorProto(name="d.proto", package="d", syntax="proto2")
m = f.message_type.add(name="EntryDump")
m.field.add(name="id", number=1, type=16, label=1)
m.field.add(name="num", number=2, type=2, label=3)
pool = descriptor_pool.DescriptorPool()
pool.Add(f)
dump = message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("d.EntryDump"))
for r in tf.data.TFRecordDataset([sys.argv[1]]):
    d = dump.FromString(r.numpy())
    print(d.id, list(d.num), d.SerializeToString() == r.numpy())
`

func TestTensorFlowReadsDumps(t *testing.T) {
	python := pythontest.TensorFlow(t)
	_, content := dumped(t)
	path := filepath.Join(t.TempDir(), "dump")
	must(t, os.WriteFile(path, content, 0o600))
	got, err := pythontest.Command(t, python, "-c", readScript, path).Output()
	if want := "7 [0.5, 1.0, 2.0] True\n-1 [0.0, 3.0, 4.0] True\n"; err != nil || string(got) != want {
		t.Errorf("TensorFlow read %q, error %v, want %q", got, err, want)
	}
}

func FuzzReadEntryDumps(f *testing.F) {
	_, content := dumped(f)
	f.Add(content)
	f.Add(content[:50])
	f.Fuzz(func(t *testing.T, data []byte) {
		dumps, err := fileops.ReadEntryDumps(data)
		if err == nil && len(data) > 0 && len(dumps) == 0 {
			t.Errorf("%x: got no entry and no error", data)
		}
	})
}

// Goal: a write that fails is told by the call that writes, whichever that is.
func TestWritesThatFailAreErrors(t *testing.T) {
	const many = 1 << 15 // numbers, of which the buffer does not hold all
	files := &envtest.Failing{Files: envtest.New(nil, nil).Files}
	for name, do := range map[string]func(f *fileops.WritableFile) error{ //lint:ordered each by itself
		"content": func(f *fileops.WritableFile) error { return f.Append(make([]byte, 4*many)) },
		"a dump": func(f *fileops.WritableFile) error {
			return f.AppendEntryDump([]int64{1}, []float32{1}, make([]float32, many))
		},
		"the end": func(f *fileops.WritableFile) error { return errors.Join(f.Append([]byte("x")), f.Close()) },
	} {
		files.Calls, files.At = 0, -1
		f, err := fileops.NewWritableFile(files, "/d/dump")
		must(t, err)
		files.At = files.Calls
		if err := do(f); pysem.TypeOf(err) != "PermissionDeniedError" && !strings.Contains(fmt.Sprint(err), "PermissionDeniedError") {
			t.Errorf("%s: got %v, want a PermissionDeniedError", name, err)
		}
	}
}
