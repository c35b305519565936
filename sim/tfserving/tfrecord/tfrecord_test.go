package tfrecord_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	framing "github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/sim/tfserving/tfrecord"
)

func TestRecordsComeBack(t *testing.T) {
	records := [][]byte{[]byte("one"), {}, bytes.Repeat([]byte{7}, 300)}
	var file []byte
	for _, r := range records {
		file = framing.Append(file, r)
	}
	reader := tfrecord.NewReader(file)
	for i, want := range records {
		got, err := reader.Next()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("record %d: got %q, %v, want %q", i, got, err, want)
		}
	}
	if _, err := reader.Next(); err != io.EOF {
		t.Errorf("at the end: got %v, want EOF", err)
	}
}

// recorded returns files that a real TensorFlow wrote, and what it read from damaged files
// (testdata/record.py). Bytes are in hexadecimal.
func recorded(t *testing.T) (r struct {
	Records []string
	File    string
	Reads   []struct {
		File    string
		Records int
		Error   string
	}
}) {
	data, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func unhex(t *testing.T, s string) []byte {
	data, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWrittenAsTensorFlow(t *testing.T) {
	r := recorded(t)
	var file []byte
	for _, record := range r.Records {
		file = framing.Append(file, unhex(t, record))
	}
	if want := unhex(t, r.File); !bytes.Equal(file, want) {
		t.Errorf("got % x, want % x", file, want)
	}
}

func TestDamageAsTensorFlow(t *testing.T) {
	for i, row := range recorded(t).Reads {
		for _, newer := range []bool{true, false} {
			reader := tfrecord.NewReader(unhex(t, row.File))
			reader.Newer = newer
			records, err := 0, error(nil)
			for ; err == nil; records++ {
				_, err = reader.Next()
			}
			got, want := "", row.Error
			if err != io.EOF {
				got = err.Error()
			}
			if !newer {
				want, _, _ = strings.Cut(strings.Replace(want, "' failed", " (", 1), " (")
			}
			if got != want || records-1 != row.Records {
				t.Errorf("row %d, newer %t: got %d records and %q, want %d and %q", i, newer, records-1, got, row.Records, want)
			}
		}
	}
}

func FuzzNext(f *testing.F) {
	f.Add(framing.Append(framing.Append(nil, []byte("a")), nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		reader := tfrecord.NewReader(file)
		var again []byte
		for {
			record, err := reader.Next()
			if err != nil {
				break
			}
			again = framing.Append(again, record)
		}
		if !bytes.HasPrefix(file, again) {
			t.Errorf("records read are not what the file begins with")
		}
	})
}
