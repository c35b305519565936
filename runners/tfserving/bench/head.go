package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// headBlocks returns the header block of a connection's first request, which puts its fields into
// the server's table, and the block of all others, which names them there with a byte each.
func headBlocks(method, authority string) (first, next []byte) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	encode := func() []byte {
		block.Reset()
		for _, f := range []hpack.HeaderField{
			{Name: ":method", Value: "POST"},
			{Name: ":scheme", Value: "http"},
			{Name: ":path", Value: method},
			{Name: ":authority", Value: authority},
			{Name: "content-type", Value: "application/grpc"},
			{Name: "user-agent", Value: "monosim-tfbench"},
			{Name: "te", Value: "trailers"},
		} {
			_ = encoder.WriteField(f) // a buffer takes all
		}
		return bytes.Clone(block.Bytes())
	}
	return encode(), encode()
}

// head holds the fields of a header block that matter here.
type head struct {
	httpStatus, grpcStatus, grpcMessage string
}

// headReader reads header blocks. Nearly all repeat earlier ones that do not change the
// table; those are looked up.
type headReader struct {
	decoder *hpack.Decoder
	current head
	known   map[string]head
}

func newHeadReader() *headReader {
	r := &headReader{known: map[string]head{}}
	r.decoder = hpack.NewDecoder(4096, r.field)
	return r
}

func (r *headReader) field(f hpack.HeaderField) {
	switch f.Name {
	case ":status":
		r.current.httpStatus = f.Value
	case "grpc-status":
		r.current.grpcStatus = f.Value
	case "grpc-message":
		r.current.grpcMessage = f.Value
	}
}

func (r *headReader) read(block []byte) (head, error) {
	if h, ok := r.known[string(block)]; ok {
		return h, nil
	}
	r.current = head{}
	if _, err := r.decoder.Write(block); err != nil {
		return head{}, err
	}
	if err := r.decoder.Close(); err != nil {
		return head{}, err
	}
	if !onlyIndexed(block) {
		clear(r.known) // the table may have changed
	} else {
		r.known[strings.Clone(string(block))] = r.current
	}
	return r.current, nil
}

// onlyIndexed reports whether all fields of a block are one byte that names an entry of the
// table (RFC 7541, 6.1), so that the block changes nothing.
func onlyIndexed(block []byte) bool {
	return !slices.ContainsFunc(block, func(b byte) bool { return b < 0x80 || b == 0xff })
}

// answered returns nil for the trailers of a successful call.
func (h head) answered() error {
	if h.grpcStatus != "0" {
		return fmt.Errorf("answered grpc-status %q, %q", h.grpcStatus, h.grpcMessage)
	}
	return nil
}
