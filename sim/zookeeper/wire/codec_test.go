package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// Goal: messages have exactly the bytes that the specification gives, and decoding never reads
// beyond a message. Method: the bytes listed in ZK-1, ZK-2, ZK-7 and ZK-8, a round trip of every
// kind of message, and broken messages.

// unhex decodes hexadecimal digits; blanks between them are ignored.
func unhex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func expect[T any](t testing.TB, got, want T) {
	t.Helper()
	opts := cmp.Options{cmpopts.IgnoreUnexported(zookeeper.Request{}), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(want, got, opts); diff != "" {
		t.Fatalf("got (+), want (-):\n%s", diff)
	}
}

// failer is the common part of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func must[T any](t failer) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestConnectResponseBytes(t *testing.T) { // ZK-2.2
	resp := zookeeper.ConnectResponse{TimeoutMs: 10_000, SessionID: 0x0100005fd9900000, HasReadOnly: true}
	copy(resp.Password[:], unhex(t, "429641f9a777599bf0c78c4ec80975f4"))
	want := unhex(t, "00000025 00000000 00002710 0100005fd9900000 00000010 429641f9a777599bf0c78c4ec80975f4 00")
	expect(t, AppendConnectResponse(nil, &resp), want)
	expect(t, must[zookeeper.ConnectResponse](t)(DecodeConnectResponse(want[4:])), resp)

	resp.HasReadOnly = false
	short := AppendConnectResponse(nil, &resp)
	expect(t, len(short), 4+36)
	expect(t, must[zookeeper.ConnectResponse](t)(DecodeConnectResponse(short[4:])), resp)
}

func TestRefusalBytes(t *testing.T) { // ZK-2.3
	got := AppendConnectResponse(nil, &zookeeper.ConnectResponse{HasReadOnly: true})
	expect(t, got, append([]byte{0, 0, 0, 37}, unhex(t, "00000000 00000000 0000000000000000 00000010 00000000000000000000000000000000 00")...))
}

func TestConnectRequestSizes(t *testing.T) { // ZK-2.1
	for _, c := range []struct {
		name string
		req  zookeeper.ConnectRequest
		size int
	}{
		{"kazoo and Java", zookeeper.ConnectRequest{TimeoutMs: 10_000, Password: make([]byte, 16), HasReadOnly: true}, 45},
		{"go-zookeeper", zookeeper.ConnectRequest{TimeoutMs: 4_000, SessionID: 7, LastZxidSeen: 9, Password: make([]byte, 16)}, 44},
		{"empty password", zookeeper.ConnectRequest{Password: []byte{}}, 28},
		{"null password", zookeeper.ConnectRequest{}, 28},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := AppendConnectRequest(nil, &c.req)
			expect(t, len(frame), 4+c.size)
			expect(t, must[zookeeper.ConnectRequest](t)(DecodeConnectRequest(frame[4:])), c.req)
		})
	}
}

func TestFailedMultiBytes(t *testing.T) { // ZK-8.3
	reply := zookeeper.Reply{Xid: 5, Zxid: 9, Op: zookeeper.OpMulti, Results: []zookeeper.Result{
		{Op: zookeeper.OpError}, {Op: zookeeper.OpError, Err: -101}, {Op: zookeeper.OpError, Err: -2},
	}}
	want := unhex(t, `00000053 00000005 0000000000000009 00000000
		ffffffff 00 00000000 00000000   ffffffff 00 ffffff9b ffffff9b   ffffffff 00 fffffffe fffffffe   ffffffff 01 ffffffff`)
	want[3] = byte(len(want) - 4)
	expect(t, AppendReply(nil, &reply), want)
}

func TestRefusedMultiBytes(t *testing.T) { // bytes of 3.8.0's answer to a check of a null path (ZK-8.6)
	reply := zookeeper.Reply{Xid: 5, Zxid: 9, Err: -5, Op: zookeeper.OpMulti, Results: []zookeeper.Result{}}
	want := unhex(t, "00000019 00000005 0000000000000009 fffffffb ffffffff 01 ffffffff")
	expect(t, AppendReply(nil, &reply), want)
	reply.Results = nil
	expect(t, must[zookeeper.Reply](t)(DecodeReply(want[4:], zookeeper.OpMulti)), reply)
}

