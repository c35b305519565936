package surroundings_test

import (
	"context"
	"testing"

	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// Goal: free ports are looked for at the address that is localhost to the process. At
// another address a port may be free although it is taken at this one. Method: an address
// that no machine has (RFC 5737) must give no free port.
func TestFreePortsAreThoseOfLocalhost(t *testing.T) {
	for localhost, some := range map[string]bool{"": true, "192.0.2.1": false} {
		w := walltime.New(walltime.Config{Seed: 1})
		p := w.NewProcess("host", "main")
		p.Go("main", func() {
			e, err := surroundings.New(p, surroundings.Options{Network: realrun.Options{Localhost: localhost}})
			if err != nil {
				t.Error(err)
				return
			}
			if port := e.Host.FreePort(); (port != 0) != some {
				t.Errorf("localhost %q: got the port %d, want one: %t", localhost, port, some)
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		if err := w.Wait(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		w.Close()
	}
}
