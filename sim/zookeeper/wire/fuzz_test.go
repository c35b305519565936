package wire

import (
	"bytes"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: no bytes make a decoder panic, and what was read is written back the
// same: writing what was read, reading that and writing it once more gives the
// same bytes.

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
			return // its body is gone
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