func TestEventBytes(t *testing.T) { // ZK-1.4
	event := zookeeper.Event{Type: 3, Path: "/a", Zxid: -1}
	want := unhex(t, "0000001e ffffffff ffffffffffffffff 00000000 00000003 00000003 00000002 2f61")
	expect(t, AppendEvent(nil, &event), want)
	expect(t, must[zookeeper.Event](t)(DecodeEvent(want[4:])), event)
	expect(t, must[int32](t)(ReplyXid(want[4:])), zookeeper.XidNotification)
}

// everyRequest returns at least one request of each opcode that has its own body.
func everyRequest() []zookeeper.Request {
	nulls := []acl.Entry{{Perms: 31, Scheme: acl.Null, ID: acl.Null}}
	acl := []acl.Entry{{Perms: 31, Scheme: "digest", ID: "u:x="}, {Perms: 1, Scheme: "ip", ID: "10.0.0.1/8"}}
	lists := &zookeeper.WatchLists{RelativeZxid: 1 << 40, Data: []string{"/a", "/b"}, Exist: []string{"/c"}}
	lists2 := &zookeeper.WatchLists{Child: []string{"/"}, Persistent: []string{"/p"}, PersistentRecursive: []string{"/r"}}
	ops := []zookeeper.Request{
		{Op: zookeeper.OpCreate, Path: "/a", Data: []byte("x"), ACL: openACL, Flags: 3},
		{Op: zookeeper.OpCreate2, Path: "/b", ACL: acl},
		{Op: zookeeper.OpCreateContainer, Path: "/c", Data: []byte{}, Flags: 4},
		{Op: zookeeper.OpCreateTTL, Path: "/t", Flags: 5, TTLMs: 1 << 33, ACL: openACL},
		{Op: zookeeper.OpDelete, Path: "/d", Version: -1},
		{Op: zookeeper.OpSetData, Path: "/s", Version: 7, Data: []byte("y")},
		{Op: zookeeper.OpCheck, Path: "/k", Version: 2},
		{Op: zookeeper.OpCreate, NullPath: true, ACL: nulls},
		{Op: zookeeper.OpDelete, NullPath: true},
		{Op: zookeeper.OpSetData, NullPath: true},
	}
	joining := "server.4=a:1:2;3"
	reads := []zookeeper.Request{{Op: zookeeper.OpGetData, Path: "/a"}, {Op: zookeeper.OpGetChildren, Path: "/", Watch: true}}
	return append(append(append([]zookeeper.Request{}, ops...), reads...),
		zookeeper.Request{Op: zookeeper.OpExists, Path: "/e", Watch: true},
		zookeeper.Request{Op: zookeeper.OpGetChildren2, Path: "/e"},
		zookeeper.Request{Op: zookeeper.OpGetACL, Path: "/acl"},
		zookeeper.Request{Op: zookeeper.OpSetACL, Path: "/acl", ACL: acl, Version: 1},
		zookeeper.Request{Op: zookeeper.OpSync, Path: "/"},
		zookeeper.Request{Op: zookeeper.OpPing},
		zookeeper.Request{Op: zookeeper.OpMulti, Ops: ops},
		zookeeper.Request{Op: zookeeper.OpMulti},
		zookeeper.Request{Op: zookeeper.OpMultiRead, Ops: reads},
		zookeeper.Request{Op: zookeeper.OpReconfig, Membership: &members.Change{Joining: &joining, From: 7}},
		zookeeper.Request{Op: zookeeper.OpCheckWatches, Path: "/w", Mode: 3},
		zookeeper.Request{Op: zookeeper.OpRemoveWatches, Path: "/w", Mode: 1},
		zookeeper.Request{Op: zookeeper.OpAuth, Scheme: "digest", Data: []byte("u:p")},
		zookeeper.Request{Op: zookeeper.OpSASL, Data: []byte("token")},
		zookeeper.Request{Op: zookeeper.OpSetWatches, Watches: lists},
		zookeeper.Request{Op: zookeeper.OpSetWatches2, Watches: lists2},
		zookeeper.Request{Op: zookeeper.OpGetEphemerals, Path: "/pre"},
		zookeeper.Request{Op: zookeeper.OpGetAllChildrenNumber, Path: "/"},
		zookeeper.Request{Op: zookeeper.OpAddWatch, Path: "/", Mode: 1},
		zookeeper.Request{Op: zookeeper.OpWhoAmI},
		zookeeper.Request{Op: zookeeper.OpCloseSession},
		zookeeper.Request{Op: 77},
	)
}

