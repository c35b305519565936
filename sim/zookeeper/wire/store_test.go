package wire

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: the files on disk give back the exact state, and damage to them is found. Method: random
// runs are compared with the machine's own snapshot. Logs are cut at every byte, and every bit is
// flipped.

// recorded is a machine together with all records of its changes.
type recorded struct {
	m       *zookeeper.Machine
	rec     recorder
	records []byte
	nowMs   int64
}

func newRecorded() *recorded {
	r := &recorded{}
	r.m = zookeeper.New(zookeeper.Config{ExtendedTypes: true, OnWrite: func(w zookeeper.Write) { r.rec.note(&w) }}, 0)
	r.m.KeepNotes()
	var first strings.Builder
	writeSnapshot(&first, 0, r.m.Snapshot())
	r.records = []byte(first.String())
	return r
}

func (r *recorded) after(input func()) {
	input()
	r.records = r.rec.appendRecord(r.records, r.m)
	r.m.Drain()
}

func (r *recorded) handle(conn zookeeper.ConnID, req zookeeper.Request) {
	r.after(func() { r.m.Handle(r.nowMs, conn, &req) })
}

// restored returns the snapshot that results from applying the records to an empty state.
func restored(t failer, records []byte) *zookeeper.Snapshot {
	t.Helper()
	st := newState()
	if left, err := st.replay("test", append([]byte(magic), records...)); left.torn != 0 || err != nil {
		t.Fatalf("%d bytes left, %v", left.torn, err)
	}
	return must[*zookeeper.Snapshot](t)(st.snapshot())
}

func dumpOf(s *zookeeper.Snapshot) string {
	return zookeeper.Restore(zookeeper.Config{}, 1_000_000, s).Dump()
}

// expectImage compares whole snapshots, including the order of children and other details that a dump
// does not show.
func expectImage(t failer, got, want *zookeeper.Snapshot) {
	t.Helper()
	if diff := cmp.Diff(want.Image(), got.Image(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("got (+), want (-):\n%s", diff)
	}
}

func TestRecordsAddUpToTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRecorded()
		for id := range 3 {
			r.after(func() {
				r.m.Connect(0, zookeeper.ConnID(id+1), &zookeeper.ConnectRequest{TimeoutMs: int32(4000 * (id + 1))})
			})
		}
		paths := rapid.SampledFrom([]string{"/a", "/a/b", "/a/b/c", "/d", "/d/s-", "/", "/a/e",
			"/zookeeper/quota/a", "/zookeeper/quota/a/zookeeper_limits", "/zookeeper/quota/a/zookeeper_stats"})
		next := zookeeper.ConnID(4)
		var op func(inner bool) zookeeper.Request
		op = func(inner bool) zookeeper.Request {
			kinds := []zookeeper.OpCode{zookeeper.OpCreate, zookeeper.OpCreate, zookeeper.OpCreate2, zookeeper.OpCreateContainer,
				zookeeper.OpCreateTTL, zookeeper.OpDelete, zookeeper.OpDelete, zookeeper.OpSetData, zookeeper.OpCheck}
			if !inner {
				kinds = append(kinds, zookeeper.OpSetACL, zookeeper.OpMulti, zookeeper.OpMulti, zookeeper.OpCloseSession)
			}
			req := zookeeper.Request{
				Op: rapid.SampledFrom(kinds).Draw(t, "op"), Path: paths.Draw(t, "path"), Version: -1, ACL: openACL,
				Data:  []byte(rapid.SampledFrom([]string{"", "x", "xyz", "count=3,bytes=-1"}).Draw(t, "data")),
				Flags: rapid.Int32Range(0, 3).Draw(t, "flags"), TTLMs: 5,
			}
			switch req.Op {
			case zookeeper.OpCreateTTL:
				req.Flags = zookeeper.FlagTTL
			case zookeeper.OpMulti:
				for range rapid.IntRange(0, 4).Draw(t, "ops") {
					req.Ops = append(req.Ops, op(true))
				}
			}
			return req
		}
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			r.nowMs += rapid.SampledFrom([]int64{0, 1, 1000, 30_000}).Draw(t, "ms")
			if conn := rapid.Uint64Range(1, 4).Draw(t, "conn"); conn < 4 {
				r.handle(zookeeper.ConnID(conn), op(false))
			} else {
				r.after(func() { r.m.Connect(r.nowMs, next, &zookeeper.ConnectRequest{TimeoutMs: 5000}) })
				r.handle(next, op(false))
				next++
			}
		}
		again := restored(t, r.records)
		expectImage(t, again, r.m.Snapshot())
		if got, want := dumpOf(again), dumpOf(r.m.Snapshot()); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// stored makes a data directory with a few acknowledged writes in its log.
