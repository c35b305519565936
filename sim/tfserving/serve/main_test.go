package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: Main returns the exit code of the process and writes its events. A process that never
// serves writes no ports file.
func TestMainWritesEvents(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	var stdout, stderr bytes.Buffer
	code := Main("server", []string{"--model_name=m", "--model_base_path=" + l.path("m"), "--monosim_speed=20",
		"--monosim_events=" + l.path("events"), "--monosim_ports_file=" + l.path("ports"), "--monosim_memory_limit_bytes=1"},
		&stdout, &stderr, nil)
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

// Goal: Main reports files that it cannot write. If the ports file fails, the process ends, because
// another program waits for that file. If the events file fails, the process continues.
func TestFilesThatCannotBeWritten(t *testing.T) {
	l := newLab(t)
	l.version("m", 1)
	serving := []string{"--model_base_path=" + l.path("m"), "--monosim_any_port", "--monosim_speed=20"}
	for _, test := range []struct {
		flag, value, want string
	}{
		{"--monosim_events", "/no/such/directory/events", "open /no/such/directory/events: no such file or directory"},
		{"--monosim_ports_file", "/no/such/directory/ports", "no such file or directory"},
		{"--monosim_ports_file", "/dev/full", "write /dev/full: no space left on device"},
		{"--monosim_ports_file", l.dir, "open " + l.dir + ": is a directory"},
	} {
		var stdout, stderr bytes.Buffer
		code := Main("server", append(serving, test.flag+"="+test.value), &stdout, &stderr, nil)
		if told := "server: " + test.flag + ": "; code != 2 || !strings.Contains(stderr.String(), told) || !strings.HasSuffix(stderr.String(), test.want+"\n") {
			t.Errorf("%s: got %d and %s\nwant 2 and at the end %q", test.value, code, stderr.String(), test.want)
		}
	}
	events := &eventLog{complain: func(err error) { t.Logf("told: %v", err); l.log.WriteString("told ") }}
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	l.must(err)
	events.file = file
	events.write(tfserving.Event{})
	events.write(tfserving.Event{})
	if got := l.logged(); got != "told " {
		t.Errorf("events that were lost: got %q, want to be told once", got)
	}
}

// Goal: with the command's flags a damaged model fails to load. A flag makes it a stand-in instead.
func TestDamagedModelsByFlag(t *testing.T) {
	l := newLab(t)
	l.must(os.MkdirAll(l.path("m", "1"), 0o755))
	l.must(os.WriteFile(l.path("m", "1", "saved_model.pb"), []byte("\x08\x01\x12\x7fhalf"), 0o644))
	args := []string{"--model_base_path=" + l.path("m"), "--monosim_any_port", "--max_num_load_retries=0"}
	var stdout bytes.Buffer
	const want = "Failed to start server. Error: Unknown: 1 servable(s) did not become available: " +
		"{{{name: default version: 1} due to error: Out of range: Read less bytes than requested}, }\n"
	if code := Main("server", args, &stdout, io.Discard, nil); code != 255 || stdout.String() != want {
		t.Errorf("got %d %q\nwant 255 %q", code, stdout.String(), want)
	}
	code := Main("server", append(args, "--monosim_stand_ins", "--monosim_ports_file=/dev/full"), io.Discard, io.Discard, nil)
	if code != exitUsage {
		t.Errorf("a stand-in: got %d, want that it serves and fails to write its ports, 2", code)
	}
}

// Goal: the ports file may be an existing symbolic link, which is kept, or something that is no
// regular file.
func TestPortsFileThatIsThere(t *testing.T) {
	l := newLab(t)
	l.must(os.WriteFile(l.path("there"), []byte("old"), 0o644))
	l.must(os.Symlink(l.path("there"), l.path("link")))
	c := &Command{PortsFile: l.path("link")}
	l.must(c.writePorts(Ports{GRPC: 7}))
	if to, err := os.Readlink(l.path("link")); err != nil || to != l.path("there") {
		t.Errorf("the link: got %q, %v", to, err)
	}
	data, err := os.ReadFile(l.path("there"))
	l.must(err)
	if want := "{\"grpc\":7,\"rest\":0}\n"; string(data) != want {
		t.Errorf("got %q, want %q", data, want)
	}
	read, write, err := os.Pipe()
	l.must(err)
	defer read.Close()
	c.PortsFile = "/proc/self/fd/" + strconv.Itoa(int(write.Fd()))
	l.must(c.writePorts(Ports{GRPC: 8}))
	l.must(write.Close())
	if data, err = io.ReadAll(read); err != nil || string(data) != "{\"grpc\":8,\"rest\":0}\n" {
		t.Errorf("through a pipe: got %q, %v", data, err)
	}
}

// Goal: the ports file is one JSON object with the open ports.
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

// Goal: invalid values of the simulation's flags end with exit code 2 and say what was found and
// what is wanted.
func TestOwnFlagsThatMakeNoSense(t *testing.T) {
	for given, want := range map[string]string{
		"--monosim_load_time=-5s":          "--monosim_load_time: got -5s, want 0 or more",
		"--monosim_retained_percent=NaN":   "--monosim_retained_percent: got NaN, want 0 or more",
		"--monosim_ram_per_disk_byte=+Inf": "--monosim_ram_per_disk_byte: got +Inf, want 0 or more",
		"--monosim_speed=0":                "--monosim_speed: got 0, want 0.001 to 1000",
		"--monosim_predict_law=normal":     `--monosim_predict_law: law of predict times: got "normal", want one of ["constant" "uniform" "lognormal"]`,
		"--monosim_predict_law=uniform":    "--monosim_predict_time_high: got 0s, want --monosim_predict_time, 1ms, or more",
		"--monosim_transition=none":        `--monosim_transition: got "none", want availability or resource`,
		"--monosim_predict_fault=BUSY:x":   `--monosim_predict_fault: got "BUSY:x", want a code of gRPC and a text, as UNAVAILABLE:busy`,
		"--monosim_profile=tfs-9":          `model server profile: got "tfs-9", want one of ["tfs-2.4" "tfs-head" "python-fake"]`,
		"--monosim_no_such_flag=1":         "--monosim_no_such_flag=1: flag provided but not defined: -monosim_no_such_flag",
	} {
		var stdout, stderr strings.Builder
		code := Main("server", []string{given}, &stdout, &stderr, nil)
		if code != 2 || stderr.String() != "server: "+want+"\n" || stdout.Len() > 0 {
			t.Errorf("%s: got %d %q and %q\nwant 2 %q", given, code, stderr.String(), stdout.String(), want)
		}
	}
}

// Goal: --monosim_predict_law sets the distribution of request times in the cost model.
func TestPredictLawByFlag(t *testing.T) {
	args := []string{"--monosim_predict_law=lognormal", "--monosim_predict_time=2ms", "--monosim_predict_time_high=9ms"}
	c, _, end := ParseCommand("server", args, "", io.Discard, io.Discard)
	if end {
		t.Fatal("refused")
	}
	cost := c.Options.Machine.Cost
	if cost.PredictLaw != tfserving.PredictLogNormal || cost.PredictTime != 2*time.Millisecond || cost.PredictTimeHigh != 9*time.Millisecond {
		t.Errorf("got %v of %v to %v", cost.PredictLaw, cost.PredictTime, cost.PredictTimeHigh)
	}
}
