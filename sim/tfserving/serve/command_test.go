package serve

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: command lines are accepted and refused as by upstream's main.cc.
func TestCommandLines(t *testing.T) {
	tests := []struct {
		name         string
		args         []string
		variable     string
		code         int
		end          bool
		stdout, logs string // how they begin
	}{
		{name: "a flag of monolith's archon (TFS-9.3)", args: []string{"--archon_port=1", "--port=9000"},
			stdout: "unknown argument: --archon_port=1\nusage: server\nFlags:\n\t--port=8500                      \tint32\t"},
		{name: "help", args: []string{"--help"}, code: 255, end: true, stdout: "usage: server\nFlags:\n"},
		{name: "a value that is none", args: []string{"--port=x"}, code: 255, end: true, stdout: "usage: server\nFlags:\n",
			logs: "E monosim] Couldn't interpret value x for flag port.\n"},
		{name: "a flag of tfs-head only", args: []string{"--num_load_threads=2"}, stdout: "unknown argument: --num_load_threads=2\n"},
		{name: "the profile from the environment", args: []string{"--num_load_threads=2"}, variable: "--monosim_profile=tfs-head"},
		{name: "the command line wins", args: []string{"--monosim_speed=2"}, variable: " --monosim_speed=0 "},
		{name: "a profile that is none", args: []string{"--monosim_profile=x"}, code: 2, end: true, logs: "server: model server profile: got \"x\""},
		{name: "a flag of ours that is none", args: []string{"--monosim_x=1"}, code: 2, end: true, logs: "server: --monosim_x=1: "},
		{name: "a speed out of bounds", args: []string{"--monosim_speed=0"}, code: 2, end: true, logs: "server: --monosim_speed: got 0"},
		{name: "a fault that is none", args: []string{"--monosim_predict_fault=BUSY"}, code: 2, end: true, logs: "server: --monosim_predict_fault"},
		{name: "a policy that is none", args: []string{"--monosim_transition=x"}, code: 2, end: true, logs: "server: --monosim_transition"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, log bytes.Buffer
			_, code, end := ParseCommand("server", test.args, test.variable, &stdout, &log)
			_, afterStamp, _ := strings.Cut(log.String(), ": E ")
			logged := log.String()
			if afterStamp != "" {
				logged = "E " + afterStamp
			}
			if code != test.code || end != test.end || !strings.HasPrefix(stdout.String(), test.stdout) ||
				!strings.HasPrefix(logged, test.logs) || test.stdout == "" && stdout.Len() > 0 {
				t.Errorf("got %d, %t, stdout %q, log %q\nwant %d, %t, stdout %q..., log %q...",
					code, end, stdout.String(), logged, test.code, test.end, test.stdout, test.logs)
			}
		})
	}
}

// Goal: each flag of the simulation sets the right option.
func TestOwnFlags(t *testing.T) {
	c, _, end := ParseCommand("server", []string{"--monosim_seed=7", "--monosim_predict_time=3ms", "--port=1",
		"--monosim_predict_fault=UNAVAILABLE:busy: later", "--monosim_transition=resource", "--monosim_any_port",
		"--monosim_memory_limit_bytes=5", "--monosim_store=/s", "--monosim_ports_file=p", "--monosim_events=e"},
		"--monosim_seed=6", new(bytes.Buffer), new(bytes.Buffer))
	if end {
		t.Fatal("the process is over")
	}
	o := c.Options
	if o.Seed != 7 || o.Machine.Cost.PredictTime != 3*time.Millisecond || o.Machine.Port != 1 || !o.AnyPort ||
		o.PredictFault.Error() != "UNAVAILABLE: busy: later" || o.Machine.Transition != tfserving.ResourcePreserving ||
		o.Machine.MemoryLimitBytes != 5 || o.Store != "/s" || c.PortsFile != "p" || c.EventsFile != "e" || o.Host != DefaultHost {
		t.Errorf("got %+v", c)
	}
}
