package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: no bytes make a decoder panic, and decoded messages survive a round trip. Method: a
// decoded message is encoded, decoded and encoded again. Both encodings must be equal.

// FuzzFirstBytes checks that the server goes on, whatever a connection begins with. Each
// four-letter word is answered, and other clients are still served. A client that asks for another
// client's session loses its connection, with or without a password (ZK-2.5).
func FuzzFirstBytes(f *testing.F) {
	hello := AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 10_000, Password: make([]byte, 16)})
	watch := zookeeper.Request{Xid: 1, Op: zookeeper.OpExists, Path: "/a", Watch: true}
	for word := range words {
		f.Add([]byte(word))
		f.Add([]byte(word + "\r\n"))
		f.Add(append(bytes.Clone(hello), word...))
	}
	f.Add([]byte("ruo"))
	f.Add([]byte("xxxx"))
	f.Add(hello)
	f.Add(hello[:20])
	f.Add(AppendRequest(bytes.Clone(hello), &watch))
	f.Add(AppendRequest(bytes.Clone(hello), &zookeeper.Request{Xid: 2, Op: zookeeper.OpCloseSession}))
	f.Fuzz(func(t *testing.T, first []byte) {
		l := serve(t, Options{})
		watcher := l.connect()
		watcher.do(watch)
		answer := l.exchange(t, first)
		if len(first) >= 4 {
			word := string(first[:4])
			if words[word] != nil && !silent(word) && len(answer) == 0 {
				t.Errorf("no answer to %q", word)
			}
		}
		for word := range words {
			if answer := l.exchange(t, []byte(word)); len(answer) == 0 && !silent(word) {
				t.Errorf("no answer to %q", word)
			}
		}
		if got := string(l.exchange(t, []byte("ruok"))); got != "imok" {
			t.Errorf("ruok: got %q, want imok", got)
		}
		if !bytes.Contains(first, binary.BigEndian.AppendUint64(nil, uint64(watcher.session.SessionID))) {
			watcher.ok(get("/"))
		}
	})
}

// silent reports whether a four-letter word may have an empty answer. hash may have nothing to
// print, and stmk needs a mask after it.
func silent(word string) bool { return word == "hash" || word == "stmk" }

func FuzzDecodeRequest(f *testing.F) {
	for _, req := range everyRequest() {
		f.Add(AppendRequest(nil, &req)[4:])
	}
	f.Add(unhex(f, "00000001 00000003 7fffffff 2f"))
	f.Fuzz(func(t *testing.T, message []byte) {
		var d Decoder
		var req, again zookeeper.Request
		if d.Request(message, &req) != nil {
			return
		}
		written := AppendRequest(nil, &req)
		if err := d.Request(written[4:], &again); err != nil {
			t.Fatalf("%x cannot be read back: %v", written, err)
		}
		if req.Malformed {
			return // the message no longer has a body
		}
		expect(t, again, req)
		expect(t, AppendRequest(nil, &again), written)
	})
}

func FuzzDecodeConnectRequest(f *testing.F) {
	f.Add(AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 1, Password: make([]byte, 16), HasReadOnly: true})[4:])
	f.Add(AppendConnectRequest(nil, &zookeeper.ConnectRequest{SessionID: 5})[4:])
	f.Fuzz(func(t *testing.T, message []byte) {
		req, err := DecodeConnectRequest(message)
		if err != nil {
			return
		}
		written := AppendConnectRequest(nil, &req)
		expect(t, must[zookeeper.ConnectRequest](t)(DecodeConnectRequest(written[4:])), req)
	})
}

func FuzzDecodeConnectResponse(f *testing.F) {
	f.Add(AppendConnectResponse(nil, &zookeeper.ConnectResponse{TimeoutMs: 1, SessionID: 2, HasReadOnly: true})[4:])
	f.Add(AppendConnectResponse(nil, &zookeeper.ConnectResponse{})[4:])
	f.Fuzz(func(t *testing.T, message []byte) {
		resp, err := DecodeConnectResponse(message)
		if err != nil {
			return
		}
		written := AppendConnectResponse(nil, &resp)
		expect(t, must[zookeeper.ConnectResponse](t)(DecodeConnectResponse(written[4:])), resp)
	})
}

func FuzzDecodeReply(f *testing.F) {
	for _, reply := range everyReply() {
		f.Add(int32(reply.Op), AppendReply(nil, &reply)[4:])
	}
	f.Fuzz(func(t *testing.T, op int32, message []byte) {
		reply, err := DecodeReply(message, zookeeper.OpCode(op))
		if err != nil {
			return
		}
		written := AppendReply(nil, &reply)
		again := must[zookeeper.Reply](t)(DecodeReply(written[4:], reply.Op))
		expect(t, again, reply)
		if !bytes.Equal(AppendReply(nil, &again), written) {
			t.Fatalf("written differently the second time: %x", written)
		}
	})
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add(AppendEvent(nil, &zookeeper.Event{Type: 1, Path: "/a", Zxid: -1})[4:])
	f.Fuzz(func(t *testing.T, message []byte) {
		event, err := DecodeEvent(message)
		if err != nil {
			return
		}
		written := AppendEvent(nil, &event)
		expect(t, must[zookeeper.Event](t)(DecodeEvent(written[4:])), event)
	})
}

// exchange opens a connection, sends bytes, closes its sending side and returns all bytes that come
// back.
func (l *lab) exchange(t *testing.T, send []byte) []byte {
	t.Helper()
	tcp := must[*net.TCPConn](t)(net.DialTCP("tcp", nil, l.s.ln.Addr().(*net.TCPAddr)))
	defer tcp.Close()
	tcp.SetLinger(0) // closed by a reset, because a fuzzer would otherwise use up the ports
	tcp.SetDeadline(time.Now().Add(patience))
	if _, err := tcp.Write(send); err != nil {
		t.Fatal(err)
	}
	tcp.CloseWrite()
	answer, err := io.ReadAll(tcp)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("after %d bytes: %v", len(answer), err)
	}
	return answer
}
