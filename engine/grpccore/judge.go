package grpccore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
)

// judge reads the header blocks of one connection, and decides about them as C-core does.
type judge struct {
	limits  limits
	decoder *hpack.Decoder
	call    call
	block   []byte

	settled bool   // whether the client has acknowledged our settings, so that their limits apply
	drained bool   // the server takes no new calls
	newest  uint32 // number of the stream that began last
	// usual is the last header block that was passed unchanged and did not change the HPACK table.
	// The same bytes later mean the same header, so they need not be read again.
	usual  []byte
	coded  bool   // whether the header in usual has an encoding
	format string // compression format of the answers to the header in usual
	// apart is set once a block was not passed unchanged. From then on grpc-go's decoder has
	// another HPACK table than the client, so later blocks must not use the table.
	apart bool

	encoder *hpack.Encoder
	encoded bytes.Buffer
	out     bytes.Buffer
	framer  *http2.Framer
}

// tableSize is the size of HPACK's dynamic table in bytes, the default of grpc-go and of C-core.
const tableSize = 4096

func newJudge(l limits) *judge {
	j := &judge{limits: l}
	j.decoder = hpack.NewDecoder(tableSize, j.call.take)
	j.encoder = hpack.NewEncoder(&j.encoded)
	j.framer = http2.NewFramer(&j.out, nil)
	return j
}

// verdict says what to do with the frames of a header block. Its bytes are valid until the next
// verdict.
type verdict struct {
	pass    bool   // whether grpc-go reads the frames unchanged
	instead []byte // frames that grpc-go reads in their place, unless pass is set
	answer  []byte // bytes that are sent to the client
	coded   bool   // whether the call has an encoding
	format  string // compression format of the answers; "" if they are not compressed
	begins  bool   // a call begins
}

// frames decides what to do with the frames of one header block.
func (j *judge) frames(b []byte) verdict {
	ends, stream := http2.Flags(b[4]).Has(http2.FlagHeadersEndStream), streamOf(b)
	block, ok := j.payload(b, stream)
	if !ok || stream == 0 {
		return verdict{pass: true} // grpc-go itself ends the connection here
	}
	begins := stream > j.newest && stream%2 == 1
	if begins && !j.apart && !j.drained && len(block) > 0 && bytes.Equal(block, j.usual) {
		j.newest = stream
		return verdict{pass: true, coded: j.coded, format: j.format, begins: true}
	}
	j.call.reset(j.limits.soft, j.limits.hard)
	if !j.settled {
		j.call.limit = math.MaxInt32
	}
	if _, err := j.decoder.Write(block); err != nil || j.decoder.Close() != nil {
		return verdict{pass: true} // grpc-go itself ends the connection here
	}
	if !begins {
		return verdict{instead: j.later(stream, ends)}
	}
	j.newest = stream
	if len(block) >= j.call.limit {
		j.call.findTooLong(block)
	}
	if j.call.judge(); j.drained {
		j.call.fail(codes.Canceled, "CANCELLED")
	}
	coded := j.call.encoding != nil && j.call.encoding.Value != "identity"
	if coded && !j.limits.compression.takes(j.call.encoding.Value) {
		j.call.fail(codes.Unimplemented, "Compression algorithm '"+j.call.encoding.Value+"' is disabled.")
	}
	if j.limits.noStreams {
		j.call.refuse = &refusal{reset: true, why: http2.ErrCodeRefusedStream}
		if !j.settled {
			j.call.refuse.why = http2.ErrCodeEnhanceYourCalm
		}
	}
	format := ""
	if j.limits.compression.answers() {
		var accepted []string
		if j.call.accepts != nil {
			accepted = strings.Split(j.call.accepts.Value, ",")
		}
		format = j.limits.compression.of(accepted)
	}
	switch {
	case j.call.refuse != nil:
		j.apart = true
		return verdict{answer: j.refusal(stream, ends, j.call.refuse), begins: true}
	case j.apart, j.call.odd:
		j.apart = true
		return verdict{instead: j.headers(stream, ends, j.call.instead()), coded: coded, format: format, begins: true}
	}
	j.usual = j.usual[:0]
	// each call of larger headers may be refused at random, so it has to be judged by itself
	if j.call.size <= j.limits.soft && constant(block) {
		j.usual, j.coded, j.format = append(j.usual, block...), coded, format
	}
	return verdict{pass: true, coded: coded, format: format, begins: true}
}

// later returns what grpc-go reads for a header block that does not begin a call. If the block ends
// a call, it contains a client's trailers, which nobody reads, and only the end is passed on. Other
// blocks are ignored.
func (j *judge) later(stream uint32, ends bool) []byte {
	j.apart = true
	j.out.Reset()
	if ends {
		_ = j.framer.WriteData(stream, true, nil) // writing into a buffer does not fail
	}
	return j.out.Bytes()
}

// headers encodes fields without HPACK's dynamic table.
func (j *judge) headers(stream uint32, ends bool, fields []hpack.HeaderField) []byte {
	j.out.Reset()
	j.write(stream, ends, fields)
	return j.out.Bytes()
}

