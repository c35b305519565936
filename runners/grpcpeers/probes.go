package grpcpeers

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/http2"
)

// Probe is one conversation with a server, on a connection of its own.
type Probe struct {
	Name string
	// Arguments are the channel arguments of the server: key=value,key=value.
	Arguments string
	// Ends says that the server does not outlive the conversation.
	Ends bool
	do   func(*wire)
}

// Ask has the conversation with the server at addr. It returns what the server sent, as lines of
// text.
func (p Probe) Ask(addr string) ([]string, error) {
	w, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer w.net.Close()
	p.do(w)
	if w.acks == 0 && !w.over {
		w.pings(1) // when the ping is answered, everything sent before it has arrived
	}
	return w.lines, nil
}

// Probes returns all probes, in the order of the recording.
func Probes() []Probe {
	var list []Probe
	for _, part := range []func() []Probe{paths, pseudoHeaders, contentTypes, encodings, compressed, metadataSizes, metadataTexts, timeouts, messages, answers, pings, frames, arguments, ages, ends, spelled, heard, blocks, packed, living} {
		list = append(list, part()...)
	}
	return list
}

// calling makes a probe of one complete call of Echo, with these changes of its header fields.
func calling(name string, changes ...field) Probe {
	return callingOf(name, "Echo", "hello", changes...)
}

func callingOf(name, method, body string, changes ...field) Probe {
	return Probe{Name: name, do: func(w *wire) {
		w.greet()
		w.call(request(method, changes...), 0, body)
		w.await(1)
	}}
}

func paths() (list []Probe) {
	for _, path := range []string{
		"nope", "", "/", "//", "///", "/nope", "/peers.Probe", "/peers.Probe/", "/peers.Probe/Nope", "/peers.Nope/Echo",
		"/peers.Probe/Echo/", "peers.Probe/Echo", "/peers.Probe/Echo?x=1", "/peers.Probe//Echo", "/x/peers.Probe/Echo", "/peers.probe/echo", "*",
		"/peers.Probe/E%63ho", "http://peers/peers.Probe/Echo",
	} {
		list = append(list, calling(fmt.Sprintf("path %q", path), field{":path", path}))
	}
	return append(list, calling("path none", field{":path", "-"}), calling("path twice", field{"+:path", "/peers.Probe/Empty"}))
}

func pseudoHeaders() (list []Probe) {
	for _, p := range []struct {
		name   string
		values []string
	}{
		{":method", []string{"GET", "PUT", "HEAD", "OPTIONS", "post", "", "-"}},
		{"te", []string{"gzip", "trailers, gzip", "Trailers", "", "-"}},
		{":scheme", []string{"https", "ftp", "HTTP", "-"}},
		{":authority", []string{"", "-", "other:1234"}},
	} {
		for _, v := range p.values {
			list = append(list, calling(fmt.Sprintf("%s %q", p.name, v), field{p.name, v}))
		}
	}
	return append(list,
		calling("host for authority", field{":authority", "-"}, field{"host", "peers"}),
		calling("host and authority", field{"host", "other"}),
		calling("authority twice", field{"+:authority", "other"}),
		calling("host twice", field{":authority", "-"}, field{"host", "a"}, field{"+host", "b"}),
		calling("method twice", field{"+:method", "POST"}),
		calling("te twice", field{"+te", "trailers"}),
		calling("pseudo header unknown", field{":nope", "x"}),
		calling("pseudo header status", field{":status", "200"}),
		calling("pseudo header after others", field{":path", "-"}, field{"+:path", "/peers.Probe/Echo"}),
		calling("connection", field{"connection", "keep-alive"}),
	)
}

func contentTypes() (list []Probe) {
	for _, v := range []string{
		"-", "", "text/plain", "application/json", "application/grpc+proto", "application/grpc+json", "application/grpc;x=1", "application/grpcx",
		"application/grpc-web", "Application/GRPC", "application/grpc+",
	} {
		list = append(list, calling(fmt.Sprintf("content-type %q", v), field{"content-type", v}))
	}
	return append(list, calling("content-type twice", field{"+content-type", "application/grpc"}))
}

