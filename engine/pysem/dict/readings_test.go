package dict

import (
	"errors"
	"fmt"
	"testing"
)

// Goal: a content that is read repeatedly is decoded once. Errors are not cached, and the size of
// the cache is bounded. Method: read three times as many contents as the cache can hold, and one
// content after each of them.
func TestAContentIsDecodedOnce(t *testing.T) {
	decoded := map[string]int{}
	r := Readings[string]{Decode: func(content []byte) (string, error) {
		decoded[string(content[:8])]++
		if content[0] == 'x' {
			return "", errors.New("x")
		}
		return string(content[:8]), nil
	}}
	large := make([]byte, mostReadingsBytes/50)
	read := func(name string) error {
		copy(large, name)
		v, err := r.Read(large)
		if err == nil && v != name {
			t.Fatalf("got %q, want %q", v, name)
		}
		return err
	}
	for i := range 300 {
		if err := errors.Join(read("constant"), read(fmt.Sprintf("one%5d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if decoded["constant"] != 1 || decoded["one    7"] != 1 {
		t.Errorf("decoded %d and %d times, want once", decoded["constant"], decoded["one    7"])
	}
	if n := len(r.young) + len(r.old); n > 110 {
		t.Errorf("%d contents are kept, want twice 50 at most", n)
	}
	for range 2 {
		if read("x       ") == nil {
			t.Error("an error is kept, want it told each time")
		}
	}
	if n := decoded["x       "]; n != 2 {
		t.Errorf("decoded %d times, want twice", n)
	}
}
