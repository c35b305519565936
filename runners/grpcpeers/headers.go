package grpcpeers

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// spelled are calls whose header fields are spelled in ways that few clients choose, but which
// HTTP/2 allows.
func spelled() []Probe {
	return slices.Concat(spelledPaths(), spelledTimeouts(), spelledEncodings(), spelledLengths(), spelledPseudoHeaders(), spelledTypes())
}

func spelledPaths() (list []Probe) {
	for _, path := range []string{
		" /peers.Probe/Echo", "/peers.Probe/Echo ", "/peers.Probe/Echo#x", `\peers.Probe\Echo`, "/peers.Probe/Echo;x", "/PEERS.PROBE/ECHO", "/größe/Echo",
		"/peers.Probe/" + strings.Repeat("n", 5000), "/./peers.Probe/Echo", "/peers.Probe/../Echo", "https://peers:1/peers.Probe/Echo", "?", "/?", "/peers.Probe/Echo\t",
		"/peers.Probe/%45cho", "/peers/Probe/Echo", "/.peers.Probe/Echo", "/peers.Probe/echo", "/grpc.health.v1.Health/Check", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
	} {
		list = append(list, calling(fmt.Sprintf("path %.40q of %d bytes", path, len(path)), field{":path", path}))
	}
	return list
}

func spelledTimeouts() (list []Probe) {
	for _, v := range []string{
		"1H", "1M", "1s", "1h", "0H", "100000000n", "12345678m", "00000000S", "000000001S", "0.1S", "1S ", "\t1S", "1S\t", "18446744073709551616n", "1\x7f", "S1", "1,2S", "0x1S",
		"99999999n", "99999999u", "99999999M", "1e3m", "１S", "-0S", "1 M",
	} {
		list = append(list, calling(fmt.Sprintf("timeout %q", v), field{"grpc-timeout", v}))
	}
	return append(list,
		calling("timeout twice", field{"grpc-timeout", "1H"}, field{"+grpc-timeout", "2H"}),
		calling("timeout twice, one wrong", field{"grpc-timeout", "x"}, field{"+grpc-timeout", "2H"}),
		calling("timeout twice, the second wrong", field{"grpc-timeout", "2H"}, field{"+grpc-timeout", "x"}),
		callingOf("timeout twice of a slow call", "Slow", "hello", field{"grpc-timeout", "10S"}, field{"+grpc-timeout", "50m"}),
		callingOf("timeout of a slow call, blank after it", "Slow", "hello", field{"grpc-timeout", "50m "}),
		callingOf("timeout of an unknown method", "Nope", "hello", field{"grpc-timeout", "0n"}),
		callingOf("timeout of a method that refuses", "Refuse", "hello", field{"grpc-timeout", "0n"}),
	)
}

func spelledEncodings() (list []Probe) {
	for _, v := range []string{" gzip", "gzip ", "x-gzip", "identity ", "Identity", "identity,gzip", "gzip;q=1", "*", "none", "DEFLATE", "\x00"} {
		list = append(list, calling(fmt.Sprintf("encoding %q, flag not set", v), field{"grpc-encoding", v}),
			Probe{Name: fmt.Sprintf("encoding %q, gzipped", v), do: func(w *wire) {
				w.greet()
				w.call(request("Echo", field{"grpc-encoding", v}), 1, gzipped("hello"))
				w.await(1)
			}})
	}
	return append(list,
		calling("encoding twice", field{"grpc-encoding", "gzip"}, field{"+grpc-encoding", "deflate"}),
		calling("encoding twice, the first unknown", field{"grpc-encoding", "br"}, field{"+grpc-encoding", "gzip"}),
		calling("encoding twice, the second unknown", field{"grpc-encoding", "gzip"}, field{"+grpc-encoding", "br"}),
		calling("accepts twice", field{"grpc-accept-encoding", "gzip"}, field{"+grpc-accept-encoding", "br"}),
		calling("accepts by weight", field{"grpc-accept-encoding", "gzip;q=0.5, deflate;q=1"}),
		calling("content-encoding gzip", field{"content-encoding", "gzip"}),
		calling("accept-encoding gzip", field{"accept-encoding", "gzip"}),
		calling("grpc-internal-encoding-request", field{"grpc-internal-encoding-request", "gzip"}),
	)
}

