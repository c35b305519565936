package grpcpeers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// given returns the probes for a server with these arguments.
func given(arguments string, probes []Probe) []Probe {
	return lists.Map(probes, func(p Probe) Probe {
		p.Name, p.Arguments = arguments+": "+p.Name, arguments
		return p
	})
}

var limits = Probe{Name: "settings", do: func(w *wire) {
	w.greet()
	w.lines = append(w.lines, "limits"+w.limits)
}}

// arguments are conversations with servers whose limits are given by channel arguments.
func arguments() (list []Probe) {
	with := func(arguments string, probes ...Probe) { list = append(list, given(arguments, probes)...) }
	sizes := func(sizes ...int) []Probe {
		probes := []Probe{limits}
		for _, size := range sizes {
			probes = append(probes, sized("one field", size, 1), sized("four fields", size, 4))
		}
		return probes
	}
	// Between the two limits, C-core decides at random.
	with("grpc.max_metadata_size=1000", sizes(999, 1000, 16384)...)
	with("grpc.absolute_max_metadata_size=1000", sizes(999, 1000, 8000)...)
	with("grpc.max_metadata_size=1000,grpc.absolute_max_metadata_size=2000", sizes(1000, 2000, 3000)...)
	with("grpc.max_metadata_size=3000,grpc.absolute_max_metadata_size=2000", sizes(1999, 2000)...)
	with("grpc.max_metadata_size=20000", sizes(20000, 25000, 40000)...)
	with("grpc.absolute_max_metadata_size=20000", sizes(16000, 20000)...)
	with("grpc.absolute_max_metadata_size=0", sizes(600)...)
	with("grpc.max_metadata_size=-1,grpc.absolute_max_metadata_size=-1", sizes(8192, 16384)...)
	with("grpc.max_metadata_size=x", sizes(8192, 16384)...)

	echo, compressed := callingOf("echo", "Echo", "hello"), Probe{Name: "gzip", do: func(w *wire) {
		w.greet()
		w.call(request("Echo", field{"grpc-encoding", "gzip"}), 1, gzipped("hello"))
		w.await(1)
	}}
	for _, a := range []string{
		"grpc.max_receive_message_length=3", "grpc.max_receive_message_length=-1", "grpc.max_send_message_length=3", "grpc.max_send_message_length=0",
		"grpc.max_send_message_length=5", "grpc.minimal_stack=1,unknown=x",
	} {
		with(a, echo, compressed)
	}

	return slices.Concat(list, strikes(), streams(), compressions())
}

// strikes returns conversations with servers that tolerate another number of pings than the
// default.
func strikes() (list []Probe) {
	with := func(arguments string, probes ...Probe) { list = append(list, given(arguments, probes)...) }
	idle, called := Probe{Name: "pings of an idle connection", do: func(w *wire) { w.greet(); w.pings(9) }}, Probe{Name: "pings during a call", do: func(w *wire) {
		w.greet()
		w.call(request("Slow", field{"grpc-timeout", "5S"}), 0, "hello")
		w.pings(9)
	}}
	for _, a := range []string{
		"grpc.http2.max_ping_strikes=0", "grpc.http2.max_ping_strikes=-1", "grpc.keepalive_permit_without_calls=1",
		"grpc.http2.min_ping_interval_without_data_ms=0", "grpc.keepalive_permit_without_calls=1,grpc.http2.min_ping_interval_without_data_ms=0",
	} {
		with(a, idle, called)
	}
	between := Probe{Name: "pings between calls", do: func(w *wire) {
		w.greet()
		for _, id := range []uint32{1, 3, 5} {
			w.headers(id, false, request("Echo"))
			w.data(id, true, message(0, []byte("hello")))
			w.await(id)
			w.pings(2)
		}
		w.pings(9)
	}}
	counted := func(p Probe) Probe {
		do := p.do
		p.do = func(w *wire) {
			do(w)
			w.lines = append(w.lines, fmt.Sprintf("%d pings answered", w.acks))
		}
		return p
	}
	idle, between = counted(idle), counted(between) // during a call, C-core sometimes tolerates one or two pings more
	for _, strikes := range []string{"1", "2", "3", "5"} {
		a := "grpc.http2.max_ping_strikes=" + strikes
		with(a, idle, called, between)
		with(a+",grpc.keepalive_permit_without_calls=1", idle, called)
		with(a+",grpc.http2.min_ping_interval_without_data_ms=0", idle)
	}
	return list
}