func stored(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	l := serve(t, Options{DataDir: dir})
	p := l.connect()
	p.ok(mk("/a", 'x'))
	p.ok(mkFlags("/a/e-", zookeeper.FlagEphemeralSequential))
	p.do(mk("/a"))
	p.ok(set("/a", "longer than before"))
	p.ok(zookeeper.Request{Op: zookeeper.OpMulti, Ops: []zookeeper.Request{mk("/m"), mk("/m/n"), del("/a/e-0000000000")}})
	if err := l.s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLogCutAtEveryByte(t *testing.T) {
	dir := stored(t)
	log := must[[]byte](t)(os.ReadFile(filepath.Join(dir, "log.0000000001")))
	snapshot := must[[]byte](t)(os.ReadFile(filepath.Join(dir, "snapshot.0000000001")))
	// ends holds the offset behind each whole record, and dumps the state at that offset.
	ends, dumps := []int{len(magic)}, []string{dumpOf(restored(t, snapshot[len(magic):]))}
	for rest := log[len(magic):]; len(rest) > 0; {
		_, after, ok := nextRecord(rest)
		if !ok {
			t.Fatal("the log is not whole")
		}
		rest = after
		ends = append(ends, len(log)-len(rest))
		dumps = append(dumps, dumpOf(restored(t, append(append([]byte{}, snapshot[len(magic):]...), log[len(magic):len(log)-len(rest)]...))))
	}
	expect(t, len(ends), 7) // with the session's
	whole := 0
	for n := 0; n <= len(log); n++ {
		if n > len(magic)+3 && n < ends[4]-3 {
			continue // only cuts in the first and in the last records are tried
		}
		for whole+1 < len(ends) && ends[whole+1] <= n {
			whole++
		}
		cutDir := t.TempDir()
		os.WriteFile(filepath.Join(cutDir, "snapshot.0000000001"), snapshot, 0o600)
		name := filepath.Join(cutDir, "log.0000000001")
		var room []byte // which was not used, behind every other log that has its beginning
		if n >= len(magic) {
			room = make([]byte, n%2*100)
		}
		os.WriteFile(name, append(log[:n:n], room...), 0o600)
		st, s, cut, err := openStore(cutDir)
		if err != nil {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
		expect(t, dumpOf(must[*zookeeper.Snapshot](t)(s.snapshot())), dumps[whole])
		// Zeros at the end may be reserved space, so they do not count as torn.
		if torn := len(bytes.TrimRight(log[ends[whole]:max(n, ends[whole])], "\x00")); torn > 0 != (cut != "") {
			t.Errorf("cut to %d bytes: %d bytes are torn, reported %q", n, torn, cut)
		} else if want := fmt.Sprintf("the last %d of %d bytes", torn, ends[whole]+torn); torn > 0 && !strings.Contains(cut, want) {
			t.Errorf("got %q, want it to name %s", cut, want)
		}
		// New records are appended behind the last whole record.
		st.append([]byte("next"))
		st.close()
		after := must[[]byte](t)(os.ReadFile(name))
		expect(t, string(after), string(log[:ends[whole]])+"next")
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	dir := stored(t)
	log := must[[]byte](t)(os.ReadFile(filepath.Join(dir, "log.0000000001")))[len(magic):]
	count := func(b []byte) (n int) {
		for {
			_, rest, ok := nextRecord(b)
			if !ok {
				return n
			}
			b, n = rest, n+1
		}
	}
	all := count(log)
	for i := range len(log) * 8 {
		log[i/8] ^= 1 << (i % 8)
		if n := count(log); n == all {
			t.Fatalf("bit %d of byte %d flipped: all %d records read", i%8, i/8, n)
		}
		log[i/8] ^= 1 << (i % 8)
	}
}

func TestDirectoriesThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(dir string)
		want  string
	}{
		{"no snapshot", func(dir string) { os.Remove(filepath.Join(dir, "snapshot.0000000001")) }, "without its snapshot"},
		{"half a snapshot", func(dir string) { os.Truncate(filepath.Join(dir, "snapshot.0000000001"), 100) }, "without its last record"},
		{"another file", func(dir string) {
			os.WriteFile(filepath.Join(dir, "log.0000000001"), []byte("something else"), 0o600)
		}, "not a file of records"},
		{"a torn log before another", func(dir string) {
			os.WriteFile(filepath.Join(dir, "log.0000000002"), []byte(magic), 0o600)
			os.Truncate(filepath.Join(dir, "log.0000000001"), 100)
		}, "and a later log follows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := stored(t)
			c.spoil(dir)
			_, err := Listen("127.0.0.1:0", Options{DataDir: dir})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want it to say %q", err, c.want)
			}
			// The failed Listen released the directory's lock, so the second error is not "in use".
			_, err = Listen("127.0.0.1:0", Options{DataDir: dir})
			if err == nil || strings.Contains(err.Error(), "in use") {
				t.Fatalf("got %v the second time", err)
			}
		})
	}
}

