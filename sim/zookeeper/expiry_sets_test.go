package zookeeper

import (
	"testing"

	"pgregory.net/rapid"
)

// Goal: ExpirySets lists the sets that a real server has (ExpiryQueue.java). Method: a model that
// does what the real queue does, step by step: it makes a set at each new deadline, and a thread
// removes the set of each tick at that tick.
func TestExpirySetsAreThoseOfTheQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gridMs = 10
		sets := NewExpirySets(gridMs)
		model := map[int64]bool{}
		nowMs := rapid.Int64Range(0, 100).Draw(t, "start")
		sets.Make(nowMs, sets.Deadline(nowMs))
		model[sets.Deadline(nowMs)] = true
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			for range rapid.IntRange(0, 25).Draw(t, "passes") {
				nowMs++
				if nowMs%gridMs == 0 {
					delete(model, nowMs)
				}
			}
			deadlineMs := sets.Deadline(nowMs + rapid.Int64Range(-30, 60).Draw(t, "timeout"))
			sets.Make(nowMs, deadlineMs)
			model[deadlineMs] = true
			times := sets.Times(nowMs)
			for i, atMs := range times {
				if !model[atMs] || i > 0 && times[i-1] >= atMs {
					t.Fatalf("at %d: got %v, want %v in order", nowMs, times, model)
				}
			}
			if len(times) != len(model) {
				t.Fatalf("at %d: got %v, want %v", nowMs, times, model)
			}
		}
	})
}

func TestSetsOfSessionsStayUntilTheirTime(t *testing.T) { // ZK-3.1
	l := newLab(t, Config{})
	c := l.session4()
	l.advance(2_000)
	l.reply(c, Request{Op: OpPing, Xid: XidPing})
	l.advance(1_999)
	l.reply(c, Request{Op: OpPing, Xid: XidPing})
	expect(t, l.m.ExpirySets(), []int64{6_000, 8_000})
	l.advance(2_001)
	l.reply(c, Request{Op: OpPing, Xid: XidPing})
	expect(t, l.m.ExpirySets(), []int64{8_000, 12_000})
	l.reply(c, Request{Op: OpCloseSession})
	expect(t, l.m.ExpirySets(), []int64{8_000, 12_000})
	l.advance(6_000)
	expect(t, l.m.ExpirySets(), []int64{})
}

// Goal: a server remembers that a session had an ephemeral until the session ends, but a failed
// multi leaves no trace (DataTree.java, ephemerals).
func TestSessionWhoseEphemeralsAreGone(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	l.reply(c, multi(mkFlags("/e", FlagEphemeral), mkFlags("/f", FlagEphemeral), del("/none")))
	expect(t, l.m.Sessions()[0].Ephemerals, []string(nil))
	l.must(c, mkFlags("/e", FlagEphemeral))
	l.must(c, del("/e"))
	expect(t, l.m.Sessions()[0].Ephemerals, []string{})
}
