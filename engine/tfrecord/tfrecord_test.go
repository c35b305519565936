package tfrecord_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/engine/tfrecord"
)

// Goal: records are framed as in TensorFlow, damage is reported where TensorFlow reports it, and
// nothing before the damage is lost (TRN-2.24). Method: compare with recordings of TensorFlow
// 2.4's results for every truncation of a file and for a flipped bit in every byte.

// damage holds the content of testdata/damage.json. Each row is [records, error, text].
type damage struct {
	File   string   `json:"file"`
	Cut    [][3]any `json:"cut"`
	Turned [][3]any `json:"turned"`
}

func recorded(t testing.TB) (damage, []byte) {
	t.Helper()
	text, err := os.ReadFile("testdata/damage.json")
	if err != nil {
		t.Fatal(err)
	}
	var d damage
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	file, err := hex.DecodeString(d.File)
	if err != nil {
		t.Fatal(err)
	}
	return d, file
}

// readAll returns the records of src and the error after them, or nil at the end of the file.
func readAll(src io.Reader) (records [][]byte, err error) {
	for r := tfrecord.NewReader(src); ; {
		data, err := r.Next()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		records = append(records, bytes.Clone(data))
	}
}

func TestFramingIsTensorFlows(t *testing.T) {
	_, want := recorded(t)
	var got []byte
	records := [][]byte{{}, []byte("hello"), bytes.Repeat([]byte("x"), 20)}
	for _, r := range records {
		got = tfrecord.Append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("file (-TensorFlow's +ours):\n%s", diff)
	}
	for i, src := range []io.Reader{bytes.NewReader(got), iotest.OneByteReader(bytes.NewReader(got))} {
		back, err := readAll(src)
		if diff := cmp.Diff(records, back); diff != "" || err != nil {
			t.Errorf("source %d: error %v (-want +got):\n%s", i, err, diff)
		}
	}
}

func TestDamageIsToldAsTensorFlowTellsIt(t *testing.T) {
	d, file := recorded(t)
	for n, row := range d.Cut {
		checkDamage(t, file[:n], row, true)
	}
	for i, row := range d.Turned {
		turned := bytes.Clone(file)
		turned[i] ^= 1
		checkDamage(t, turned, row, false)
	}
}

// checkDamage compares the result of reading data with a recorded row. TensorFlow takes a file
// that ends within a header as complete, while this package reports damage.
func checkDamage(t *testing.T, data []byte, row [3]any, cut bool) {
	t.Helper()
	records, err := readAll(bytes.NewReader(data))
	if float64(len(records)) != row[0] {
		t.Errorf("%x: got %d records, TensorFlow read %v", data, len(records), row[0])
	}
	var found *tfrecord.DamageError
	if errors.As(err, &found) && found.TornHeader {
		if row[1] != nil || !cut {
			t.Errorf("%x: got a torn header, TensorFlow says %v", data, row)
		}
		return
	}
	var got any
	if err != nil {
		if got = pysem.TypeOf(err) + ": " + pythonText(err); found == nil || found.Records != len(records) {
			t.Errorf("%x: got %v, want a DamageError behind %d records", data, err, len(records))
		}
	}
	var want any
	if row[1] != nil {
		want = row[1].(string) + ": " + row[2].(string)
	}
	if got != want {
		t.Errorf("%x: got %v, TensorFlow raised %v", data, got, want)
	}
}

func pythonText(err error) string {
	var python *pysem.Error
	errors.As(err, &python)
	return python.Message
}

func TestErrorsStay(t *testing.T) {
	r := tfrecord.NewReader(strings.NewReader("garbage and more of it"))
	_, first := r.Next()
	_, second := r.Next()
	if first == nil || !errors.Is(second, first) {
		t.Errorf("got %v, then %v, want the same error twice", first, second)
	}
	if want := "record 0 at byte 0: found the checksum "; !strings.HasPrefix(first.Error(), want) {
		t.Errorf("got %q, want it to begin with %q", first, want)
	}
	broken := errors.New("disk on fire")
	if _, err := tfrecord.NewReader(iotest.ErrReader(broken)).Next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want the source's error", err)
	}
}