func TestOneServerForADirectory(t *testing.T) {
	dir := t.TempDir()
	serve(t, Options{DataDir: dir})
	_, err := Listen("127.0.0.1:0", Options{DataDir: dir})
	if err == nil || !strings.Contains(err.Error(), "in use by another server") {
		t.Fatalf("got %v", err)
	}
}

func TestRestartFromADirectory(t *testing.T) {
	dir := t.TempDir()
	l := serve(t, Options{DataDir: dir})
	p := l.connect()
	p.ok(mk("/a", 'x'))
	p.ok(mkFlags("/a/e", zookeeper.FlagEphemeral))
	failed := p.do(mk("/a"))
	l.s.Close()
	again := serve(t, Options{DataDir: dir})
	q := again.dial()
	req := p.again()
	req.LastZxidSeen = failed.Zxid // even the zxids of failed writes stay used after the restart (ZK-2.4)
	expect(t, q.greet(req).SessionID, p.session.SessionID)
	expect(t, string(q.ok(get("/a")).Data), "x")
	expect(t, q.ok(get("/a/e")).Stat.EphemeralOwner, p.session.SessionID)
	expect(t, q.ok(mk("/b")).Zxid, failed.Zxid+1)
	again.advance(30_000) // the session expires, because its client is gone
	q.ends()
	r := again.connect()
	if r.session.SessionID <= p.session.SessionID {
		t.Errorf("session %#x was given again", r.session.SessionID)
	}
	expect(t, r.do(get("/a/e")).Err, zookeeper.Code(-101))
}