func (j *judge) write(stream uint32, ends bool, fields []hpack.HeaderField) {
	j.encoded.Reset()
	for _, f := range fields {
		f.Sensitive = true // keeps the field out of HPACK's table
		_ = j.encoder.WriteField(f)
	}
	block := j.encoded.Bytes()
	const most = 16384
	part := block[:min(most, len(block))]
	block = block[len(part):]
	_ = j.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: part, EndStream: ends, EndHeaders: len(block) == 0})
	for len(block) > 0 {
		part = block[:min(most, len(block))]
		block = block[len(part):]
		_ = j.framer.WriteContinuation(stream, len(block) == 0, part)
	}
}

// refusal encodes the answer to a refused call. If the client has not ended its call, a reset tells
// it to stop.
func (j *judge) refusal(stream uint32, ended bool, r *refusal) []byte {
	j.out.Reset()
	if r.reset {
		_ = j.framer.WriteRSTStream(stream, cmp.Or(r.why, http2.ErrCodeInternal))
		return j.out.Bytes()
	}
	fields := []hpack.HeaderField{{Name: ":status", Value: "200"}, {Name: "content-type", Value: contentType}, {Name: "grpc-status", Value: strconv.Itoa(int(r.code))}}
	if len(r.text) <= longestRefusal {
		fields = append(fields, hpack.HeaderField{Name: "grpc-message", Value: r.text})
	}
	j.write(stream, true, fields)
	if !ended {
		_ = j.framer.WriteRSTStream(stream, http2.ErrCodeNo)
	}
	return j.out.Bytes()
}

// goAway encodes the frame that ends a connection.
func (j *judge) goAway(last uint32, code http2.ErrCode, text string) []byte {
	j.out.Reset()
	_ = j.framer.WriteGoAway(last, code, []byte(text))
	return j.out.Bytes()
}

// longestRefusal is the length in bytes of the longest text that C-core sends with a call that it refuses
// by itself. It leaves a longer text out, because the encoded field would have more than 2,048 bytes. Texts of
// handlers have no such limit, and are percent-encoded, which these are not.
const longestRefusal = 2031

func streamOf(frame []byte) uint32 { return binary.BigEndian.Uint32(frame[5:]) & (1<<31 - 1) }

// payload returns the header block in frames, without padding and priority. It returns false if the
// frames are not a valid header block.
func (j *judge) payload(b []byte, stream uint32) (block []byte, ok bool) {
	size := payloadSize(b)
	flags, part := http2.Flags(b[4]), b[frameHead:frameHead+size]
	pad := 0
	if flags.Has(http2.FlagHeadersPadded) {
		if len(part) == 0 {
			return nil, false
		}
		pad, part = int(part[0]), part[1:]
	}
	if flags.Has(http2.FlagHeadersPriority) {
		if len(part) < 5 {
			return nil, false
		}
		part = part[5:]
	}
	if pad > len(part) {
		return nil, false
	}
	part = part[:len(part)-pad]
	if flags.Has(http2.FlagHeadersEndHeaders) {
		return part, true
	}
	j.block = append(j.block[:0], part...)
	for b = b[frameHead+size:]; len(b) > 0; b = b[frameHead+size:] {
		size, flags = payloadSize(b), http2.Flags(b[4])
		if streamOf(b) != stream {
			return nil, false
		}
		j.block = append(j.block, b[frameHead:frameHead+size]...)
	}
	return j.block, flags.Has(http2.FlagContinuationEndHeaders)
}

// constant reports whether a valid header block leaves HPACK's table unchanged. That is so if each
// field is indexed, or is a literal that is not added to the table.
func constant(block []byte) bool {
	for len(block) > 0 {
		var r representation
		if r, block = next(block); r.changes {
			return false
		}
	}
	return true
}

// findTooLong refuses a call if the encoded length of a single name or value reaches the limit.
// C-core reads a text that fits into HPACK's table in any case (ShouldSkipParsingString in
// hpack_parser.cc).
func (c *call) findTooLong(block []byte) {
	skipped := func(length int) bool { return length > tableSize && length+32 >= c.limit }
	for field := 0; len(block) > 0; field++ {
		var r representation
		r, block = next(block)
		switch {
		case skipped(r.key):
			c.tooLong(field, "key", r.key)
			return
		case skipped(r.value):
			c.tooLong(field, "value", r.value)
			return
		}
	}
}

// representation describes how one header field is encoded (RFC 7541, section 6).
type representation struct {
	changes    bool // the table
	key, value int  // lengths of the encoded texts; 0 for a text from HPACK's table
}

// next reads the representation of one field from a valid block, and returns the rest of the block.
func next(block []byte) (r representation, rest []byte) {
	bits := 4
	switch b := block[0]; {
	case b&0x80 != 0:
		_, rest = integer(block, 7)
		return r, rest
	case b&0xe0 == 0x20:
		_, rest = integer(block, 5)
		return representation{changes: true}, rest
	case b&0x40 != 0:
		bits, r.changes = 6, true
	}
	index, rest := integer(block, bits)
	if index == 0 {
		r.key, rest = integer(rest, 7)
		rest = rest[r.key:]
	}
	r.value, rest = integer(rest, 7)
	return r, rest[r.value:]
}

// integer reads an HPACK integer whose prefix has the given number of bits (RFC 7541, section 5.1).
func integer(b []byte, bits int) (n int, rest []byte) {
	mask := 1<<bits - 1
	if n = int(b[0]) & mask; n < mask {
		return n, b[1:]
	}
	for i, shift := 1, 0; ; i, shift = i+1, shift+7 {
		n += int(b[i]&0x7f) << shift
		if b[i]&0x80 == 0 {
			return n, b[i+1:]
		}
	}
}
