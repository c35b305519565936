package recorded

import (
	"encoding/binary"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// wired plays scripts on a real server. It panics if the test itself is wrong or the server does
// not answer.
type wired struct {
	addr  string
	start int64
	conns map[int]net.Conn
	said  map[int]zookeeper.ConnectResponse
	xid   int32
}

func newWired(addr string) *wired {
	return &wired{addr: addr, start: -1, conns: map[int]net.Conn{}, said: map[int]zookeeper.ConnectResponse{}}
}

func (w *wired) base() int64 { return w.start }

// close ends all connections and sessions.
func (w *wired) close() {
	for _, conn := range w.connected() {
		c := w.conns[conn]
		w.send(c, wire.AppendRequest(nil, &zookeeper.Request{Xid: 1, Op: zookeeper.OpCloseSession}))
		for {
			if _, ok := w.frame(conn); !ok {
				break
			}
		}
		c.Close()
	}
}

// clean deletes the znodes that earlier scripts have left.
func (w *wired) clean() {
	cleaner := newWired(w.addr)
	cleaner.connect(step{conn: 1, connect: &zookeeper.ConnectRequest{TimeoutMs: 10_000}})
	cleaner.do(1, zookeeper.Request{Op: zookeeper.OpAuth, Scheme: "digest", Data: []byte("super:test")})
	cleaner.remove("/zookeeper/quota")
	cleaner.remove("/")
	cleaner.close()
}

func (w *wired) remove(path string) {
	out := w.do(1, zookeeper.Request{Op: zookeeper.OpGetChildren, Path: path})
	for _, child := range out[0].Reply.Children {
		if below := strings.TrimSuffix(path, "/") + "/" + child; below != "/zookeeper" {
			w.remove(below)
		}
	}
	if path != "/" && path != "/zookeeper/quota" {
		w.do(1, zookeeper.Request{Op: zookeeper.OpDelete, Path: path, Version: -1})
	}
}

func (w *wired) send(c net.Conn, frame []byte) {
	c.Write(frame)
}

// frame reads one frame from a connection. It returns false if the connection was closed.
func (w *wired) frame(conn int) ([]byte, bool) {
	c := w.conns[conn]
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	head := make([]byte, 4)
	_, err := io.ReadFull(c, head)
	if err == nil {
		body := make([]byte, binary.BigEndian.Uint32(head))
		if _, err = io.ReadFull(c, body); err == nil {
			return body, true
		}
	}
	if e, ok := err.(net.Error); ok && e.Timeout() {
		panic("the real server does not answer")
	}
	c.Close()
	delete(w.conns, conn)
	return nil, false
}

func (w *wired) connect(st step) []zookeeper.Out {
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		panic(err)
	}
	w.conns[st.conn] = c
	req := *st.connect
	password := make([]byte, 16)
	if st.attach != 0 {
		known := w.said[st.attach]
		req.SessionID = known.SessionID
		if !st.wrongPassword {
			password = known.Password[:]
		}
	}
	req.Password = password
	w.send(c, wire.AppendConnectRequest(nil, &req))
	out := []zookeeper.Out{}
	if body, ok := w.frame(st.conn); ok {
		response, err := wire.DecodeConnectResponse(body)
		if err != nil {
			panic(err)
		}
		w.said[st.conn] = response
		out = append(out, zookeeper.Out{Conn: zookeeper.ConnID(st.conn), Kind: zookeeper.OutConnected, Connected: response})
	} else {
		out = append(out, zookeeper.Out{Conn: zookeeper.ConnID(st.conn), Kind: zookeeper.OutClose})
	}
	out = append(out, w.settle()...)
	if w.start < 0 {
		w.start = w.zxid(st.conn) - 1
	}
	return out
}

func (w *wired) do(conn int, req zookeeper.Request) []zookeeper.Out {
	w.xid++
	if req.Xid == 0 {
		req.Xid = w.xid
	}
	if lists := req.Watches; lists != nil {
		copied := *lists
		copied.RelativeZxid += w.start
		req.Watches = &copied
	}
	if w.conns[conn] == nil {
		return w.settle()
	}
	w.send(w.conns[conn], wire.AppendRequest(nil, &req))
	return append(w.until(conn, &req), w.settle()...)
}

func (w *wired) drop(conn int) []zookeeper.Out {
	w.conns[conn].Close()
	delete(w.conns, conn)
	return w.settle()
}

// until reads outputs up to and including the reply to req.
func (w *wired) until(conn int, req *zookeeper.Request) []zookeeper.Out {
	var out []zookeeper.Out
	for {
		body, ok := w.frame(conn)
		if !ok {
			return append(out, zookeeper.Out{Conn: zookeeper.ConnID(conn), Kind: zookeeper.OutClose})
		}
		xid, err := wire.ReplyXid(body)
		if err != nil {
			panic(err)
		}
		if xid == zookeeper.XidNotification {
			event, err := wire.DecodeEvent(body)
			if err != nil {
				panic(err)
			}
			out = append(out, zookeeper.Out{Conn: zookeeper.ConnID(conn), Kind: zookeeper.OutEvent, Event: event})
			continue
		}
		if req.Op == zookeeper.OpCreateSession && !req.Malformed {
			again, err := wire.DecodeConnectResponse(body) // this connect response comes in place of a reply (ZK-1.6)
			if err != nil {
				panic(err)
			}
			return append(out, zookeeper.Out{Conn: zookeeper.ConnID(conn), Kind: zookeeper.OutConnected, Connected: again})
		}
		reply, err := wire.DecodeReply(body, req.Op)
		if err != nil {
			panic(err)
		}
		return append(out, zookeeper.Out{Conn: zookeeper.ConnID(conn), Kind: zookeeper.OutReply, Reply: reply})
	}
}

// settle pings all connections and reads until the answers. By then all effects of the last request
// on other connections have arrived.
func (w *wired) settle() []zookeeper.Out {
	var out []zookeeper.Out
	for _, conn := range w.connected() {
		ping := zookeeper.Request{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}
		w.send(w.conns[conn], wire.AppendRequest(nil, &ping))
		for _, o := range w.until(conn, &ping) {
			if o.Kind != zookeeper.OutReply {
				out = append(out, o)
			}
		}
	}
	return out
}

func (w *wired) zxid(conn int) int64 {
	ping := zookeeper.Request{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}
	w.send(w.conns[conn], wire.AppendRequest(nil, &ping))
	out := w.until(conn, &ping)
	return out[len(out)-1].Reply.Zxid
}

func (w *wired) connected() []int {
	return slices.Sorted(maps.Keys(w.conns))
}