func spelledLengths() []Probe {
	return []Probe{
		callingOf("content-length right", "Echo", "hello", field{"content-length", "10"}),
		callingOf("content-length too small", "Echo", "hello", field{"content-length", "3"}),
		callingOf("content-length too large", "Echo", "hello", field{"content-length", "300"}),
		callingOf("content-length no number", "Echo", "hello", field{"content-length", "x"}),
		callingOf("content-length twice", "Echo", "hello", field{"content-length", "10"}, field{"+content-length", "11"}),
		callingOf("transfer-encoding", "Echo", "hello", field{"transfer-encoding", "chunked"}),
		callingOf("upgrade", "Echo", "hello", field{"upgrade", "h2c"}),
		callingOf("proxy-connection", "Echo", "hello", field{"proxy-connection", "keep-alive"}),
		callingOf("keep-alive", "Echo", "hello", field{"keep-alive", "timeout=5"}),
		callingOf("expect", "Echo", "hello", field{"expect", "100-continue"}),
		callingOf("two cookies", "Echo", "hello", field{"cookie", "a=1"}, field{"+cookie", "b=2"}),
		callingOf("user-agent twice", "Echo", "hello", field{"user-agent", "a"}, field{"+user-agent", "b"}),
		callingOf("user-agent of no bytes", "Echo", "hello", field{"user-agent", ""}),
	}
}

func spelledPseudoHeaders() []Probe {
	return []Probe{
		callingOf("host of no bytes", "Echo", "hello", field{":authority", "-"}, field{"host", ""}),
		callingOf("authority with a blank", "Echo", "hello", field{":authority", "a b"}),
		callingOf("authority beyond ASCII", "Echo", "hello", field{":authority", "größe"}),
		callingOf("authority with a user", "Echo", "hello", field{":authority", "me@peers"}),
		callingOf("scheme of no bytes", "Echo", "hello", field{":scheme", ""}),
		callingOf("scheme grpc", "Echo", "hello", field{":scheme", "grpc"}),
		callingOf("scheme twice", "Echo", "hello", field{"+:scheme", "http"}),
		callingOf("method CONNECT", "Echo", "hello", field{":method", "CONNECT"}),
		callingOf("method of 300 letters", "Echo", "hello", field{":method", strings.Repeat("M", 300)}),
		callingOf("pseudo header protocol", "Echo", "hello", field{":protocol", "websocket"}),
		callingOf("pseudo header of no name", "Echo", "hello", field{":", "x"}),
	}
}

func spelledTypes() []Probe {
	return []Probe{
		callingOf("te of many", "Echo", "hello", field{"te", "trailers;q=0.5"}),
		callingOf("te, blank after it", "Echo", "hello", field{"te", "trailers "}),
		callingOf("content-type, blank before it", "Echo", "hello", field{"content-type", " application/grpc"}),
		callingOf("content-type twice, one other", "Echo", "hello", field{"+content-type", "text/plain"}),
		callingOf("content-type of capital letters", "Echo", "hello", field{"content-type", "APPLICATION/GRPC"}),
		callingOf("content-type application/grpc,x", "Echo", "hello", field{"content-type", "application/grpc,x"}),
		callingOf("content-type, blank and parameter", "Echo", "hello", field{"content-type", "application/grpc ;x"}),
		callingOf("content-type application/octet-stream", "Echo", "hello", field{"content-type", "application/octet-stream"}),
	}
}

