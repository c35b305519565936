package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestVersionIsAFlagToo(t *testing.T) {
	text, err := rootCommand("version")
	if err != nil || !strings.HasPrefix(text, "monosim "+untagged) {
		t.Fatalf("got %q, %v, want the version %s", text, err, untagged)
	}
	for _, flag := range []string{"--version", "-v"} {
		if got, err := rootCommand(flag); err != nil || got != text {
			t.Errorf("%s: got %q, %v, want what the command prints: %q", flag, got, err, text)
		}
	}
}

func TestVersionAsJSON(t *testing.T) {
	text, err := rootCommand("version", "--json")
	var v versionShown
	if err == nil {
		err = json.Unmarshal([]byte(text), &v)
	}
	if err != nil || v.Version != untagged || v.Reference == "" || len(v.ZooKeeper) < 2 || len(v.TFServing) < 2 {
		t.Errorf("got %s, %v, want the version, the reference and the profiles", text, err)
	}
}

func TestVersionIsThatOfTheTag(t *testing.T) {
	for _, c := range []struct{ told, ofModule, want string }{
		{"v1.2.3", "(devel)", "1.2.3"},
		{"v1.2.3-4-gabcdef0", "v1.2.3", "1.2.3-4-gabcdef0"},
		{"", "v1.2.3", "1.2.3"},
		{"", "v1.2.3-rc.1", "1.2.3-rc.1"},
		{"", "v1.2.3+dirty", "1.2.3+dirty"},
		{"", "(devel)", untagged},
		{"", "", untagged},
		{"", "v0.0.0-20261127130040-af0faae4aaaa", untagged},
		{"", "v0.0.0-20261127130040-af0faae4aaaa+dirty", untagged},
	} {
		if got := versionOf(c.told, c.ofModule); got != c.want {
			t.Errorf("told %q, module %q: got %s, want %s", c.told, c.ofModule, got, c.want)
		}
	}
}