func encodings() (list []Probe) {
	for _, v := range []string{"identity", "gzip", "deflate", "br", "zstd", "snappy", "GZIP", "", "gzip, deflate", "stream/gzip"} {
		list = append(list,
			calling(fmt.Sprintf("encoding %q", v), field{"grpc-encoding", v}),
			Probe{Name: fmt.Sprintf("encoding %q, flag set", v), do: func(w *wire) {
				w.greet()
				w.call(request("Echo", field{"grpc-encoding", v}), 1, "hello")
				w.await(1)
			}})
	}
	return append(list,
		Probe{Name: "flag set without encoding", do: func(w *wire) { w.greet(); w.call(request("Echo"), 1, "hello"); w.await(1) }},
		Probe{Name: "flag 2", do: func(w *wire) { w.greet(); w.call(request("Echo"), 2, "hello"); w.await(1) }},
		Probe{Name: "flag 255", do: func(w *wire) { w.greet(); w.call(request("Echo"), 255, "hello"); w.await(1) }},
		calling("accepts gzip", field{"grpc-accept-encoding", "gzip"}),
		calling("accepts nothing known", field{"grpc-accept-encoding", "br,zstd"}),
		calling("accepts nothing", field{"grpc-accept-encoding", ""}),
	)
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text) // writing into a buffer does not fail
	_ = z.Close()
	return b.String()
}

func deflated(text string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = io.WriteString(z, text) // writing into a buffer does not fail
	_ = z.Close()
	return b.String()
}

func compressed() (list []Probe) {
	long := strings.Repeat("hello ", 1000)
	for _, m := range []struct{ name, encoding, body string }{
		{"gzip", "gzip", gzipped("hello")},
		{"gzip, long", "gzip", gzipped(long)},
		{"gzip, empty message", "gzip", gzipped("")},
		{"gzip, no bytes", "gzip", ""},
		{"gzip, cut", "gzip", gzipped(long)[:20]},
		{"gzip, checksum wrong", "gzip", gzipped("hello")[:22] + "abcdefgh"},
		{"gzip, bytes after", "gzip", gzipped("hello") + "more"},
		{"gzip, two members", "gzip", gzipped("hel") + gzipped("lo")},
		{"gzip of four mebibytes", "gzip", gzipped(strings.Repeat("a", 4<<20))},
		{"gzip of more than four mebibytes", "gzip", gzipped(strings.Repeat("a", 4<<20+1))},
		{"deflate", "deflate", deflated("hello")},
		{"deflate, long", "deflate", deflated(long)},
		{"deflate, raw", "deflate", deflated("hello")[2:]},
		{"deflate, gzipped", "deflate", gzipped("hello")},
		{"gzip, deflated", "gzip", deflated("hello")},
		{"gzip, garbage", "gzip", "garbage of no format"},
		{"deflate, garbage", "deflate", "garbage of no format"},
	} {
		list = append(list, Probe{Name: "compressed: " + m.name, do: func(w *wire) {
			w.greet()
			w.call(request("Echo", field{"grpc-encoding", m.encoding}, field{"grpc-accept-encoding", "identity, deflate, gzip"}), 1, m.body)
			w.await(1)
		}})
	}
	return append(list, Probe{Name: "compressed: a stream of both", do: func(w *wire) {
		w.greet()
		w.headers(1, false, request("Chat", field{"grpc-encoding", "gzip"}))
		w.data(1, false, message(1, []byte(gzipped("one"))))
		w.data(1, false, message(0, []byte("two")))
		w.data(1, true, message(1, []byte(gzipped("three"))))
		w.await(1)
	}}, Probe{Name: "compressed: unknown method", do: func(w *wire) {
		w.greet()
		w.call(request("Nope", field{"grpc-encoding", "gzip"}), 1, gzipped("hello"))
		w.await(1)
	}}, Probe{Name: "compressed: refused", do: func(w *wire) {
		w.greet()
		w.call(request("Refuse", field{"grpc-encoding", "gzip"}), 1, gzipped("hello"))
		w.await(1)
	}})
}