// heard are calls of Hear with metadata that C-core knows itself or rewrites.
func heard() (list []Probe) {
	for _, f := range []field{
		{"x-a-bin", "AA==,AQ=="}, {"x-a-bin", "AAEC "}, {"x-a-bin", "A A="}, {"x-a-bin", "AA=A"}, {"x-a-bin", "===="}, {"x-a-bin", "AAECA"}, {"x-a-bin", "AB"}, {"x-a-bin", ",,"},
		{"x-a-bin", "\x00AAE"}, {"x-a-bin", "\x00"}, {"x-a-bin", "+/+/"}, {"x-a-bin", "AAEC\n"}, {"-bin", "AAEC"}, {"x-bin", strings.Repeat("QUFB", 500)},
		{"x-a", "\t"}, {"x-a", "a\tb"}, {"x-a", "a,b"}, {"x-a", "\x7f"}, {"x-a", "\xff\xfe"}, {"x-a", "%41"}, {"x-a", strings.Repeat("v", 4097)},
		{"x-\x7f", "1"}, {"x-größe", "1"}, {"x:a", "1"}, {"x-a/b", "1"}, {"x_a.b-c", "1"}, {"x-" + strings.Repeat("n", 3000), "1"}, {"x-*", "1"}, {"x-~", "1"}, {"x-\x00", "1"}, {"x-\n", "1"},
		{"x-a", "a\r\nb"}, {"x-a", "a\x00b"},
	} {
		list = append(list, callingOf(fmt.Sprintf("hears %.30q of %d bytes: %.30q of %d", f.name, len(f.name), f.value, len(f.value)), "Hear", "", f))
	}
	for _, name := range []string{
		"grpc-previous-rpc-attempts", "grpc-retry-pushback-ms", "grpc-tags-bin", "grpc-trace-bin", "grpc-server-stats-bin", "grpc-status-details-bin",
		"lb-token", "lb-cost-bin", "endpoint-load-metrics-bin", "x-endpoint-load-metrics-bin", "x-envoy-peer-metadata", "w3c-traceparent", "traceparent", "content-length",
	} {
		for _, v := range []string{"7", "AAEC", "x!"} {
			list = append(list, callingOf(fmt.Sprintf("known name %s: %q", name, v), "Hear", "", field{name, v}, field{"x-z", "1"}))
		}
		list = append(list, callingOf(fmt.Sprintf("known name %s twice", name), "Hear", "", field{name, "7"}, field{"+" + name, "8"}, field{"x-z", "1"}))
	}
	return list
}

// blocks are header blocks as other HPACK encoders write them.
func blocks() []Probe { return slices.Concat(tables(), indices(), sizesOfBlocks(), framesOfBlocks()) }

// These are the first bits of a literal field that is not added to HPACK's table, that never is,
// and that is.
const without, never, indexed = 0x00, 0x10, 0x40

// block encodes fields as literals of a kind.
func block(kind byte, huffman bool, fields []field) (b []byte) {
	for _, f := range fields {
		b = append(b, kind)
		for _, text := range []string{f.name, f.value} {
			if huffman {
				n := hpack.HuffmanEncodeLength(text)
				b = append(integerOf(b, 7, 0x80, int(n)), hpack.AppendHuffmanString(nil, text)...)
				continue
			}
			b = append(integerOf(b, 7, 0, len(text)), text...)
		}
	}
	return b
}

// sent makes a probe of calls with these header blocks.
func sent(name string, blocks ...[]byte) Probe {
	return Probe{Name: "blocks: " + name, do: func(w *wire) {
		w.greet()
		for i, b := range blocks {
			id := uint32(2*i + 1)
			w.block.Reset()
			w.block.Write(b)
			w.sendBlock(id, false)
			w.data(id, true, message(0, []byte("hello")))
			w.await(id)
		}
	}}
}

// with returns the fields of a usual call of Hear, and more.
func with(more ...field) []field { return append(request("Hear"), more...) }

func v(n int) string { return strings.Repeat("v", n) }

