package grpccore

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
)

// compression holds the formats that a server accepts, and those in which it answers. They are set
// by the channel arguments grpc.default_compression_algorithm, grpc.default_compression_level and
// grpc.compression_enabled_algorithms_bitset (compression_internal.cc).
type compression struct {
	enabled   []string // names of the enabled algorithms, in the order of their bits
	algorithm string   // algorithm that compresses answers; "" for none
	level     int      // level by which an algorithm is chosen among those that the client accepts; -1 if none is set
}

// algorithms are named in the order of their numbers.
var algorithms = []string{"identity", "deflate", "gzip"}

// ranked are the formats from the lowest level of compression to the highest.
var ranked = []string{"gzip", "deflate"}

func (a Arguments) compression() compression {
	c := compression{enabled: algorithms, level: -1}
	if set, given := a["grpc.compression_enabled_algorithms_bitset"]; given {
		c.enabled = nil
		for bit, name := range algorithms {
			if set>>bit&1 == 1 {
				c.enabled = append(c.enabled, name)
			}
		}
	}
	if n := a["grpc.default_compression_algorithm"]; n > 0 && n < len(algorithms) && c.takes(algorithms[n]) {
		c.algorithm = algorithms[n]
	}
	if level, given := a["grpc.default_compression_level"]; given {
		const highest = 3
		c.level = min(max(level, 0), highest)
	}
	return c
}

// answers reports whether an answer may be compressed.
func (c *compression) answers() bool { return c.algorithm != "" || c.level > 0 }

func (c *compression) takes(encoding string) bool { return slices.Contains(c.enabled, encoding) }

// of returns the format for answers to a client that accepts the given formats; "" for none. A
// level can choose a format that is not enabled, as in C-core.
func (c *compression) of(accepted []string) string {
	if c.level < 0 {
		return c.algorithm
	}
	var usable []string
	for _, name := range ranked {
		if slices.ContainsFunc(accepted, func(a string) bool { return strings.TrimSpace(a) == name }) {
			usable = append(usable, name)
		}
	}
	if c.level == 0 || len(usable) == 0 {
		return ""
	}
	return usable[[...]int{0, len(usable) / 2, len(usable) - 1}[c.level-1]]
}

// acceptedField encodes the header field that lists what a request may be compressed with.
func (c *compression) acceptedField() []byte {
	return literal(hpack.HeaderField{Name: "grpc-accept-encoding", Value: strings.Join(c.enabled, ", ")})
}

// literal encodes a field so that it is not put into HPACK's table.
func literal(f hpack.HeaderField) []byte {
	f.Sensitive = true
	var b bytes.Buffer
	_ = hpack.NewEncoder(&b).WriteField(f) // writing into a buffer does not fail
	return b.Bytes()
}

// magics holds the first bytes of compressed messages, by format. The front recognizes compressed
// messages by these bytes (see [flags]).
var magics = map[string]string{"gzip": string(gzipMagic), "deflate": "\x78\x9c"}

// compressed returns an answer in the compression format of its call, or unchanged if compression
// does not make it shorter. An answer that begins like a compressed message is always compressed,
// because the front takes every such message for compressed.
func (c *compression) compressed(ctx context.Context, data mem.BufferSlice) (mem.BufferSlice, error) {
	accepted, err := grpc.ClientSupportedCompressors(ctx)
	if err != nil {
		return nil, err
	}
	name := c.of(accepted)
	if name == "" || data.Len() == 0 {
		return data, nil
	}
	var b bytes.Buffer
	plain := data.Materialize()
	w := formats[name].write(&b)
	_, err = w.Write(plain)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	if b.Len() >= len(plain) && !bytes.HasPrefix(plain, []byte(magics[name])) {
		return mem.BufferSlice{mem.SliceBuffer(plain)}, nil
	}
	return mem.BufferSlice{mem.SliceBuffer(b.Bytes())}, nil
}

// flags follows the answer of one call, and sets the compressed flag of its messages. grpc-go
// leaves the flag unset, because it does not know that a message is compressed.
type flags struct {
	field []byte // header field that names the format
	magic string
	rest  int // number of bytes of the current message that have not arrived
}

// frame sets the flags of the messages that begin in the payload of a data frame. grpc-go sends the
// head of a message and its first bytes in one frame.
func (f *flags) frame(payload []byte) {
	for len(payload) > 0 {
		if f.rest > 0 {
			n := min(f.rest, len(payload))
			f.rest, payload = f.rest-n, payload[n:]
			continue
		}
		if len(payload) < messageHead {
			return
		}
		f.rest = int(binary.BigEndian.Uint32(payload[1:]))
		if bytes.HasPrefix(payload[messageHead:], []byte(f.magic)) {
			payload[0] = 1
		}
		payload = payload[messageHead:]
	}
}
