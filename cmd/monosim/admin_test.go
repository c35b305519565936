package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: the HTTP interface for faults exists only when a flag asks for it. A program that it ends
// has the exit code that was asked for.

func post(t *testing.T, url, body string) string {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

func TestAdminOfZooKeeper(t *testing.T) {
	program := builtProgram(t)
	cmd := exec.CommandContext(limited(t), program, "zookeeper", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--admin-server", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	lines.Scan()
	url, ok := strings.CutPrefix(lines.Text(), "admin ")
	if !ok {
		t.Fatalf("second line: got %q, want where the interface is", lines.Text())
	}
	if text := get(t, url+"/sessions", "*/*"); text != "[]\n" {
		t.Errorf("sessions: got %s", text)
	}
	lines.Scan()
	commands, ok := strings.CutPrefix(lines.Text(), "commands ")
	if !ok {
		t.Fatalf("third line: got %q, want where the AdminServer is", lines.Text())
	}
	if text := get(t, commands+"/ruok", "*/*"); text != "{\n  \"command\" : \"ruok\",\n  \"error\" : null\n}" {
		t.Errorf("ruok: got %s", text)
	}
	post(t, url+"/exit", `{"code": 7}`)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("got %v, want exit code 7", err)
	}
}

func TestEnsembleIsServed(t *testing.T) {
	s := serveZooKeeper(t, "--ensemble", "3")
	addrs := strings.Split(s.addr, ",")
	if len(addrs) != 3 {
		t.Fatalf("got %q, want three addresses", s.addr)
	}
	modes := map[string]int{}
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for limit := time.Now().Add(time.Minute); modes["leader"] != 1 || modes["follower"] != 2; <-again.C {
		clear(modes)
		for _, addr := range addrs {
			s.addr = addr
			_, mode, _ := strings.Cut(s.word("srvr"), "Mode: ")
			mode, _, _ = strings.Cut(mode, "\n")
			modes[mode]++
		}
		if time.Now().After(limit) {
			t.Fatalf("modes: %v", modes)
		}
	}
	s.terminate()
}

func TestEnsemblesThatMakeNoSense(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--ensemble -1", "want 1 to 99"},
		{"--observers 1", "want --ensemble too"},
		{"--ensemble 3 --observers 3", "want one with a vote"},
		{"--ensemble 3 --data-dir x", "in memory"},
		{"--ensemble 3 --stopped", "want --admin"},
		{"--ensemble 3 --election-time 0s", "want more than 0"},
		{"--ensemble 3 --listen 127.0.0.1:65534", "that has 2 behind it"},
	} {
		root := newRootCommand()
		root.SetArgs(append([]string{"zookeeper"}, strings.Fields(c.args)...))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.Execute(); err == nil || command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.args, err, c.want)
		}
	}
}

func TestAdminOfZooKeeperKeepsToThisMachine(t *testing.T) {
	for _, flag := range []string{"--admin", "--admin-server"} {
		root := newRootCommand()
		root.SetArgs([]string{"zookeeper", "--listen", "127.0.0.1:0", flag, "0.0.0.0:0"})
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.Execute()
		if err == nil || command.ExitCode(err) != command.ExitBadInput || !strings.HasPrefix(err.Error(), flag+":") || !strings.Contains(err.Error(), "other machines reach") {
			t.Errorf("%s: got %v", flag, err)
		}
	}
}

func TestAdminOfTheModelServer(t *testing.T) {
	dir := t.TempDir()
	ports := filepath.Join(dir, "ports")
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, []byte("model_config_list {}"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(limited(t), modelServer(t), "--model_config_file="+config, "--monosim_any_port",
		"--monosim_admin=127.0.0.1:0", "--monosim_admin_token=a-token-of-this-test", "--monosim_ports_file="+ports)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var open struct{ Admin int }
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for limit := time.Now().Add(time.Minute); open.Admin == 0; <-again.C {
		text, _ := os.ReadFile(ports)
		json.Unmarshal(text, &open)
		if time.Now().After(limit) {
			t.Fatalf("no port in %q", text)
		}
	}
	if got := post(t, fmt.Sprintf("http://127.0.0.1:%d/exit", open.Admin), `{"code": 1}`); !strings.Contains(got, "want it: it was printed") {
		t.Errorf("without the token: got %s", got)
	}
	post(t, fmt.Sprintf("http://monosim:a-token-of-this-test@127.0.0.1:%d/exit", open.Admin), `{"code": 137}`)
	if err := cmd.Wait(); codeOf(cmd.ProcessState) != 137 {
		t.Errorf("got %v, want exit code 137", err)
	}
	state, _, stderr := runToEnd(t, "--model_config_file="+config, "--monosim_any_port", "--monosim_admin=0.0.0.0:0")
	if codeOf(state) != 2 || !strings.Contains(stderr, "other machines reach") {
		t.Errorf("got %d %s", codeOf(state), stderr)
	}
}
