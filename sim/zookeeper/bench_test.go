package zookeeper

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: the most frequent requests allocate no memory, and their cost does not grow with the number
// of sessions.

// crowd makes a server with n sessions and a znode /n with 100 bytes.
func crowd(n int) *Machine {
	m := New(Config{}, 0)
	for i := range n {
		m.Connect(0, ConnID(i+1), &ConnectRequest{TimeoutMs: 30_000})
	}
	m.Handle(0, 1, &Request{Op: OpCreate, Path: "/n", Data: make([]byte, 100), ACL: acl.Everyone})
	m.Drain()
	return m
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	for _, c := range []struct {
		name string
		req  Request
	}{
		{"ping", Request{Op: OpPing}},
		{"exists", Request{Op: OpExists, Path: "/n"}},
		{"exists with watch", Request{Op: OpExists, Path: "/n", Watch: true}},
		{"get", Request{Op: OpGetData, Path: "/n"}},
		{"get of a missing znode", Request{Op: OpGetData, Path: "/none"}},
		{"children", Request{Op: OpGetChildren, Path: "/"}},
		{"set", Request{Op: OpSetData, Path: "/n", Version: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := crowd(10)
			nowMs := int64(0)
			allocs := testing.AllocsPerRun(1000, func() {
				nowMs++
				m.Handle(nowMs, 1, &c.req)
				m.Drain()
			})
			expect(t, allocs, 0)
		})
	}
}

func TestRearmingAWatchDoesNotAllocate(t *testing.T) {
	m := crowd(2)
	get := Request{Op: OpGetData, Path: "/n", Watch: true}
	write := Request{Op: OpSetData, Path: "/n", Version: -1}
	events := 0
	allocs := testing.AllocsPerRun(1000, func() {
		m.Handle(0, 1, &get)
		m.Handle(0, 2, &write)
		for _, o := range m.Drain() {
			if o.Kind == OutEvent {
				events++
			}
		}
	})
	expect(t, allocs, 0)
	expect(t, events, 1001)
}

func benchmarkHandle(b *testing.B, req Request) {
	m := crowd(10_000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Handle(0, ConnID(i%10_000+1), &req)
		m.Drain()
	}
}

func BenchmarkGet(b *testing.B) { benchmarkHandle(b, Request{Op: OpGetData, Path: "/n"}) }

func BenchmarkSet(b *testing.B) {
	benchmarkHandle(b, Request{Op: OpSetData, Path: "/n", Data: make([]byte, 100), Version: -1})
}

// BenchmarkPing pings 10,000 sessions in turn. Each session is pinged every 10 s of the server's
// clock, so that expiry buckets come due as often as in a real run.
func BenchmarkPing(b *testing.B) {
	m := crowd(10_000)
	ping := Request{Op: OpPing}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Handle(int64(i/1_000), ConnID(i%10_000+1), &ping)
		m.Drain()
	}
	if got := len(m.sessions); got != 10_000 {
		b.Fatalf("got %d sessions, want 10000", got)
	}
}

// BenchmarkCreateDelete creates and deletes an ephemeral below a parent with 1,000 children.
func BenchmarkCreateDelete(b *testing.B) {
	m := crowd(10)
	for i := range 1_000 {
		m.Handle(0, 1, &Request{Op: OpCreate, Path: fmt.Sprintf("/n/%04d", i), ACL: acl.Everyone})
		m.Drain()
	}
	create := Request{Op: OpCreate, Path: "/n/e", Flags: FlagEphemeral, ACL: acl.Everyone}
	remove := Request{Op: OpDelete, Path: "/n/e", Version: -1}
	b.ReportAllocs()
	for b.Loop() {
		m.Handle(0, 1, &create)
		m.Handle(0, 1, &remove)
		m.Drain()
	}
}