// Goal: a false record length does not allocate memory.
func TestLengthsAreNotBelieved(t *testing.T) {
	for _, length := range []string{"ffffffffffffffff", "00000000000000ff", "0000000001000000"} {
		head, err := hex.DecodeString(length)
		if err != nil {
			t.Fatal(err)
		}
		crc := tfrecord.MaskedCRC(head)
		file := append(head, byte(crc), byte(crc>>8), byte(crc>>16), byte(crc>>24), 'x')
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := readAll(bytes.NewReader(file)); err == nil {
			t.Errorf("length %s: got no error, want a DamageError", length)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<21 {
			t.Errorf("length %s: got %d bytes of memory for a file of %d", length, got, len(file))
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	var file []byte
	for range 1000 {
		file = tfrecord.Append(file, make([]byte, 100))
	}
	r := tfrecord.NewReader(bytes.NewReader(file))
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(500, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("got %v allocations a record, want none", n)
	}
}

// Goal: TensorFlow can read the files written here, and its damage reports still match the
// recording.
func TestTensorFlowAgrees(t *testing.T) {
	python := pythontest.TensorFlow(t)
	want, err := os.ReadFile("testdata/damage.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pythontest.Command(t, python, "testdata/record.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("testdata/damage.json (-recorded +now):\n%s", diff)
	}
	path := filepath.Join(t.TempDir(), "ours")
	var file []byte
	for _, text := range []string{"one", "", "three"} {
		file = tfrecord.Append(file, []byte(text))
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "import sys, tensorflow as tf; print([r.numpy() for r in tf.data.TFRecordDataset([sys.argv[1]])])"
	read, err := pythontest.Command(t, python, "-c", script, path).Output()
	if want := "[b'one', b'', b'three']\n"; err != nil || string(read) != want {
		t.Errorf("TensorFlow read %q, error %v, want %q", read, err, want)
	}
}

// Method: compare the time for reading with the time for just the checksums of the same bytes,
// using the shortest of many rounds. Other processes slow down both alike, whereas a limit in
// bytes per second would fail on a busy machine.
func TestReadingCostsLittleBesideItsChecksums(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures time")
	}
	file, castagnoli := recordsOf(1000), crc32.MakeTable(crc32.Castagnoli)
	shortest := func(so time.Duration, do func()) time.Duration {
		began := time.Now()
		do()
		return min(so, time.Since(began))
	}
	read, sum := time.Hour, time.Hour
	for range 40 {
		read = shortest(read, func() { readOver(file) })
		sum = shortest(sum, func() { crc32.Checksum(file, castagnoli) })
	}
	t.Logf("%v to read, %v for the checksum alone", read, sum)
	if most := 6 * sum; read > most {
		t.Errorf("got %v to read, want at most %v, six times the checksum alone", read, most)
	}
}

// recordsOf returns an 8 MB file with records of the given size.
func recordsOf(size int) []byte {
	var file []byte
	for len(file) < 8<<20 {
		file = tfrecord.Append(file, make([]byte, size))
	}
	return file
}

func readOver(file []byte) {
	r := tfrecord.NewReader(bytes.NewReader(file))
	for {
		if _, err := r.Next(); err != nil {
			return
		}
	}
}

// BenchmarkRead measures how many bytes per second one core reads and checks.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{100, 1000, 100000} {
		b.Run(name(size), func(b *testing.B) {
			file := recordsOf(size)
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				readOver(file)
			}
		})
	}
}

func name(size int) string {
	return map[int]string{100: "100B", 1000: "1kB", 100000: "100kB"}[size]
}

// FuzzReader checks that the records read from any file can be framed again to the same bytes. The
// rest must be the end of the file or a DamageError at that position.
func FuzzReader(f *testing.F) {
	_, file := recorded(f)
	f.Add(file)
	f.Add(file[:40])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := readAll(bytes.NewReader(data))
		var again []byte
		for _, r := range records {
			again = tfrecord.Append(again, r)
		}
		if !bytes.HasPrefix(data, again) {
			t.Fatalf("%d records of %x are framed as %x", len(records), data, again)
		}
		var found *tfrecord.DamageError
		switch {
		case err == nil && len(again) != len(data):
			t.Fatalf("the end came at byte %d of %d", len(again), len(data))
		case err != nil && !errors.As(err, &found):
			t.Fatalf("got %v, want a DamageError", err)
		case err != nil && (found.Records != len(records) || found.Offset < int64(len(again))):
			t.Fatalf("got %v behind %d records of %d bytes", err, len(records), len(again))
		}
	})
}
