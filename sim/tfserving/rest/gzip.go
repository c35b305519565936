package rest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"strings"
)

// maxBody limits the size of an unpacked body in bytes (upstream's ZLib::kMaxUncompressedBytes).
const maxBody = 100 << 20

// body returns a request's body, unpacked if Content-Encoding contains "gzip". A body that cannot
// be unpacked is empty (util/net_http/server/internal/evhttp_request.cc:163-272).
func body(r Request) []byte {
	if !strings.Contains(r.ContentEncoding, "gzip") || len(r.Body) == 0 {
		return r.Body
	}
	unpacked, err := unzip(r.Body)
	if err != nil {
		return nil
	}
	return unpacked
}

// unzip unpacks one gzip member, after which no data may follow. If the stated length is above
// maxBody, it refuses before it allocates memory.
func unzip(packed []byte) ([]byte, error) {
	if len(packed) < 4 || binary.LittleEndian.Uint32(packed[len(packed)-4:]) > maxBody {
		return nil, io.ErrUnexpectedEOF
	}
	source := bufio.NewReader(bytes.NewReader(packed))
	reader, err := gzip.NewReader(source)
	if err != nil {
		return nil, err
	}
	reader.Multistream(false)
	unpacked, err := io.ReadAll(io.LimitReader(reader, maxBody+1))
	if err == nil && (len(unpacked) > maxBody || source.Buffered() > 0) {
		err = io.ErrUnexpectedEOF
	}
	return unpacked, err
}