func tables() (list []Probe) {
	one := block(indexed, true, with(field{"x-a", "1"}))
	changed := func(name string, sizes ...int) {
		var b []byte
		for _, n := range sizes {
			b = integerOf(b, 5, 0x20, n)
		}
		list = append(list, sent(name, append(b, one...)))
	}
	list = append(list,
		sent("literals without index", block(without, false, with(field{"x-a", "1"}))),
		sent("literals never indexed", block(never, false, with(field{"x-a", "1"}))),
		sent("literals in Huffman's code", block(without, true, with(field{"x-a", "1"}))),
		sent("literals indexed, then the same", one, block(without, true, with(field{"x-a", "1"}))),
	)
	changed("table of 0 bytes", 0)
	changed("table of 4096 bytes", 4096)
	changed("table of 4097 bytes", 4097)
	changed("table of two sizes", 0, 100)
	changed("table of three sizes", 0, 0, 100)
	first, rest := block(indexed, true, with()[:1]), block(indexed, true, with()[1:])
	return append(list, sent("table size after a field", slices.Concat(first, []byte{0x20}, rest)))
}

func indices() []Probe {
	usual := with()
	return []Probe{
		sent("index 0", append(block(indexed, true, usual), 0x80)),
		sent("index 61", append(block(indexed, true, usual), 0x80|61)),
		sent("index of the newest", append(block(indexed, false, with(field{"x-a", "1"})), 0x80|62, 0x80|62)),
		sent("index too large by one", append(block(indexed, false, usual), 0x80|byte(62+len(usual)))),
		sent("index beyond 32 bits", append(block(indexed, false, usual), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f)),
		sent("length beyond the block", append(block(indexed, false, usual), 0x00, 0x03, 'x', '-', 'a', 0x7f, 0xff, 0x01)),
		sent("Huffman's end of string", append(block(indexed, false, usual), 0x00, 0x03, 'x', '-', 'a', 0x84, 0xff, 0xff, 0xff, 0xff)),
		sent("Huffman's padding of noughts", append(block(indexed, false, usual), 0x00, 0x03, 'x', '-', 'a', 0x81, 0x00)),
		sent("Huffman's padding too long", append(block(indexed, false, usual), 0x00, 0x03, 'x', '-', 'a', 0x82, 0x0f, 0xff)),
		sent("block cut", block(indexed, false, usual)[:40]),
	}
}

func sizesOfBlocks() (list []Probe) {
	usual := with()
	for _, n := range []int{100, 450} {
		list = append(list, sent(fmt.Sprintf("%d small fields", n), block(without, false, with(many(n, "x-%03d", "1")...))))
		list = append(list, sent(fmt.Sprintf("%d fields by index, then a usual call", n), append(block(indexed, false, with(field{"x-a", v(20)})), bytes.Repeat([]byte{0x80 | 62}, n)...), block(without, false, with(field{"x-b", "2"}))))
	}
	list = append(list, sent("large in Huffman's code", block(without, true, with(field{"x-a", strings.Repeat("0", 20000)}))))
	for _, length := range []int{2030, 2031, 2032, 2033} {
		list = append(list, sent(fmt.Sprintf("text of a refusal of %d bytes", length), block(without, false, with(reasoned(length)...))))
	}
	return append(list,
		sent("large name", block(without, false, with(field{"x-" + v(20000), "1"}))),
		sent("two large fields", block(without, false, with(field{"x-a", v(10000)}, field{"x-b", v(10000)}))),
		sent("too large, then usual ones by index", append(block(indexed, false, with(field{"x-a", "1"})), block(without, false, []field{{"x-b", v(17000)}})...), append(block(without, false, usual), 0x80|62), append(block(without, false, usual), 0x80|62)),
		sent("too large in the path", block(without, false, request("Hear", field{":path", "/" + v(17000)}))),
		sent("too large in binary", block(without, false, with(field{"x-a-bin", strings.Repeat("QUFB", 5000)}))),
		sent("binary that decodes to less than the limit", block(without, false, with(field{"x-a-bin", strings.Repeat("QUFB", 4100)}))),
		sent("too large in content-type", block(without, false, request("Hear", field{"content-type", "application/grpc+" + v(17000)}))),
		sent("too large in user-agent", block(without, false, with(field{"user-agent", v(17000)}))),
		sent("too large in grpc-encoding", block(without, false, with(field{"grpc-encoding", v(17000)}))),
		sent("too large in grpc-timeout", block(without, false, with(field{"grpc-timeout", v(17000)}))),
	)
}

