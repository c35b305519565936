package bench

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
	"pgregory.net/rapid"
)

// Goal: a header block that is looked up gives the same fields as one that is decoded, even
// while the header table changes. Method: random trailers, encoded as a server does, with a
// table that holds only few of them.
func TestHeadReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var block bytes.Buffer
		encoder := hpack.NewEncoder(&block)
		encoder.SetMaxDynamicTableSizeLimit(200)
		reader := newHeadReader()
		for i := range rapid.IntRange(1, 50).Draw(t, "blocks") {
			want := head{
				httpStatus:  rapid.SampledFrom([]string{"", "200", "415", "599"}).Draw(t, "http status"),
				grpcStatus:  fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "grpc status")),
				grpcMessage: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "message"),
			}
			block.Reset()
			for _, f := range []hpack.HeaderField{
				{Name: ":status", Value: want.httpStatus},
				{Name: "grpc-status", Value: want.grpcStatus},
				{Name: "grpc-message", Value: want.grpcMessage},
				{Name: "x", Value: rapid.SampledFrom([]string{"1", "2", strings.Repeat("3", 100)}).Draw(t, "other")},
			} {
				if err := encoder.WriteField(f); err != nil {
					t.Fatal(err)
				}
			}
			got, err := reader.read(block.Bytes())
			if err != nil || got != want {
				t.Fatalf("block %d: got %+v and %v, want %+v", i, got, err, want)
			}
		}
	})
}

func TestHeadReaderRefusesWhatIsNoBlock(t *testing.T) {
	for _, block := range [][]byte{{0xff, 0xff, 0xff}, {0xc8}, {0x40, 0x05, 'a'}} {
		if _, err := newHeadReader().read(block); err == nil {
			t.Errorf("%x: got no error", block)
		}
	}
}

func TestUnframe(t *testing.T) {
	for _, c := range []struct{ frame, want string }{
		{"", "0 bytes, want a message"},
		{"\x01\x00\x00\x00\x00", "flags 1"},
		{"\x00\x00\x00\x00\x02a", "1 bytes, want the 2"},
		{"\x00\x00\x00\x00\x00a", "1 bytes, want the 0"},
	} {
		if _, err := unframe([]byte(c.frame)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.frame, err, c.want)
		}
	}
	if got, err := unframe(Frame([]byte("hello"))); err != nil || string(got) != "hello" {
		t.Errorf("got %q and %v, want what was framed", got, err)
	}
}