// streams are conversations with servers that take few calls at once, or none.
func streams() (list []Probe) {
	with := func(arguments string, probes ...Probe) { list = append(list, given(arguments, probes)...) }
	echo := callingOf("echo", "Echo", "hello")
	several := Probe{Name: "three calls at once", do: func(w *wire) {
		w.greet()
		for _, id := range []uint32{1, 3, 5} {
			w.headers(id, false, request("Chat"))
		}
		w.await(3, 5)
		w.data(1, true, nil)
		w.await(1)
	}}
	with("grpc.max_concurrent_streams=1", limits, several)
	for _, a := range []string{"grpc.max_concurrent_streams=0", "grpc.max_concurrent_streams=0,grpc.max_concurrent_streams=1", "grpc.max_concurrent_streams=1,grpc.max_concurrent_streams=0"} {
		with(a, limits, several, echo, Probe{Name: "a call before the settings", do: func(w *wire) {
			w.hello()
			w.call(request("Echo"), 0, "hello")
			w.await(1)
		}})
	}
	with("grpc.max_concurrent_streams=-1", limits, echo)
	return list
}

// compressions are calls of servers that compress their answers, or do not take compressed requests.
func compressions() (list []Probe) {
	calls := compressedCalls()
	for _, a := range []string{
		"grpc.default_compression_algorithm=0", "grpc.default_compression_algorithm=1", "grpc.default_compression_algorithm=2", "grpc.default_compression_algorithm=3",
		"grpc.default_compression_algorithm=-1",
		"grpc.default_compression_level=0", "grpc.default_compression_level=1", "grpc.default_compression_level=2", "grpc.default_compression_level=3",
		"grpc.default_compression_level=4", "grpc.default_compression_level=-1",
		"grpc.compression_enabled_algorithms_bitset=0", "grpc.compression_enabled_algorithms_bitset=1", "grpc.compression_enabled_algorithms_bitset=2",
		"grpc.compression_enabled_algorithms_bitset=3", "grpc.compression_enabled_algorithms_bitset=4", "grpc.compression_enabled_algorithms_bitset=5",
		"grpc.compression_enabled_algorithms_bitset=8", "grpc.compression_enabled_algorithms_bitset=-1",
		"grpc.default_compression_algorithm=2,grpc.compression_enabled_algorithms_bitset=3", "grpc.default_compression_level=3,grpc.compression_enabled_algorithms_bitset=5",
		"grpc.default_compression_level=1,grpc.compression_enabled_algorithms_bitset=1", "grpc.default_compression_algorithm=1,grpc.default_compression_level=3",
		"grpc.default_compression_algorithm=2,grpc.default_compression_level=0",
		"grpc.default_compression_algorithm=2,grpc.max_send_message_length=100",
	} {
		list = append(list, given(a, calls)...)
	}
	return list
}

func compressedCalls() []Probe {
	long := strings.Repeat("hello ", 100)
	from := func(name, method, body, encoding, accepts string) Probe {
		changes, flag, sent := []field(nil), byte(0), body
		switch encoding {
		case "gzip":
			flag, sent = 1, gzipped(body)
		case "deflate":
			flag, sent = 1, deflated(body)
		}
		if encoding != "" {
			changes = append(changes, field{"grpc-encoding", encoding})
		}
		if accepts != "" {
			changes = append(changes, field{"grpc-accept-encoding", accepts})
		}
		return Probe{Name: name, do: func(w *wire) {
			w.greet()
			w.call(request(method, changes...), flag, sent)
			w.await(1)
		}}
	}
	return []Probe{
		from("short", "Echo", "hello", "", "identity, deflate, gzip"),
		from("long", "Echo", long, "", "identity, deflate, gzip"),
		from("long, accepts nothing", "Echo", long, "", ""),
		from("long, accepts gzip", "Echo", long, "", "gzip"),
		from("long, accepts deflate", "Echo", long, "", "identity,deflate"),
		from("long, accepts identity", "Echo", long, "", "identity"),
		from("long, accepts others", "Echo", long, "", "br, zstd"),
		from("gzip", "Echo", long, "gzip", "gzip"),
		from("gzip, accepts nothing", "Echo", long, "gzip", ""),
		from("deflate", "Echo", long, "deflate", "deflate, gzip"),
		from("short gzip", "Echo", "hello", "gzip", "identity, deflate, gzip"),
		from("identity", "Echo", long, "identity", "identity, deflate, gzip"),
		from("an empty answer", "Empty", "hello", "", "identity, deflate, gzip"),
		from("refused", "Refuse", "hello", "", "identity, deflate, gzip"),
		from("unknown", "Nope", "hello", "", "identity, deflate, gzip"),
		from("unknown, deflate", "Nope", "hello", "deflate", "identity, deflate, gzip"),
		from("metadata", "Tell", long, "", "identity, deflate, gzip"),
		{Name: "stream", do: func(w *wire) {
			w.greet()
			w.headers(1, false, request("Chat", field{"grpc-accept-encoding", "identity, deflate, gzip"}))
			w.data(1, true, append(message(0, []byte(long)), message(0, []byte("hello"))...))
			w.await(1)
		}},
	}
}

