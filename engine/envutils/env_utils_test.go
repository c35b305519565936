package envutils_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/envutils"
)

// Goal: a variable that is empty is as one that is not there, and the line that is printed has the
// credentials (env_utils.py:27).
func TestCredentialsOfAContainer(t *testing.T) {
	for _, c := range []struct {
		vars   map[string]string
		auth   [][2]string
		output string
	}{
		{nil, nil, ""},
		{map[string]string{"ZK_AUTH": ""}, nil, ""},
		{map[string]string{"ZK_AUTH": "user:password"}, [][2]string{{"digest", "user:password"}}, "ZK_AUTH user:password\n"},
	} {
		host := envtest.New(nil, c.vars).Host
		if diff := cmp.Diff(c.auth, envutils.ZKAuthData(host)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.vars, diff)
		}
		if got := envutils.ZKAuthOutput(host); got != c.output {
			t.Errorf("%v: got %q, want %q", c.vars, got, c.output)
		}
	}
}

// Goal: kazoo keeps its own pauses unless Q322 is repaired.
func TestPausesOfAnOutage(t *testing.T) {
	host := envtest.New(nil, map[string]string{"ZK_AUTH": "user:password"}).Host
	for _, c := range []struct {
		doubles bool
		want    time.Duration
	}{{true, 0}, {false, 10 * time.Second}} {
		got := envutils.ZooKeeperOptions(host, c.doubles)
		if got.MaxPause != c.want || len(got.Auth) != 1 {
			t.Errorf("%v: got %+v, want a pause of %v and the credentials", c.doubles, got, c.want)
		}
	}
}
