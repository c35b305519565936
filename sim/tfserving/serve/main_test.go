package serve

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/tfserving"
)

// Main ends with what the process ends with, and leaves its events behind; a
// process that never serves writes no ports.
func TestMainWritesEvents(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	var stdout, stderr bytes.Buffer
	code := Main("server", []string{"--model_name=m", "--model_base_path=" + l.path("m"), "--monosim_speed=20",
		"--monosim_events=" + l.path("events"), "--monosim_ports_file=" + l.path("ports"), "--monosim_memory_limit_bytes=1"},
		&stdout, &stderr)
	if code != -9 || stdout.Len() > 0 {
		t.Errorf("got %d %q, want -9 without a word\n%s", code, stdout.String(), stderr.String())
	}
	data, err := os.ReadFile(l.path("events"))
	l.must(err)
	var got []string
	for line := range strings.Lines(string(data)) {
		var e eventLine
		l.must(json.Unmarshal([]byte(line), &e))
		got = append(got, e.Model+" "+e.State)
	}
	if diff := cmp.Diff([]string{"m START", "m LOADING"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(l.path("ports")); err == nil {
		t.Error("ports are written before they are open")
	}
}

// The files of Main that cannot be written are told.
func TestFilesThatCannotBeWritten(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := Main("server", []string{"--monosim_events=/no/such/directory/events"}, &stdout, &stderr)
	if want := "server: --monosim_events: open /no/such/directory/events: no such file or directory\n"; code != 2 || stderr.String() != want {
		t.Errorf("got %d %q, want 2 %q", code, stderr.String(), want)
	}
	c := &Command{PortsFile: "/no/such/directory/ports"}
	if err := c.writePorts(Ports{}); err == nil {
		t.Error("ports are written into no directory")
	}
}

// The ports file is one object.
func TestPortsFile(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.Profile24, withREST)
	c := &Command{PortsFile: l.path("ports")}
	l.must(c.writePorts(l.s.Ports()))
	data, err := os.ReadFile(c.PortsFile)
	l.must(err)
	var got Ports
	l.must(json.Unmarshal(data, &got))
	if got != l.s.Ports() || got.GRPC == 0 || got.REST == 0 {
		t.Errorf("got %+v from %s, want %+v", got, data, l.s.Ports())
	}
}
