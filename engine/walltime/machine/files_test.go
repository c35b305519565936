package machine_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
)

// Goal: Stat tells a Unix socket from a regular file. No file of a simulated machine is a socket.
// Method: listen at a socket and look at its file.
func TestASocketIsSaidToBeOne(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "agent.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := walltime.New(walltime.Config{Seed: 1})
	defer w.Close()
	p := w.NewProcess("host", "program")
	m, err := machine.New(p, machine.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	p.Go("main", func() {
		files := m.Files()
		if err := files.WriteFile("file", nil); err != nil {
			t.Error(err)
		}
		for name, want := range map[string]bool{"agent.sock": true, "file": false, ".": false} { //lint:ordered each by itself
			if info, err := files.Stat(name); err != nil || info.Socket != want {
				t.Errorf("%s: got %+v %v, want Socket %v", name, info, err, want)
			}
		}
	})
	if err := w.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}
