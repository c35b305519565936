package grpccore

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
)

func init() {
	for name := range formats {
		encoding.RegisterCompressor(marking{name})
	}
}

// formats lists the compression formats that C-core knows, which are zlib's (message_compress.cc).
var formats = map[string]struct {
	open  func(io.Reader) (io.Reader, error)
	write func(io.Writer) io.WriteCloser
}{
	"gzip": {
		func(r io.Reader) (io.Reader, error) {
			z, err := gzip.NewReader(r)
			if err == nil {
				z.Multistream(false)
			}
			return z, err
		},
		func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	},
	"deflate": {
		func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	},
}

// marking is a compressor that does not decompress a message but puts a mark before it. grpc-go
// decompresses without telling for which server, and reports errors with its own texts. So the
// server's codec decompresses instead.
type marking struct{ name string }

// mark is the beginning of messages that the codec still has to process. It is random, so that no
// client knows it.
var mark = []byte(rand.Text())

// markBytes is an upper bound of the bytes that the mark and the text after it add to a message. A
// message that is too large without them was already refused by the front.
const markBytes = 64

func (m marking) Name() string { return m.name }

func (m marking) Compress(w io.Writer) (io.WriteCloser, error) { return formats[m.name].write(w), nil }

func (m marking) Decompress(r io.Reader) (io.Reader, error) {
	return io.MultiReader(strings.NewReader(string(mark)+m.name+"\n"), r), nil
}

// codec decodes incoming messages and keeps the error if it cannot. It sends answers that are
// already encoded unchanged.
type codec struct {
	encoding.CodecV2
	limit int
}

// incoming is a message that is being received, with the error of decoding it.
type incoming struct {
	message any
	err     error
}

func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if data, ok := v.(encoded); ok {
		return mem.BufferSlice(data), nil
	}
	return c.CodecV2.Marshal(v)
}

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*incoming)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	if len(data) > 0 && bytes.HasPrefix(data[0].ReadOnlyData(), mark) {
		var plain []byte
		if plain, in.err = c.marked(data.Materialize()[len(mark):]); in.err != nil {
			return nil
		}
		data = mem.BufferSlice{mem.SliceBuffer(plain)}
	}
	if c.CodecV2.Unmarshal(data, in.message) != nil {
		in.err = status.Error(codes.Internal, "") // C-core's text is empty here (GenericDeserialize in proto_utils.h)
	}
	return nil
}

// marked decodes what follows the mark: the name of a compression format and a compressed message,
// or the reason why the front has refused the message.
func (c codec) marked(data []byte) ([]byte, error) {
	name, rest, _ := bytes.Cut(data, []byte("\n"))
	switch name := string(name); name {
	case sizeMark:
		return nil, tooLarge(int64(binary.BigEndian.Uint32(rest)), c.limit)
	case flagMark:
		return nil, status.Error(codes.Internal, "Compression bit set but no encoding configured")
	default:
		return inflate(name, rest, c.limit)
	}
}

// These marks stand in the place of a format's name if the front has replaced a message. They say
// why.
const (
	sizeMark = "size"
	flagMark = "flag"
)

var gzipMagic = []byte{0x1f, 0x8b, 8}

const (
	gzipFlags    = 3    // index of the byte with the flags
	gzipReserved = 0xe0 // flags that RFC 1952 reserves

	zlibDictionary         = 0x20 // flag in the second byte that says that a dictionary is needed
	zlibHeadWithDictionary = 6    // length in bytes of a head that names a dictionary
)

func inflate(name string, compressed []byte, limit int) ([]byte, error) {
	if len(compressed) == 0 {
		return nil, nil
	}
	if name == "gzip" && !bytes.HasPrefix(compressed, gzipMagic[:min(len(compressed), len(gzipMagic))]) {
		return nil, zlibError(gzip.ErrHeader) // Go's reader checks the magic number only once the header is complete
	}
	if name == "gzip" && len(compressed) > gzipFlags && compressed[gzipFlags]&gzipReserved != 0 {
		return nil, zlibError(gzip.ErrHeader) // Go's reader ignores these flags
	}
	rest := bytes.NewReader(compressed)
	reader, err := formats[name].open(rest)
	if name == "deflate" && !errors.Is(err, zlib.ErrHeader) && len(compressed) > zlibHeadWithDictionary && compressed[1]&zlibDictionary != 0 {
		return nil, notConsumed // zlib stops without an error, to wait for the dictionary
	}
	if err != nil {
		return nil, zlibError(err)
	}
	room := int64(limit) + min(int64(limit), outputBlock)
	plain, err := io.ReadAll(io.LimitReader(reader, room))
	switch {
	case err != nil:
		return nil, zlibError(err)
	case int64(len(plain)) == room:
		return nil, status.Error(codes.ResourceExhausted, "Decompressed message larger than max")
	case rest.Len() > 0:
		return nil, notConsumed
	case len(plain) > limit:
		return nil, tooLarge(int64(len(plain)), limit)
	}
	return plain, nil
}

var notConsumed = status.Error(codes.Internal, "Decompression failed due to not all input consumed")

// outputBlock is the size in bytes of the blocks into which C-core decompresses. It does not count the first
// one when it looks whether the message is too large yet (message_compress.cc).
const outputBlock = 1024

func zlibError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return status.Error(codes.Internal, "Decompression failed due to data error")
	}
	return status.Error(codes.Internal, "Decompression failed due to zlib error")
}

func tooLarge(size int64, limit int) error {
	return status.Errorf(codes.ResourceExhausted, "SERVER: Received message larger than max (%d vs. %d)", size, limit)
}