// sized makes a probe with a header of size bytes, spread over a number of extra fields. HPACK
// counts the bytes of all names and values, and 32 more for each field.
func sized(name string, size, fields int) Probe {
	return Probe{Name: fmt.Sprintf("metadata of %d bytes in %s", size, name), do: func(w *wire) {
		list := request("Echo")
		for i := range fields {
			list = append(list, field{fmt.Sprintf("x-%d", i), ""})
		}
		rest := size
		for _, f := range list {
			rest -= len(f.name) + len(f.value) + 32
		}
		for i := range fields {
			part := rest / (fields - i)
			rest -= part
			list[len(list)-fields+i].value = strings.Repeat("v", part)
		}
		w.greet()
		w.call(list, 0, "hello")
		w.await(1)
	}}
}

func metadataSizes() (list []Probe) {
	for _, size := range []int{8000, 8192, 16384, 16385, 17000, 40000, 400000} {
		list = append(list, sized("one field", size, 1), sized("sixteen fields", size, 16))
	}
	return list
}

func metadataTexts() []Probe {
	return []Probe{
		callingOf("binary", "Hear", "", field{"x-a-bin", "AAEC"}),
		callingOf("binary, padded", "Hear", "", field{"x-a-bin", "AA=="}),
		callingOf("binary, unpadded", "Hear", "", field{"x-a-bin", "AA"}),
		callingOf("binary, two values", "Hear", "", field{"x-a-bin", "AAEC,AAEC"}),
		callingOf("binary, no base64", "Hear", "", field{"x-a-bin", "!!!!"}),
		callingOf("binary, one letter", "Hear", "", field{"x-a-bin", "A"}),
		callingOf("binary, empty", "Hear", "", field{"x-a-bin", ""}),
		callingOf("binary, letters of URLs", "Hear", "", field{"x-a-bin", "_-8="}),
		callingOf("two of a name", "Hear", "", field{"x-a", "1"}, field{"+x-a", "2"}),
		callingOf("capital letters in a name", "Hear", "", field{"X-A", "1"}),
		callingOf("blank in a name", "Hear", "", field{"x a", "1"}),
		callingOf("no name", "Hear", "", field{"", "1"}),
		callingOf("control characters in a value", "Hear", "", field{"x-a", "a\x01b"}),
		callingOf("letters beyond ASCII in a value", "Hear", "", field{"x-a", "größe"}),
		callingOf("blanks around a value", "Hear", "", field{"x-a", " a "}),
		callingOf("empty value", "Hear", "", field{"x-a", ""}),
		callingOf("grpc- name", "Hear", "", field{"grpc-mine", "1"}, field{"x-a", "2"}),
		callingOf("trailer of a status", "Hear", "", field{"grpc-status", "5"}, field{"grpc-message", "x"}),
		{Name: "trailers of a client", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			w.data(1, false, message(0, []byte("hello")))
			w.headers(1, true, []field{{"x-last", "1"}})
			w.await(1)
		}},
	}
}

func timeouts() (list []Probe) {
	for _, v := range []string{"", "1", "S", "1x", "-1S", " 1S", "1 S", "123456789S", "99999999H", "00000001H", "1.5S", "+1S", "1SS"} {
		list = append(list, calling(fmt.Sprintf("timeout %q", v), field{"grpc-timeout", v}))
	}
	for _, v := range []string{"0S", "0n", "1n", "50m", "50000u", "20000000n"} {
		list = append(list, callingOf(fmt.Sprintf("timeout %q of a slow call", v), "Slow", "hello", field{"grpc-timeout", v}))
	}
	return append(list, Probe{Name: "timeout before the message is whole", do: func(w *wire) {
		w.greet()
		w.headers(1, false, request("Echo", field{"grpc-timeout", "50m"}))
		w.data(1, false, message(0, []byte("hello"))[:7])
		w.await(1)
	}})
}

