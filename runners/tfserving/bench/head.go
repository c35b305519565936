package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"
)

// headBlocks returns two header blocks. The block of a connection's first request puts its
// fields into the server's table. The block of all later requests refers to these table
// entries, with one byte each.
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
			_ = encoder.WriteField(f) // writing into a buffer does not fail
		}
		return bytes.Clone(block.Bytes())
	}
	return encode(), encode()
}

// head holds the fields of a header block that this client uses.
type head struct {
	httpStatus, grpcStatus, grpcMessage string
}

// headReader decodes header blocks. Most blocks repeat an earlier one that does not change
// the header table, and these are looked up in known.
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
		clear(r.known) // forgotten, because HPACK's dynamic table may have changed
	} else {
		r.known[strings.Clone(string(block))] = r.current
	}
	return r.current, nil
}

// onlyIndexed reports whether every field of a block is one byte that refers to a table
// entry (RFC 7541, 6.1). Such a block does not change the table.
func onlyIndexed(block []byte) bool {
	return !slices.ContainsFunc(block, func(b byte) bool { return b < 0x80 || b == 0xff })
}

// answered returns nil if the trailers report success, and otherwise an error with the gRPC
// status.
func (h head) answered() error {
	if h.grpcStatus != "0" {
		return fmt.Errorf("answered grpc-status %q, %q", h.grpcStatus, h.grpcMessage)
	}
	return nil
}