func framesOfBlocks() []Probe {
	return []Probe{{Name: "blocks: trailers that are too large", do: func(w *wire) {
		w.greet()
		w.headers(1, false, request("Echo"))
		w.data(1, false, message(0, []byte("hello")))
		w.headers(1, true, []field{{"x-last", v(20000)}})
		w.await(1)
	}}, {Name: "blocks: trailers that do not end the call", do: func(w *wire) {
		w.greet()
		w.headers(1, false, request("Echo"))
		w.data(1, false, message(0, []byte("hello")))
		w.headers(1, false, []field{{"x-last", "1"}})
		w.data(1, true, nil)
		w.await(1)
	}}, {Name: "blocks: in pieces of one byte", do: func(w *wire) {
		w.greet()
		b := block(without, false, with())
		w.note(w.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:1]}))
		for i := 1; i < len(b); i++ {
			w.note(w.framer.WriteContinuation(1, i == len(b)-1, b[i:i+1]))
		}
		w.data(1, true, message(0, []byte("hello")))
		w.await(1)
	}}, {Name: "blocks: padded, with a priority", do: func(w *wire) {
		w.greet()
		w.note(w.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(without, false, with()), EndHeaders: true, PadLength: 200, Priority: http2.PriorityParam{StreamDep: 3, Weight: 7}}))
		w.data(1, true, message(0, []byte("hello")))
		w.await(1)
	}}}
}

// reasoned returns fields that are too large together, for which a refusal has a text of the given length.
func reasoned(length int) (list []field) {
	// Each of the fields adds " x-nnn:100B", and the first one gives what is missing of the length.
	const fields, each, before = 161, 11, 134
	return append([]field{{"x-" + strings.Repeat("n", length-before-(fields-1)*each-len(" x-:100B")), ""}}, many(fields-1, "x-%03d", strings.Repeat("v", 63))...)
}

// many returns n fields with numbered names.
func many(n int, name, value string) (list []field) {
	for i := range n {
		list = append(list, field{fmt.Sprintf(name, i), value})
	}
	return list
}