func messages() []Probe {
	return []Probe{
		{Name: "no message", do: func(w *wire) { w.greet(); w.headers(1, true, request("Echo")); w.await(1) }},
		{Name: "no message, end in a frame", do: func(w *wire) { w.greet(); w.headers(1, false, request("Echo")); w.data(1, true, nil); w.await(1) }},
		callingOf("empty message", "Echo", ""),
		callingOf("empty answer", "Empty", "hello"),
		{Name: "two messages", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			w.data(1, true, append(message(0, []byte("one")), message(0, []byte("two"))...))
			w.await(1)
		}},
		{Name: "cut message", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			w.data(1, true, message(0, []byte("hello"))[:7])
			w.await(1)
		}},
		{Name: "cut head of a message", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			w.data(1, true, []byte{0, 0})
			w.await(1)
		}},
		{Name: "message in pieces", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			for _, b := range message(0, []byte("hello")) {
				w.data(1, false, []byte{b})
			}
			w.data(1, true, nil)
			w.await(1)
		}},
		{Name: "message said to be of 4194305 bytes", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			w.data(1, false, []byte{0, 0, 0x40, 0, 1})
			w.await(1)
		}},
		{Name: "message said to be of 4294967295 bytes", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			w.data(1, false, []byte{0, 0xff, 0xff, 0xff, 0xff})
			w.await(1)
		}},
		{Name: "message too large for an unknown method", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Nope"))
			w.data(1, false, []byte{0, 0, 0x40, 0, 1})
			w.await(1)
		}},
		{Name: "half a call is dropped", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Echo"))
			w.note(w.framer.WriteRSTStream(1, http2.ErrCodeCancel))
			w.headers(3, false, request("Echo"))
			w.data(3, true, message(0, []byte("next")))
			w.await(3)
		}},
	}
}

func answers() []Probe {
	return []Probe{
		calling("plain"),
		callingOf("refused", "Refuse", "hello"),
		callingOf("refused without words", "RefuseEmpty", "hello"),
		callingOf("raised", "Raise", "hello"),
		callingOf("large answer", "Many", "100000"),
		callingOf("own metadata", "Tell", "hello"),
		{Name: "chat", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Chat"))
			w.data(1, false, message(0, []byte("one")))
			w.data(1, true, message(0, []byte("two")))
			w.await(1)
		}},
		{Name: "chat of nothing", do: func(w *wire) { w.greet(); w.headers(1, true, request("Chat")); w.await(1) }},
		{Name: "answered before the end", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Refuse"))
			w.data(1, false, message(0, []byte("hello")))
			w.await(1)
		}},
		{Name: "unknown before the end", do: func(w *wire) { w.greet(); w.headers(1, false, request("Nope")); w.await(1) }},
		{Name: "three calls on a connection", do: func(w *wire) {
			w.greet()
			for _, id := range []uint32{1, 3, 5} {
				w.headers(id, false, request("Echo", field{"x-call", fmt.Sprint(id)}))
				w.data(id, true, message(0, []byte("hello")))
				w.await(id)
			}
		}},
		{Name: "good, bad and good calls on a connection", do: func(w *wire) {
			w.greet()
			for i, changes := range [][]field{{{"x-a", "1"}}, {{"te", "-"}, {"x-b", "2"}}, {{"x-a", "1"}}, {{"grpc-encoding", "br"}, {"x-b", "2"}}, {{"x-b", "2"}, {"x-a", "1"}}} {
				id := uint32(2*i + 1)
				w.headers(id, false, request("Hear", changes...))
				w.data(id, true, message(0, []byte("hello")))
				w.await(id)
			}
		}},
	}
}

func pings() []Probe {
	return []Probe{
		{Name: "pings of an idle connection", do: func(w *wire) { w.greet(); w.pings(5) }},
		{Name: "pings after a call", do: func(w *wire) {
			w.greet()
			w.call(request("Echo"), 0, "hello")
			w.await(1)
			w.pings(5)
		}},
		{Name: "pings during a call", do: func(w *wire) {
			w.greet()
			w.call(request("Slow", field{"grpc-timeout", "3S"}), 0, "hello")
			w.pings(12)
		}},
		{Name: "pings between calls", do: func(w *wire) {
			w.greet()
			for _, id := range []uint32{1, 3, 5, 7} {
				w.headers(id, false, request("Echo"))
				w.data(id, true, message(0, []byte("hello")))
				w.await(id)
				w.pings(2)
			}
		}},
	}
}

