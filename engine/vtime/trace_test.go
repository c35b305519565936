package vtime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
)

var kindAnswer = vtime.NewKind("test.answer")

// asker makes a world in which a client sends one request a second to a server. The server answers
// after 10 ms, but the request whose number is slow only after 500 ms.
func asker(slow uint64, trace vtime.TraceConfig) *vtime.World {
	w := vtime.New(vtime.Config{Trace: trace})
	client, server := w.Node("client"), w.Node("server")
	var ask func(arg uint64)
	answer := func(arg uint64) { server.NoteString(fmt.Sprintf("answer %d", arg)) }
	ask = func(arg uint64) {
		latency := 10 * ms
		if arg == slow {
			latency = 500 * ms
		}
		server.Schedule(w.Now()+latency, kindAnswer, handler(answer), arg)
		client.Schedule(w.Now()+time.Second, kindTick, handler(ask), arg+1)
	}
	ask(1)
	if _, err := w.Run(vtime.Limits{Until: time.Minute}); err != nil {
		panic(err)
	}
	w.Close()
	return w
}

type handler func(arg uint64)

func (h handler) Handle(arg uint64) { h(arg) }

// Goal: a comparison names the first event that differs, the events that led to it, and the nodes
// that differ. Method: in one of two runs request 5 is slow, so that its answer, event 9, differs.
func TestFirstDivergenceNamesEventAndCauses(t *testing.T) {
	record := vtime.TraceConfig{Record: true}
	d := vtime.FirstDivergence(asker(0, record).Trace(), asker(5, record).Trace())
	if d == nil {
		t.Fatal("no divergence found")
	}
	if d.A == nil || d.B == nil || d.A.Number != 9 || d.B.Number != 9 || d.A.At != 4010*ms || d.B.At != 4500*ms {
		t.Fatalf("diverge at %v and %v, want event 9 at t+4.01s and at t+4.5s", d.A, d.B)
	}
	var causes log
	for _, c := range d.CausesA {
		causes.add("#%d t+%v %s %s(%d)", c.Number, c.At, c.Node, c.Kind, c.Arg)
	}
	causes.want(t,
		"#8 t+4s client test.tick(5)",
		"#6 t+3s client test.tick(4)",
		"#4 t+2s client test.tick(3)",
		"#2 t+1s client test.tick(2)")
	if diff := cmp.Diff([]string{"server"}, d.Nodes); diff != "" {
		t.Errorf("nodes that differ (-want +got):\n%s", diff)
	}
	text := d.String()
	for _, part := range []string{
		"first differing event:\n  a: #9 t+4.010000s server test.answer(5) answer 5\n     because of #8 t+4.000000s client test.tick(5)\n",
		"\n  b: #9 t+4.500000s server test.answer(5) answer 5\n",
		"\nnodes that differ at the end: server",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("text\n%s\ndoes not contain\n%s", text, part)
		}
	}
}

// Goal: without records of the difference, a comparison reports only the two checkpoints around it.
// Method: the same two runs, of which less and less is recorded.
func TestFirstDivergenceWithoutRecords(t *testing.T) {
	stretch := vtime.TraceConfig{EveryEvents: 4}
	all := vtime.TraceConfig{Record: true, EveryEvents: 4}
	before := vtime.TraceConfig{Record: true, From: 1, To: 5, EveryEvents: 4}
	for _, c := range []struct {
		name string
		a, b vtime.TraceConfig
	}{
		{"none", stretch, stretch},
		{"of one run", all, stretch},
		{"of the other run", stretch, all},
		{"of an earlier stretch", before, before},
		{"of one run, and an earlier stretch", all, before},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := vtime.FirstDivergence(asker(0, c.a).Trace(), asker(5, c.b).Trace())
			if d == nil {
				t.Fatal("no divergence found")
			}
			want := "first difference within events 9 to 12\nnodes that differ at the end: server"
			if d.A != nil || d.B != nil || d.String() != want {
				t.Errorf("got %v, want %v", d, want)
			}
		})
	}
}

// Goal: when the part between the two reported checkpoints is recorded, the comparison names the
// event.
func TestFirstDivergenceWithRecordsOfTheStretch(t *testing.T) {
	d := vtime.FirstDivergence(asker(0, vtime.TraceConfig{EveryEvents: 4}).Trace(), asker(5, vtime.TraceConfig{EveryEvents: 4}).Trace())
	cfg := vtime.TraceConfig{Record: true, From: d.From + 1, To: d.To + 1}
	d = vtime.FirstDivergence(asker(0, cfg).Trace(), asker(5, cfg).Trace())
	if d.A == nil || d.A.Number != 9 || d.B == nil || d.B.Number != 9 {
		t.Errorf("got %v, want event 9 of both", d)
	}
}