// integerOf appends an HPACK integer whose prefix has the given number of bits (RFC 7541, section 5.1).
func integerOf(b []byte, bits int, first byte, n int) []byte {
	mask := 1<<bits - 1
	if n < mask {
		return append(b, first|byte(n))
	}
	b = append(b, first|byte(mask))
	for n -= mask; n >= 128; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// packed are compressed messages as other compressors write them, or broken ones.
func packed() (list []Probe) {
	for _, m := range packedMessages() {
		for _, method := range []string{"Echo", "Nope", "Refuse"} {
			list = append(list, Probe{Name: "packed: " + m.name + " for " + method, do: func(w *wire) {
				w.greet()
				w.call(request(method, field{"grpc-encoding", m.encoding}), 1, m.body)
				w.await(1)
			}})
		}
		list = append(list, afterOne(m.name, m.encoding, message(1, []byte(m.body))))
	}
	const most = 4 << 20
	plain := func(name string, n, sent int) Probe { return afterOne(name, "", message(0, make([]byte, n))[:sent]) }
	return append(list,
		plain("the head of a message too large", most+1, 5), plain("a cut message", 100, 50), plain("a cut head", 100, 3),
		callingOf("packed: answer beyond the size that clients take", "Many", "5000000"), callingOf("packed: answer of a size that is no number", "Many", "x"),
	)
}

// afterOne makes a probe of a stream of two messages, the second of which is sent as these bytes once
// the first was answered.
func afterOne(name, encoding string, second []byte) Probe {
	return Probe{Name: "packed: a stream, then " + name, do: func(w *wire) {
		w.greet()
		var changes []field
		if encoding != "" {
			changes = append(changes, field{"grpc-encoding", encoding})
		}
		w.headers(1, false, request("Chat", changes...))
		w.data(1, false, message(0, []byte("one")))
		w.read(func() bool { return len(w.bodies[1]) > 0 })
		w.data(1, true, second)
		w.await(1)
	}}
}

// packedMessage is a compressed message.
type packedMessage struct{ name, encoding, body string }

func packedMessages() []packedMessage {
	stored := func(text string) string { // one block without compression
		var b bytes.Buffer
		z, _ := flate.NewWriter(&b, flate.NoCompression)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.String()
	}
	member := func(head, text string, check func([]byte) []byte) string {
		foot := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text)))
		foot = binary.LittleEndian.AppendUint32(foot, uint32(len(text)))
		if check != nil {
			foot = check(foot)
		}
		return head + stored(text) + string(foot)
	}
	var named bytes.Buffer
	z := gzip.NewWriter(&named)
	z.Name, z.Comment, z.Extra, z.OS = "name", "comment", []byte("extra"), 3
	_, _ = z.Write([]byte("hello"))
	_ = z.Close()
	const plain = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	fiveMiB := strings.Repeat("a", 5<<20)
	return []packedMessage{
		{"gzip with a name, a comment and more", "gzip", named.String()},
		{"gzip, stored", "gzip", member(plain, "hello", nil)},
		{"gzip of another method", "gzip", member("\x1f\x8b\x07\x00\x00\x00\x00\x00\x00\xff", "hello", nil)},
		{"gzip with a reserved flag", "gzip", member("\x1f\x8b\x08\x20\x00\x00\x00\x00\x00\xff", "hello", nil)},
		{"gzip, length wrong", "gzip", member(plain, "hello", func(b []byte) []byte { b[4]++; return b })},
		{"gzip without its foot", "gzip", member(plain, "hello", func([]byte) []byte { return nil })},
		{"gzip, foot cut", "gzip", member(plain, "hello", func(b []byte) []byte { return b[:7] })},
		{"gzip of a header only", "gzip", plain},
		{"gzip, one byte", "gzip", "\x1f"},
		{"gzip, a member and half of one", "gzip", gzipped("hel") + gzipped("lo")[:12]},
		{"gzip, noughts after", "gzip", gzipped("hello") + "\x00\x00\x00\x00"},
		{"gzip of five mebibytes", "gzip", gzipped(fiveMiB)},
		{"deflate, stored", "deflate", "\x78\x01" + stored("hello") + "\x06\x2c\x02\x15"},
		{"deflate, checksum wrong", "deflate", deflated("hello")[:len(deflated("hello"))-1] + "x"},
		{"deflate, checksum cut", "deflate", deflated("hello")[:len(deflated("hello"))-1]},
		{"deflate with a dictionary", "deflate", "\x78\xbb\x00\x00\x00\x01" + stored("hello")},
		{"deflate of a small window", "deflate", "\x18\x19" + stored("hello") + "\x06\x2c\x02\x15"},
		{"deflate, bytes after", "deflate", deflated("hello") + "more"},
		{"deflate, empty message", "deflate", deflated("")},
		{"deflate, no bytes", "deflate", ""},
		{"deflate of five mebibytes", "deflate", deflated(fiveMiB)},
		{"identity, flag set and no bytes", "identity", ""},
	}
}

// living are connections whose clients ping, reset and open calls in unusual orders.
func living() []Probe { return slices.Concat(livingPings(), livingFrames(), livingStreams()) }

