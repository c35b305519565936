package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/field"
)

// Goal: the codec writes and reads every field in the machine's table of opcodes. A field that is
// new in the table and missing in the codec fails the test. Method: for each opcode of the table, a
// body of distinct values is written, read and compared.

// fullRequest returns a request with a distinct value in every field.
func fullRequest(op zookeeper.OpCode) *zookeeper.Request {
	req := &zookeeper.Request{
		Xid: 7, Op: op, Path: "/path", Data: []byte("data"), Version: 11, Flags: 3, Watch: true, Mode: 2, TTLMs: 13,
		ACL: []acl.Entry{{Perms: acl.Read, Scheme: "ip", ID: "10.0.0.1"}}, Scheme: "digest",
		Watches: &zookeeper.WatchLists{
			RelativeZxid: 17, Data: []string{"/d"}, Exist: []string{"/e"}, Child: []string{"/c"},
			Persistent: []string{"/p"}, PersistentRecursive: []string{"/r"},
		},
	}
	if op == zookeeper.OpMulti || op == zookeeper.OpMultiRead {
		req.Ops = []zookeeper.Request{{Op: zookeeper.OpDelete, Path: "/x", Version: 19}}
	}
	return req
}

func TestEveryFieldOfARequestIsWrittenAndRead(t *testing.T) {
	for _, op := range zookeeper.OpCodes() {
		for _, f := range op.RequestFields() {
			full := fullRequest(op)
			body := appendRequestFields(nil, []field.Kind{f}, full)
			if len(body) == 0 {
				t.Errorf("%s, field %d: nothing is written", op, f)
			}
			r, got := reader{rest: body}, &zookeeper.Request{Op: op}
			r.requestFields([]field.Kind{f}, got)
			if len(r.rest) > 0 || r.why != "" {
				t.Errorf("%s, field %d: left %x %s, want all of it read", op, f, r.rest, r.why)
			}
			if again := appendRequestFields(nil, []field.Kind{f}, got); !cmp.Equal(body, again) {
				t.Errorf("%s, field %d: wrote %x, read and wrote %x", op, f, body, again)
			}
		}
	}
}

func TestEveryFieldOfAReplyIsWrittenAndRead(t *testing.T) {
	full := &zookeeper.Reply{
		Path: "/path", Data: []byte("data"), Children: []string{"a", "b"}, Count: 23,
		Stat:    zookeeper.Stat{Czxid: 1, Mzxid: 2, Pzxid: 3, CtimeMs: 4, MtimeMs: 5, Version: 6, Cversion: 7, Aversion: 8},
		ACL:     []acl.Entry{{Perms: acl.Read, Scheme: "ip", ID: "10.0.0.1"}},
		Clients: []zookeeper.ClientInfo{{Scheme: "ip", User: "10.0.0.1"}},
		Results: []zookeeper.Result{{Op: zookeeper.OpCreate, Path: "/r"}, {Op: zookeeper.OpError, Err: -110}},
	}
	for _, op := range zookeeper.OpCodes() {
		for _, f := range op.ReplyFields() {
			body := appendReplyFields(nil, []field.Kind{f}, full)
			if len(body) == 0 {
				t.Errorf("%s, field %d: nothing is written", op, f)
			}
			r, got := reader{rest: body}, &zookeeper.Reply{Op: op}
			r.replyFields([]field.Kind{f}, got)
			if len(r.rest) > 0 || r.why != "" {
				t.Errorf("%s, field %d: left %x %s, want all of it read", op, f, r.rest, r.why)
			}
			if again := appendReplyFields(nil, []field.Kind{f}, got); !cmp.Equal(body, again) {
				t.Errorf("%s, field %d: wrote %x, read and wrote %x", op, f, body, again)
			}
		}
	}
}
