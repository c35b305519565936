package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: `monosim consul` serves until a signal tells it to stop. It refuses flags that make no
// sense.

func TestConsulServes(t *testing.T) {
	s := serveTwin(t, "consul", "--speed", "60x")
	response, err := http.Get("http://" + s.addr + "/v1/lookup/name?name=job")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "[]" {
		t.Errorf("got %q %v, want an empty list", body, err)
	}
	s.terminate()
}

func TestConsulFlagsThatMakeNoSense(t *testing.T) {
	s := serveTwin(t, "consul")
	defer s.terminate()
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--listen: other machines reach 0.0.0.0:0; want an address as 127.0.0.1:2280, or --allow-remote", []string{"--listen", "0.0.0.0:0"}},
		{`--speed: "0x", want a number from 0.001x to 1000000x, as 60x`, []string{"--speed", "0x"}},
		{"--admin: ", []string{"--listen", "127.0.0.1:0", "--admin", "0.0.0.0:0"}},
		{"choose another port, or 0 for any that is free", []string{"--listen", s.addr}},
	} {
		root := newRootCommand()
		var out bytes.Buffer
		root.SetArgs(append([]string{"consul"}, c.args...))
		root.SetOut(&out)
		root.SetErr(&out)
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), c.want) || command.ExitCode(err) != command.ExitBadInput {
			t.Errorf("%v: got %v, want exit 2 and %q", c.args, err, c.want)
		}
	}
}