func TestRequestsThereAndBack(t *testing.T) {
	var d Decoder
	for _, want := range everyRequest() {
		want.Xid = 1234
		t.Run(want.Op.String(), func(t *testing.T) {
			frame := AppendRequest(nil, &want)
			var got zookeeper.Request
			if err := d.Request(frame[4:], &got); err != nil {
				t.Fatal(err)
			}
			expect(t, got, want)
			expect(t, AppendRequest(nil, &got), frame)
			// The decoded request must not refer to the frame, because servers reuse its memory for
			// the next message.
			clear(frame)
			expect(t, got, want)
		})
	}
}

// Goal: a request body that is cut off at any point is malformed, for every opcode.
func TestEveryTruncatedRequestIsMalformed(t *testing.T) {
	var d Decoder
	for _, req := range everyRequest() {
		t.Run(req.Op.String(), func(t *testing.T) {
			message := AppendRequest(nil, &req)[4:]
			for n := range len(message) {
				var got zookeeper.Request
				err := d.Request(message[:n], &got)
				if n < 8 != errors.Is(err, ErrMalformed) {
					t.Fatalf("cut to %d bytes: got %v", n, err)
				}
				if n >= 8 && !got.Malformed {
					t.Fatalf("cut to %d of %d bytes: read as %+v", n, len(message), got)
				}
			}
		})
	}
}

func TestLengthsThatLie(t *testing.T) {
	for _, c := range []struct{ name, message string }{
		{"string of negative length", "00000001 00000003 fffffffe 00"},
		{"null path", "00000001 00000003 ffffffff 00"},
		{"string longer than the message", "00000001 00000003 7fffffff 2f"},
		{"buffer of negative length", "00000001 00000005 00000001 2f 80000000"},
		{"ACL longer than the message", "00000001 00000001 00000001 2f ffffffff 7fffffff 00000000"},
		{"null vector of watches", "fffffff8 00000065 0000000000000000 ffffffff 00000000 00000000"},
		{"vector of watches longer than the message", "fffffff8 00000065 0000000000000000 10000000 00000000 00000000"},
		{"operation that no multi holds", "00000001 0000000e 00000063 00 ffffffff ffffffff 01 ffffffff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := unhex(t, c.message)
			var d Decoder
			var got zookeeper.Request
			allocs := testing.AllocsPerRun(1, func() {
				if err := d.Request(message, &got); err != nil {
					t.Fatal(err)
				}
			})
			expect(t, got.Malformed, true)
			if allocs > 4 {
				t.Errorf("allocated %v times", allocs)
			}
		})
	}
}

