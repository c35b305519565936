package wire

import "github.com/monosim/monosim/sim/zookeeper"

// DecodeConnectRequest decodes the first message of a client, without its frame's length (ZK-2.1).
// HasReadOnly is set if the message has the optional readOnly byte. Errors wrap ErrMalformed.
func DecodeConnectRequest(message []byte) (zookeeper.ConnectRequest, error) {
	r := reader{rest: message}
	r.int32() // protocol version; it is 0, and no server checks it
	req := zookeeper.ConnectRequest{
		LastZxidSeen: r.int64(), TimeoutMs: r.int32(), SessionID: r.int64(), Password: r.buffer(),
	}
	if req.HasReadOnly = len(r.rest) > 0; req.HasReadOnly {
		req.ReadOnly = r.bool()
	}
	return req, r.err("connect request")
}

// AppendConnectRequest appends a connect request to b as a frame, including its length.
func AppendConnectRequest(b []byte, req *zookeeper.ConnectRequest) []byte {
	b, at := beginFrame(b)
	b = appendInt(b, 0)
	b = appendLong(b, req.LastZxidSeen)
	b = appendInt(b, req.TimeoutMs)
	b = appendLong(b, req.SessionID)
	b = appendBuffer(b, req.Password)
	if req.HasReadOnly {
		b = appendBool(b, req.ReadOnly)
	}
	return endFrame(b, at)
}

// DecodeConnectResponse decodes the first message of a server, without its frame's length
// (ZK-2.2, ZK-2.3). Errors wrap ErrMalformed.
func DecodeConnectResponse(message []byte) (zookeeper.ConnectResponse, error) {
	r := reader{rest: message}
	r.int32()
	resp := zookeeper.ConnectResponse{TimeoutMs: r.int32(), SessionID: r.int64()}
	if password := r.bytes("password"); copy(resp.Password[:], password) != len(password) {
		r.fail("password longer than 16 bytes")
	}
	if resp.HasReadOnly = len(r.rest) > 0; resp.HasReadOnly {
		resp.ReadOnly = r.bool()
	}
	return resp, r.err("connect response")
}

// AppendConnectResponse appends a connect response to b as a frame: 37 bytes of message
// with the readOnly byte, 36 without (ZK-2.2).
func AppendConnectResponse(b []byte, resp *zookeeper.ConnectResponse) []byte {
	b, at := beginFrame(b)
	b = appendInt(b, 0)
	b = appendInt(b, resp.TimeoutMs)
	b = appendLong(b, resp.SessionID)
	b = appendBuffer(b, resp.Password[:])
	if resp.HasReadOnly {
		b = appendBool(b, resp.ReadOnly)
	}
	return endFrame(b, at)
}
