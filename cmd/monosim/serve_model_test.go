package main

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Goal: `monosim serve-model` serves until it gets a signal, and then shuts down cleanly
// (TRN-4.10).

func TestServeModelEndsInOrder(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
	free.Close()
	dir := filepath.Join(t.TempDir(), "ranker")
	if code, _, message := monosim("export", "-c", "testdata/checkpoints", "-o", dir); code != 0 {
		t.Fatalf("export: exit code %d, %s", code, message)
	}
	cmd := program(t, "serve-model")
	cmd.Env = append(os.Environ(), "MONOLITH_MODEL_DIR="+dir, "MONOLITH_SERVE_PORT="+port)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != port+"\n" {
		t.Fatalf("printed %q, %v, want %s\n%s", line, err, port, log.String())
	}
	connection, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	connection.Close()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.HasSuffix(log.String(), "serve-model: Received shutdown signal, stopping server...\n") {
		t.Errorf("got %v and\n%s\nwant exit code 0 and the end in order", err, log.String())
	}
}

func TestServeModelRefusesWhatMakesNoSense(t *testing.T) {
	t.Setenv("MONOLITH_MODEL_DIR", "")
	for _, c := range []struct{ args, want string }{
		{"", "--model-dir: found none, want a directory, there or in MONOLITH_MODEL_DIR"},
		{"-d testdata/gone", `serve-model: Model directory does not exist: "testdata/gone"`},
		{"-d testdata -p 0", "serve-model: Configuration error: Invalid port number: port cannot be 0"},
		{"-d testdata -p 65536", `--port: found "65536", want a whole number from 0 to 65535`},
		{"-d testdata -w 0", "serve-model: Configuration error: Invalid worker count: must be at least 1"},
		{"-d testdata more", `found argument "more", want none`},
	} {
		code, _, message := monosim(append([]string{"serve-model"}, strings.Fields(c.args)...)...)
		if code != 2 || !strings.Contains(message, c.want) {
			t.Errorf("%s: exit code %d, %s, want 2 and %s", c.args, code, message, c.want)
		}
	}
	t.Setenv("MONOLITH_SERVE_PORT", "x")
	if code, _, message := monosim("serve-model", "-d", "testdata"); code != 2 || !strings.Contains(message, `MONOLITH_SERVE_PORT: found "x", want a port`) {
		t.Errorf("exit code %d, %s, want 2 and the variable named", code, message)
	}
}