func TestNulls(t *testing.T) { // ZK-1.1, ZK-5.7, ZK-9.9
	var d Decoder
	for _, c := range []struct {
		name, message string
		want          zookeeper.Request
	}{
		{"null data", "00000001 00000005 00000001 2f ffffffff 00000000", zookeeper.Request{Xid: 1, Op: 5, Path: "/"}},
		{"null ACL", "00000001 00000001 00000001 2f ffffffff ffffffff 00000000",
			zookeeper.Request{Xid: 1, Op: 1, Path: "/"}},
		{"vector of negative length", "00000001 00000001 00000001 2f ffffffff fffffffe 00000000",
			zookeeper.Request{Xid: 1, Op: 1, Path: "/", ACL: []acl.Entry{}}},
		{"null path of a create", "00000001 00000001 ffffffff ffffffff ffffffff 00000000", zookeeper.Request{Xid: 1, Op: 1, NullPath: true}},
		{"null scheme in an ACL", "00000001 00000001 00000001 2f ffffffff 00000001 0000001f ffffffff 00000000 00000000",
			zookeeper.Request{Xid: 1, Op: 1, Path: "/", ACL: []acl.Entry{{Perms: 31, Scheme: acl.Null}}}},
		{"null id of auth, as kazoo writes it", "00000001 00000001 00000001 2f ffffffff 00000001 0000001f 00000004 61757468 ffffffff 00000000",
			zookeeper.Request{Xid: 1, Op: 1, Path: "/", ACL: []acl.Entry{{Perms: 31, Scheme: "auth", ID: acl.Null}}}},
		{"null scheme", "00000001 00000064 00000000 ffffffff ffffffff", zookeeper.Request{Xid: 1, Op: 100}},
		{"null prefix", "00000001 00000067 ffffffff", zookeeper.Request{Xid: 1, Op: 103, NullPath: true}},
		{"bytes after the body", "00000001 00000009 00000001 2f 123456", zookeeper.Request{Xid: 1, Op: 9, Path: "/"}},
		{"any boolean but 0 is true", "00000001 00000003 00000001 2f 40", zookeeper.Request{Xid: 1, Op: 3, Path: "/", Watch: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got zookeeper.Request
			if err := d.Request(unhex(t, c.message), &got); err != nil {
				t.Fatal(err)
			}
			expect(t, got, c.want)
			if got.Data != nil {
				t.Errorf("data: got %q, want null", got.Data)
			}
		})
	}
}

// everyReply returns a reply of each form.
func everyReply() []zookeeper.Reply {
	stat := zookeeper.Stat{Czxid: 1, Mzxid: 2, CtimeMs: 3, MtimeMs: 4, Version: 5, Cversion: -1, Aversion: 7,
		EphemeralOwner: 1 << 56, DataLengthBytes: 9, NumChildren: 10, Pzxid: 11}
	return []zookeeper.Reply{
		{Op: zookeeper.OpCreate, Path: "/a"}, {Op: zookeeper.OpCreate2, Path: "/a", Stat: stat},
		{Op: zookeeper.OpCreateContainer, Path: "/a", Stat: stat}, {Op: zookeeper.OpCreateTTL, Path: "/a", Stat: stat},
		{Op: zookeeper.OpDelete}, {Op: zookeeper.OpDelete, Err: -101}, {Op: zookeeper.OpPing}, {Op: zookeeper.OpCheck},
		{Op: zookeeper.OpExists, Stat: stat}, {Op: zookeeper.OpGetData, Data: []byte("x"), Stat: stat},
		{Op: zookeeper.OpGetData, Stat: stat}, {Op: zookeeper.OpSetData, Stat: stat}, {Op: zookeeper.OpSetACL, Stat: stat},
		{Op: zookeeper.OpGetACL, ACL: []acl.Entry{{Perms: 1, Scheme: "s", ID: "i"}}, Stat: stat},
		{Op: zookeeper.OpGetChildren, Children: []string{"a", "b"}},
		{Op: zookeeper.OpGetChildren2, Children: []string{}, Stat: stat},
		{Op: zookeeper.OpSync, Path: "/"}, {Op: zookeeper.OpGetEphemerals, Children: []string{"/e"}},
		{Op: zookeeper.OpGetAllChildrenNumber, Count: 4}, {Op: zookeeper.OpAddWatch}, {Op: zookeeper.OpSASL},
		{Op: zookeeper.OpWhoAmI, Clients: []zookeeper.ClientInfo{{Scheme: "ip", User: "127.0.0.1"}}},
		{Op: zookeeper.OpSetWatches}, {Op: zookeeper.OpCloseSession},
		{Op: zookeeper.OpMulti, Results: []zookeeper.Result{
			{Op: zookeeper.OpCreate, Path: "/a"}, {Op: zookeeper.OpCreate2, Path: "/a", Stat: stat},
			{Op: zookeeper.OpSetData, Stat: stat}, {Op: zookeeper.OpDelete}, {Op: zookeeper.OpCheck},
		}},
		{Op: zookeeper.OpMultiRead, Results: []zookeeper.Result{
			{Op: zookeeper.OpGetData, Data: []byte("d"), Stat: stat}, {Op: zookeeper.OpGetChildren, Children: []string{"c"}},
			{Op: zookeeper.OpError, Err: -101},
		}},
	}
}

