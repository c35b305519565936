package session

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
)

// wireOf returns a server that needs no other process, and its handler.
func wireOf(t *testing.T) (*Wire, env.Handler) {
	t.Helper()
	w := NewWire(&env.Env{Clock: envtest.Clock{}})
	w.Start("ps:1")
	return w, w.Handle(func(method string, _ []byte) ([]byte, error) { return []byte("next " + method), nil })
}

func TestWireLeavesOtherCallsToTheProcess(t *testing.T) {
	_, handle := wireOf(t)
	if got, err := handle("/monolith.PS/Lookup", nil); err != nil || string(got) != "next /monolith.PS/Lookup" {
		t.Errorf("found %q, %v", got, err)
	}
}

func TestWireValues(t *testing.T) {
	for _, v := range []any{nil, true, false, int64(0), int64(-1 << 62), []byte{}, []byte("a\x00"), []bool{}, []bool{false, true}} {
		w, err := onWire(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.value(); !reflect.DeepEqual(got, v) {
			t.Errorf("found %#v, want %#v", got, v)
		}
	}
	if _, err := onWire("text"); err == nil {
		t.Error("found no error for a string, which no variable has")
	}
}

func TestWireRefusesWhatItCannotDo(t *testing.T) {
	w, handle := wireOf(t)
	for _, c := range []struct{ method, request, want string }{
		{methodRun, `{"ops":`, "INVALID_ARGUMENT: /monosim.training.Variables/Run: found unexpected end of JSON input, want the message of operations"},
		{methodRun, `{"ops":[{"name":"b","index":1,"first":{"bools":[true]},"assign":{"int":1}}]}`, "INVALID_ARGUMENT: /monosim.training.Variables/Run: element 1 of b: found a int64, want a bool"},
		{service + "Fly", "", "UNIMPLEMENTED: Method not found!"},
	} {
		if _, err := handle(c.method, []byte(c.request)); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: found %v, want %s", c.method, c.request, err, c.want)
		}
	}
	got, err := handle(methodRun, []byte(`{"ops":[{"name":"n","index":-1,"first":{"int":4}}]}`))
	if err != nil || !bytes.Contains(got, []byte(`"class":"FailedPreconditionError"`)) {
		t.Errorf("found %s, %v, want FailedPreconditionError before variables are initialised", got, err)
	}
	w.Stop("ps:1")
	if _, err := handle(methodReady, nil); err == nil || !strings.HasPrefix(err.Error(), "UNAVAILABLE") {
		t.Errorf("found %v from a server that has ended, want UNAVAILABLE", err)
	}
}

// Goal: one session works over three servers: that of its own process, one that answers, and one
// that is restarted.
func TestWireLink(t *testing.T) {
	w, _ := wireOf(t)
	other, handle := wireOf(t)
	other.Start("ps:2")
	w.channels["ps:2"] = channelTo(handle)
	link := w.Connect(nil, map[string]string{"a": "ps:1", "b": "ps:2"}, "a")
	devices := []string{"a", "b"}
	if err := link.Check(devices); pysem.TypeOf(err) != "FailedPreconditionError" {
		t.Errorf("found %v before variables are initialised", err)
	}
	if err := link.Initialize(devices); err != nil {
		t.Fatal(err)
	}
	here, there := &Variable{Name: "n", First: int64(1)}, &Variable{Name: "flags", Device: "b", First: []bool{false, false}}
	values, err := link.Run(AssignAt(there, 1, true), AssignAdd(here, 2), Read(there), ReadAt(there, 0))
	if want := []any{nil, int64(3), []bool{false, true}, false}; err != nil || !reflect.DeepEqual(values, want) {
		t.Errorf("found %v, %v, want %v", values, err, want)
	}
	if _, err := link.Run(ReadAt(there, 7)); pysem.TypeOf(err) != "InvalidArgumentError" || !strings.Contains(err.Error(), "slice index 7 of dimension 0 out of bounds.") {
		t.Errorf("found %v, want the error of the other server", err)
	}
	other.life++
	if err := link.Check(devices); pysem.TypeOf(err) != "AbortedError" {
		t.Errorf("found %v of a server that was started again, want an AbortedError", err)
	}
	other.Stop("ps:2")
	if err := link.Check(devices); pysem.TypeOf(err) != "UnavailableError" {
		t.Errorf("found %v of a server that has ended, want an UnavailableError", err)
	}
}

// channelTo is a channel that calls a handler in this process, without a network.
type channelTo env.Handler

func (c channelTo) Call(method string, request []byte, _ time.Duration) ([]byte, error) {
	return c(method, request)
}
func (channelTo) Close() {}