func livingPings() []Probe {
	return []Probe{
		{Name: "living: pings all at once", do: func(w *wire) {
			w.greet()
			for range 3 {
				w.note(w.framer.WritePing(false, [8]byte{'a'}))
			}
			w.read(func() bool { return w.acks >= 3 })
		}},
		{Name: "living: pings with data of a call between them", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Chat"))
			for i := range 6 {
				w.data(1, false, message(0, fmt.Appendf(nil, "m%d", i)))
				w.pings(1)
			}
			w.data(1, true, nil)
			w.await(1)
		}},
		{Name: "living: pings while a message arrives", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			for _, b := range message(0, []byte("hi")) {
				w.data(1, false, []byte{b})
				w.pings(1)
			}
			w.data(1, true, nil)
			w.await(1)
		}},
		{Name: "living: pings after refused calls", do: func(w *wire) {
			w.greet()
			for _, id := range []uint32{1, 3, 5} {
				w.headers(id, false, request("Nope"))
				w.data(id, true, message(0, nil))
				w.await(id)
				w.pings(2)
			}
		}},
		{Name: "living: an acknowledgement of no ping", do: func(w *wire) {
			w.greet()
			w.note(w.framer.WritePing(true, [8]byte{}))
			w.call(request("Echo"), 0, "hello")
			w.await(1)
		}},
	}
}

func livingFrames() []Probe {
	return []Probe{
		{Name: "living: a hundred calls reset at once", do: func(w *wire) {
			w.greet()
			for i := range 100 {
				w.headers(uint32(2*i+1), false, request("Chat"))
				w.note(w.framer.WriteRSTStream(uint32(2*i+1), http2.ErrCodeCancel))
			}
			w.headers(301, false, request("Echo"))
			w.data(301, true, message(0, []byte("hello")))
			w.await(301)
		}},
		{Name: "living: settings of a hundred kinds", do: func(w *wire) {
			w.greet()
			for range 100 {
				w.note(w.framer.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 100}))
			}
			w.call(request("Echo"), 0, "hello")
			w.await(1)
		}},
		{Name: "living: a hundred empty data frames", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			for range 100 {
				w.data(1, false, nil)
			}
			w.data(1, true, message(0, []byte("hello")))
			w.await(1)
		}},
		{Name: "living: a window that opens late", do: func(w *wire) {
			w.raw(http2.ClientPreface)
			w.note(w.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10}))
			w.read(func() bool { return w.settled })
			w.call(request("Echo"), 0, "hello, this is more than ten")
			w.read(func() bool { return len(w.bodies[1]) >= 10 })
			w.note(w.framer.WriteWindowUpdate(1, 1000))
			w.await(1)
		}},
	}
}

func livingStreams() []Probe {
	return []Probe{
		{Name: "living: numbers of streams with gaps", do: func(w *wire) {
			w.greet()
			for _, id := range []uint32{7, 9, 101} {
				w.headers(id, false, request("Echo"))
				w.data(id, true, message(0, []byte("hello")))
				w.await(id)
			}
		}},
		{Name: "living: a stream's number goes back", do: func(w *wire) {
			w.greet()
			w.headers(7, false, request("Echo"))
			w.data(7, true, message(0, []byte("hello")))
			w.await(7)
			w.headers(3, false, request("Echo"))
			w.data(3, true, message(0, []byte("hello")))
			w.headers(9, false, request("Echo"))
			w.data(9, true, message(0, []byte("hello")))
			w.await(9)
		}},
		{Name: "living: data after the end of a call", do: func(w *wire) {
			w.greet()
			w.call(request("Echo"), 0, "hello")
			w.data(1, true, message(0, []byte("more")))
			w.headers(3, false, request("Echo"))
			w.data(3, true, message(0, []byte("next")))
			w.await(1, 3)
		}},
		{Name: "living: the client says goodbye during a call", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Chat"))
			w.data(1, false, message(0, []byte("one")))
			w.read(func() bool { return len(w.bodies[1]) > 0 })
			w.note(w.framer.WriteGoAway(0, http2.ErrCodeNo, nil))
			w.data(1, true, message(0, []byte("two")))
			w.await(1)
		}},
		{Name: "living: a call reset after its message", do: func(w *wire) {
			w.greet()
			w.call(request("Slow"), 0, "hello")
			w.note(w.framer.WriteRSTStream(1, http2.ErrCodeCancel))
			w.headers(3, false, request("Echo"))
			w.data(3, true, message(0, []byte("next")))
			w.await(3)
		}},
	}
}
