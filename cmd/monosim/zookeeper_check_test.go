package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/zkdiff"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// serveSimulated stands in for a real server of a version.
func serveSimulated(t *testing.T, profile string) string {
	t.Helper()
	version, err := wire.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	served, err := zkdiff.ServeMachine(version)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	})
	return served.Addr()
}

func TestCheckOfServersThatAgree(t *testing.T) {
	addr := serveSimulated(t, "zookeeper-3.8")
	out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--ops", "500", "--json")
	var result zooKeeperCheckResult
	if code != 0 || json.Unmarshal([]byte(out), &result) != nil {
		t.Fatalf("got exit code %d, %v and\n%s", code, err, out)
	}
	if result.Operations < 500 || len(result.Servers) != 3 || len(result.Differences) != 0 || result.Answered["create"]["OK"] == 0 {
		t.Errorf("got %+v, want 500 operations on 3 servers without a difference", result)
	}
}

func TestCheckOfServersThatDiffer(t *testing.T) {
	addr := serveSimulated(t, "zookeeper-3.9")
	out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--ops", "20000")
	if code != exitFailed || !strings.Contains(out, "the script, as small as it goes:\n{") {
		t.Fatalf("got exit code %d, %v and\n%s", code, err, out)
	}
	// The script that it prints differs when it is played again.
	_, script, _ := strings.Cut(out, "as small as it goes:\n")
	script, _, _ = strings.Cut(script, "\n\n")
	script, _, _ = strings.Cut(script, "\nseed ")
	file := filepath.Join(t.TempDir(), "script.jsonl")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--script", file); code != exitFailed || !strings.Contains(out, "machine: ") && !strings.Contains(out, "machine:\n") {
		t.Errorf("the script again: got exit code %d, %v and\n%s", code, err, out)
	}
	if out, code, err := runMonosim("", "zookeeper", "check", "--server", addr, "--profile", "zookeeper-3.9", "--script", file); code != 0 || strings.Count(out, "the same") != 2 {
		t.Errorf("the script on servers of one version: got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestCheckRefusesWhatMakesNoSense(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.jsonl")
	if err := os.WriteFile(file, []byte("{\"kind\":\"drop\"}\n{\"kind\":"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--ops", "0"}, "--ops: found 0, want 1 or more"},
		{[]string{"--script", file}, "line 2: found no step"},
		{[]string{"--script", file + ".none"}, "no such file"},
		{[]string{"--profile", "zookeeper-3.9"}, "found zookeeper-3.9 without --server"},
		{[]string{"--profile", "x"}, "want one of"},
	} {
		_, code, err := runMonosim("", append([]string{"zookeeper", "check"}, c.args...)...)
		if code != exitBadInput || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got exit code %d and %v, want %d and %q", c.args, code, err, exitBadInput, c.want)
		}
	}
}
