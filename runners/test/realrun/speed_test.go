package realrun_test

import (
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/test/realrun"
)

// Goal: timeouts of calls and gRPC's back-off scale with the speed of the world. Method: let
// an hour of each pass in a world that is 100,000 times faster than the clock.
func TestCallsPassAtASpeed(t *testing.T) {
	w := newFastWorld(t, 100_000)
	silent := (&conforming{t: t}).Silent()
	p := w.NewProcess("host", "program")
	p.Go("main", func() {
		net := realrun.NewNetwork(p, realrun.Options{})
		channel := net.Dial(silent)
		defer channel.Close()
		from := p.Elapsed()
		_, err := channel.Call("/svc/Do", nil, time.Hour)
		var status *env.RPCError
		if !errors.As(err, &status) || status.Code != rpcerrors.DeadlineExceeded && status.Code != rpcerrors.Unavailable {
			t.Errorf("a call of a silent server: got %v, want the end of its hour", err)
		}
		if took := p.Elapsed() - from; status != nil && status.Code == rpcerrors.DeadlineExceeded && took < time.Hour {
			t.Errorf("the hour took %v of the world's time", took)
		}

		// The server starts half an hour after the first attempt to connect. Many attempts have
		// failed by then, but a channel retries at least every two minutes.
		port := freePort(t)
		late := net.Dial((&conforming{}).Addr(port))
		defer late.Close()
		if _, err := late.Call("/svc/Do", nil, 0); err == nil {
			t.Error("a call of nobody was answered")
		}
		p.Sleep(30 * time.Minute)
		server, err := net.Serve(port, 1, func(string, []byte) ([]byte, error) { return nil, nil })
		if err != nil {
			t.Error(err)
			return
		}
		defer server.Stop()
		for {
			if _, err := late.Call("/svc/Do", nil, 0); err == nil {
				return
			}
			p.Sleep(time.Minute)
		}
	})
	if err := waitFor(w); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	return ports[0]
}