func TestRepliesThereAndBack(t *testing.T) {
	for _, want := range everyReply() {
		want.Xid, want.Zxid = 77, 1<<33
		t.Run(want.Op.String(), func(t *testing.T) {
			frame := AppendReply(nil, &want)
			got := must[zookeeper.Reply](t)(DecodeReply(frame[4:], want.Op))
			expect(t, got, want)
			expect(t, got.Data == nil, want.Data == nil)
			for n := range len(frame) - 4 {
				if _, err := DecodeReply(frame[4:4+n], want.Op); !errors.Is(err, ErrMalformed) {
					t.Fatalf("cut to %d bytes: got %v", n, err)
				}
			}
		})
	}
}

func TestHotPathAllocations(t *testing.T) {
	var d Decoder
	var req zookeeper.Request
	out := make([]byte, 0, 4096)
	data := bytes.Repeat([]byte("x"), 100)
	for _, c := range []struct {
		name   string
		req    zookeeper.Request
		reply  zookeeper.Reply
		allocs float64
	}{
		{"ping", zookeeper.Request{Op: zookeeper.OpPing}, zookeeper.Reply{Op: zookeeper.OpPing}, 0},
		{"get", zookeeper.Request{Op: zookeeper.OpGetData, Path: "/n"}, zookeeper.Reply{Op: zookeeper.OpGetData, Data: data}, 0},
		{"exists", zookeeper.Request{Op: zookeeper.OpExists, Path: "/n"}, zookeeper.Reply{Op: zookeeper.OpExists}, 0},
		{"set keeps its data", zookeeper.Request{Op: zookeeper.OpSetData, Path: "/n", Data: data}, zookeeper.Reply{Op: zookeeper.OpSetData}, 1},
		{"create keeps path and data", zookeeper.Request{Op: zookeeper.OpCreate, Path: "/n", Data: data, ACL: openACL},
			zookeeper.Reply{Op: zookeeper.OpCreate, Path: "/n"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := AppendRequest(nil, &c.req)[4:]
			expect(t, testing.AllocsPerRun(1000, func() {
				if err := d.Request(message, &req); err != nil || req.Malformed {
					t.Fatal(err, req)
				}
				out = AppendReply(out[:0], &c.reply)
			}), c.allocs)
		})
	}
}

func TestNamesAreBounded(t *testing.T) {
	var n names
	long := bytes.Repeat([]byte("p"), maxNameSize+1)
	for i := range 10 * maxNames {
		n.get([]byte{byte(i), byte(i >> 8)})
		n.get(append(long, byte(i), byte(i>>8)))
		if len(n.known) > maxNames {
			t.Fatalf("remembers %d names, want %d at most", len(n.known), maxNames)
		}
	}
}

func BenchmarkDecodeGetEncodeReply(b *testing.B) {
	var d Decoder
	var req zookeeper.Request
	message := AppendRequest(nil, &zookeeper.Request{Op: zookeeper.OpGetData, Path: "/bench/node"})[4:]
	reply := zookeeper.Reply{Op: zookeeper.OpGetData, Data: make([]byte, 100)}
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Request(message, &req); err != nil {
			b.Fatal(err)
		}
		out = AppendReply(out[:0], &reply)
	}
}