// ages are conversations with servers that end connections by themselves.
func ages() []Probe {
	const age = "grpc.max_connection_age_ms=1000,grpc.max_connection_age_grace_ms=1000"
	return []Probe{
		{Name: "age of an idle connection", Arguments: age, do: func(w *wire) { w.greet(); w.awaitEnd() }},
		{Name: "age, and a call without end", Arguments: age, do: func(w *wire) {
			w.greet()
			w.call(request("Slow"), 0, "hello")
			w.awaitEnd()
		}},
		{Name: "age, and a new call", Arguments: "grpc.max_connection_age_ms=1000", do: func(w *wire) { w.chatOver("", 1, true) }},
		{Name: "age, and a call that is too late", Arguments: "grpc.max_connection_age_ms=1000", do: func(w *wire) { w.chatOver("", 2, true) }},
		{Name: "idle for too long", Arguments: "grpc.max_connection_idle_ms=1000", do: func(w *wire) { w.greet(); w.awaitEnd() }},
		{Name: "idle for too long after a call", Arguments: "grpc.max_connection_idle_ms=1000", do: func(w *wire) {
			w.greet()
			w.call(request("Echo"), 0, "hello")
			w.awaitEnd()
		}},
	}
}

// chatOver begins a call and makes the server end with this grace, or lets it end by itself if
// grace is "". goaways is the number of GOAWAY frames that it waits for. If another is set, it then
// begins a second call. It goes on with the first call, and reads until the connection ends.
func (w *wire) chatOver(grace string, goaways int, another bool) {
	w.mute = another && goaways == 1
	w.greet()
	w.headers(1, false, request("Chat"))
	w.data(1, false, message(0, []byte("one")))
	w.read(func() bool { return len(w.bodies[1]) > 0 })
	if grace != "" {
		w.drain(grace)
	}
	w.awaitGoAways(goaways)
	if another {
		w.headers(3, false, request("Echo"))
		w.data(3, true, message(0, []byte("new")))
	}
	if another && goaways == 1 {
		w.await(3)
		w.pong() // the pong brings the second GOAWAY, which must not come earlier
		w.awaitGoAways(2)
	}
	w.data(1, true, message(0, []byte("two")))
	w.awaitEnd()
}

// ends returns conversations with servers that are told to end within a number of seconds.
func ends() (list []Probe) {
	end := func(name string, do func(*wire)) {
		list = append(list, Probe{Name: "end of the server: " + name, Ends: true, do: do})
	}
	const long, short = "30", "1"
	end("idle", func(w *wire) { w.greet(); w.drain(long); w.awaitEnd() })
	end("after a call", func(w *wire) {
		w.greet()
		w.call(request("Echo"), 0, "hello")
		w.await(1)
		w.drain(long)
		w.awaitEnd()
	})
	end("a call goes on", func(w *wire) { w.chatOver(long, 2, false) })
	end("another call begins before the last GOAWAY", func(w *wire) { w.chatOver(long, 1, true) })
	end("another call begins after it", func(w *wire) { w.chatOver(long, 2, true) })
	end("a call is not over in time", func(w *wire) {
		w.greet()
		w.call(request("Slow"), 0, "hello")
		w.headers(3, false, request("Echo"))
		w.data(3, true, message(0, []byte("hello")))
		w.await(3)
		w.drain(short)
		w.awaitEnd()
	})
	return list
}