// Goal: after restarts children and ephemerals are listed in the order of a real server. What it gives
// again from its log is as it was; what comes from the snapshot that it writes at each start is in
// smaller tables. Method: orders that a server 3.8.0 gave.
func TestOrderAfterRestarts(t *testing.T) { // ZK-5.8
	dir, name := t.TempDir(), func(i int) string { return fmt.Sprintf("/p/%d", i*7919) }
	l := serve(t, Options{DataDir: dir})
	p := l.connect()
	p.ok(mk("/p"))
	for i := range 35 {
		p.ok(mk(name(i)))
	}
	for i := range 35 {
		if i%5 != 0 {
			p.ok(del(name(i)))
		}
	}
	ephemeral := func(i int) string { return fmt.Sprintf("/p/e%d", i*7919) }
	for i := range 14 {
		p.ok(mkFlags(ephemeral(i), zookeeper.FlagEphemeral))
	}
	for i := 0; i < 14; i += 2 {
		p.ok(del(ephemeral(i)))
	}
	live := "e23757 39595 237570 e7919 79190 e71271 e87109 e102947 e39595 0 197975 e55433 158380 118785"
	loaded := "e102947 e23757 39595 237570 e39595 e7919 79190 0 197975 e55433 158380 118785 e71271 e87109"
	liveOwned := "/p/e102947 /p/e87109 /p/e23757 /p/e55433 /p/e71271 /p/e7919 /p/e39595"
	loadedOwned := "/p/e102947 /p/e87109 /p/e23757 /p/e71271 /p/e55433 /p/e7919 /p/e39595"
	for restarts, want := range [][2]string{{live, liveOwned}, {live, liveOwned}, {loaded, loadedOwned}} {
		if restarts > 0 {
			again := p.again()
			l.s.Close()
			l = serve(t, Options{DataDir: dir})
			p = l.dial()
			p.greet(again)
		}
		expect(t, strings.Join(p.ok(zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/p"}).Children, " "), want[0])
		expect(t, strings.Join(p.ok(zookeeper.Request{Op: zookeeper.OpGetEphemerals, Path: "/"}).Children, " "), want[1])
	}
	p.ok(mk("/p/late"))
	expect(t, strings.Join(p.ok(zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/p"}).Children, " "), strings.Replace(loaded, "e55433", "e55433 late", 1))
}

// Goal: counters that SetCounters has set survive a restart, once another write was made.
func TestCountersThatWereSet(t *testing.T) { // ZK-5.2
	dir := t.TempDir()
	l := serve(t, Options{DataDir: dir})
	p := l.connect()
	p.ok(mk("/a"))
	sequence, version := int32(1<<31-2), int32(1<<31-1)
	expect(t, l.s.SetCounters("/none", Counters{Sequence: &sequence}), false)
	expect(t, l.s.SetCounters("/a", Counters{Sequence: &sequence, Version: &version}), true)
	p.ok(mk("/b"))
	l.s.Close()
	q := serve(t, Options{DataDir: dir}).connect()
	expect(t, q.ok(set("/a", "x")).Stat.Version, int32(-1<<31))
	for _, want := range []string{"/a/s2147483646", "/a/s2147483647"} {
		expect(t, q.ok(mkFlags("/a/s", zookeeper.FlagPersistentSequential)).Path, want)
	}
	expect(t, q.do(mkFlags("/a/s", zookeeper.FlagPersistentSequential)).Err, zookeeper.Code(-110))
}

func TestNewGenerations(t *testing.T) {
	dir := t.TempDir()
	l := serve(t, Options{DataDir: dir, rotateAt: 2000})
	p := l.connect()
	for i := range 100 {
		p.ok(mk(fmt.Sprintf("/n%d", i), make([]byte, 100)...))
	}
	want := l.dump()
	l.s.Close()
	names := must[[]string](t)(filepath.Glob(filepath.Join(dir, "*.*")))
	if len(names) > 3 {
		t.Errorf("old generations are left: %q", names)
	}
	if strings.HasSuffix(names[0], "log.0000000001") {
		t.Errorf("no new generation: %q", names)
	}
	again := serve(t, Options{DataDir: dir})
	got := again.dump()
	cut := func(s string) string { return s[:strings.Index(s, "session")] }
	expect(t, cut(got), cut(want))
}

func TestSnapshotFile(t *testing.T) {
	l := serve(t, Options{})
	p := l.connect()
	p.ok(mk("/a", 'x'))
	name := filepath.Join(t.TempDir(), "snapshot")
	snapshot, nowMs := l.s.Snapshot()
	if err := SaveSnapshot(name, nowMs, snapshot); err != nil {
		t.Fatal(err)
	}
	loaded, _, err := LoadSnapshot(name)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, dumpOf(loaded), dumpOf(snapshot))
	b := must[[]byte](t)(os.ReadFile(name))
	for n := range b {
		os.WriteFile(name, b[:n], 0o600)
		if _, _, err := LoadSnapshot(name); err == nil {
			t.Fatalf("cut to %d of %d bytes: loaded", n, len(b))
		}
	}
	for _, more := range []string{"\x00", "x", "bytes of another file, many of them", string(b), string(b[len(magic):])} {
		os.WriteFile(name, append(slices.Clone(b), more...), 0o600)
		_, _, err := LoadSnapshot(name)
		if err == nil || !strings.Contains(err.Error(), "behind its last record") && !strings.Contains(err.Error(), "behind the last record of a snapshot") {
			t.Errorf("%d bytes appended: got %v", len(more), err)
		}
	}
	// A server may start from a snapshot with a data directory, but only with an empty one.
	dir := t.TempDir()
	d := serve(t, Options{DataDir: dir, Snapshot: snapshot})
	d.connect().ok(get("/a"))
	d.s.Close()
	serve(t, Options{DataDir: dir}).connect().ok(get("/a"))
	if _, err := Listen("127.0.0.1:0", Options{DataDir: dir, Snapshot: snapshot}); err == nil {
		t.Error("a directory that is not empty took another snapshot")
	}
}

// Goal: the next log and its reserved space exist before it is begun. It is deleted if it was not
// needed.
func TestTheNextLogIsMadeAhead(t *testing.T) {
	dir := t.TempDir()
	st, _, _, err := openStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	st.rotateAt = 1000
	if err := st.begin(1); err != nil {
		t.Fatal(err)
	}
	next := filepath.Join(dir, nextName)
	for range 2 {
		if err := st.append(make([]byte, 600)); err != nil {
			t.Fatal(err)
		}
		expect(t, st.next != nil, st.log.Size() > 1200) // the next log is begun once half of rotateAt was written
	}
	made := <-st.next
	st.next <- made
	if err := st.begin(2); err != nil {
		t.Fatal(err)
	}
	expect(t, st.log == made, true)
	if room := sizeOf(st.logName(2)); room < st.rotateAt {
		t.Errorf("the next log has room for %d bytes, want %d at least", room, st.rotateAt)
	}
	if err := errors.Join(st.append(make([]byte, 800)), st.append([]byte("last")), st.close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(next); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v, want it to be gone", next, err)
	}
	expect(t, sizeOf(st.logName(2)), int64(len(magic)+804))
}