func TestFirstDivergenceOfRunThatEndedEarlier(t *testing.T) {
	run := func(events uint64) *vtime.Trace {
		w := tickers(2)
		defer w.Close()
		if _, err := w.Run(vtime.Limits{MaxEvents: events}); err != nil {
			t.Fatal(err)
		}
		return w.Trace()
	}
	if d := vtime.FirstDivergence(run(10), run(12)); d == nil || d.From != 0 || d.To != 12 {
		t.Errorf("got %v, want a difference within events 1 to 12", d)
	}

	recorded := func(events uint64) *vtime.Trace {
		w := vtime.New(vtime.Config{Seed: 1, Trace: vtime.TraceConfig{Record: true}})
		defer w.Close()
		(&ticker{node: w.Node("node"), period: time.Second}).Handle(0)
		if _, err := w.Run(vtime.Limits{MaxEvents: events}); err != nil {
			t.Fatal(err)
		}
		return w.Trace()
	}
	d := vtime.FirstDivergence(recorded(10), recorded(12))
	if d == nil || d.A != nil || d.B == nil || d.B.Number != 11 {
		t.Fatalf("got %v, want event 11 of the longer run", d)
	}
	if !strings.Contains(d.String(), "  a: (ended)\n") {
		t.Errorf("text %q does not say that run a ended", d)
	}
}

func TestRecordsOfAStretch(t *testing.T) {
	w := asker(0, vtime.TraceConfig{Record: true, From: 3, To: 5})
	var out strings.Builder
	if err := w.Trace().WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var seen log
	for _, r := range w.Trace().Records {
		seen.add("%v", &r)
	}
	seen.want(t, "#3 t+1.010000s server test.answer(2) answer 2", "#4 t+2.000000s client test.tick(3)")
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `{"number":3,"id":3,"cause":2,"at_ns":1010000000,"node":"server","kind":"test.answer","arg":2,"hash":`) ||
		!strings.HasSuffix(lines[0], `,"labels":["answer 2"]}`) {
		t.Errorf("JSON lines:\n%s", out.String())
	}
}

func TestRecordingDoesNotChangeTheHash(t *testing.T) {
	plain, recorded := asker(5, vtime.TraceConfig{}), asker(5, vtime.TraceConfig{Record: true, From: 20, EveryEvents: 3})
	if plain.Hash() != recorded.Hash() {
		t.Error("the hashes differ")
	}
}

// Goal: however long a run is, it keeps few checkpoints at even distances. Runs of different length
// still share some. Method: two million events.
func TestCheckpointsStayBounded(t *testing.T) {
	run := func(events uint64) *vtime.Trace {
		w := vtime.New(vtime.Config{Trace: vtime.TraceConfig{EveryEvents: 64}})
		defer w.Close()
		(&ticker{node: w.Node("node"), period: ms}).Handle(0)
		runTo(t, w, vtime.Limits{MaxEvents: events}, vtime.EventsUp)
		return w.Trace()
	}
	long, short := run(2_000_000), run(300_000)
	for _, tr := range []*vtime.Trace{long, short} {
		if n := len(tr.Checkpoints); n > 4096 || n < 2048 {
			t.Errorf("%d checkpoints of %d events, want 2048 to 4096", n, tr.Events)
		}
		distance := tr.Checkpoints[0].Events
		for i, c := range tr.Checkpoints {
			if c.Events != uint64(i+1)*distance {
				t.Fatalf("checkpoint %d is after %d events, want %d", i, c.Events, uint64(i+1)*distance)
			}
		}
	}
	if d := vtime.FirstDivergence(long, short); d.From < 299_000 {
		t.Errorf("got %v; the two agree over the whole shorter run", d)
	}
}

func TestNodesThatOneRunLacksDiffer(t *testing.T) {
	a, b := vtime.New(vtime.Config{}), vtime.New(vtime.Config{})
	a.Node("x").Note(1)
	b.Node("y").Note(1)
	d := vtime.FirstDivergence(a.Trace(), b.Trace())
	if d == nil {
		t.Fatal("no divergence found")
	}
	if diff := cmp.Diff([]string{"x", "y"}, d.Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}