// framing makes a probe that first sends frames that no client sends, and then calls Echo.
func framing(name string, send func(*wire)) Probe {
	return Probe{Name: "frames: " + name, do: func(w *wire) {
		w.greet()
		send(w)
		w.headers(5, false, request("Echo"))
		w.data(5, true, message(0, []byte("hello")))
		w.await(5)
	}}
}

func frames() []Probe {
	frame := func(kind http2.FrameType, flags http2.Flags, stream uint32, payload string) func(*wire) {
		return func(w *wire) { w.note(w.framer.WriteRawFrame(kind, flags, stream, []byte(payload))) }
	}
	return []Probe{
		{Name: "frames: no preface", do: func(w *wire) { w.raw("GET / HTTP/1.1\r\nHost: peers\r\n\r\n"); w.await(1) }},
		{Name: "frames: no settings", do: func(w *wire) {
			w.raw(http2.ClientPreface)
			w.call(request("Echo"), 0, "hello")
			w.await(1)
		}},
		framing("priority", frame(http2.FramePriority, 0, 1, "\x00\x00\x00\x00\x10")),
		framing("unknown kind", frame(0x42, 0, 1, "abc")),
		framing("unknown kind on the connection", frame(0x42, 0, 0, "abc")),
		framing("data of no stream", frame(http2.FrameData, 0, 3, "abc")),
		framing("data of stream 0", frame(http2.FrameData, 0, 0, "abc")),
		framing("headers of stream 0", frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 0, "\x82")),
		framing("headers of stream 2", func(w *wire) { w.headers(2, true, request("Echo")) }),
		framing("window of 0", frame(http2.FrameWindowUpdate, 0, 0, "\x00\x00\x00\x00")),
		framing("window too large", frame(http2.FrameWindowUpdate, 0, 0, "\x7f\xff\xff\xff")),
		framing("window of no stream", frame(http2.FrameWindowUpdate, 0, 3, "\x00\x00\x00\x01")),
		framing("reset of no stream", frame(http2.FrameRSTStream, 0, 3, "\x00\x00\x00\x08")),
		framing("reset of a wrong size", frame(http2.FrameRSTStream, 0, 3, "\x00")),
		framing("settings of a stream", frame(http2.FrameSettings, 0, 3, "")),
		framing("settings of a wrong size", frame(http2.FrameSettings, 0, 0, "\x00")),
		framing("settings acknowledged twice", func(w *wire) { w.note(w.framer.WriteSettingsAck()); w.note(w.framer.WriteSettingsAck()) }),
		framing("settings unknown", func(w *wire) { w.note(w.framer.WriteSettings(http2.Setting{ID: 0x4242, Val: 7})) }),
		framing("settings of a wrong value", func(w *wire) {
			w.note(w.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 7}))
		}),
		framing("ping of a wrong size", frame(http2.FramePing, 0, 0, "abc")),
		framing("ping of a stream", frame(http2.FramePing, 0, 3, "abcdefgh")),
		framing("continuation of nothing", frame(http2.FrameContinuation, http2.FlagContinuationEndHeaders, 3, "\x82")),
		framing("push", frame(http2.FramePushPromise, 0, 3, "\x00\x00\x00\x04\x82")),
		framing("goaway", func(w *wire) { w.note(w.framer.WriteGoAway(0, http2.ErrCodeNo, []byte("bye"))) }),
		framing("header block that is none", frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersEndStream, 3, "\xff\xff\xff\xff\xff\xff")),
		framing("index of no table", frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersEndStream, 3, "\xfe")),
		framing("empty header block", frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersEndStream, 3, "")),
		framing("frame too large", frame(http2.FrameData, 0, 3, strings.Repeat("a", 1<<17))),
		framing("padded", func(w *wire) {
			w.headers(1, false, request("Echo"))
			w.note(w.framer.WriteDataPadded(1, true, message(0, []byte("hello")), make([]byte, 9)))
			w.await(1)
		}),
	}
}
