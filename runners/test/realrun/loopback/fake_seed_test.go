package loopback

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners"
)

// Goal: the fake model server chooses by the run's seed which model has its next version, so
// that it is not always the first model. Other profiles choose nothing at random.
func TestTheFakeDrawsByTheSeed(t *testing.T) {
	store, err := openDisks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		profile string
		seed    uint64
		flag    string
	}{{fakeProfile, 7, "--monosim_seed=7"}, {fakeProfile, 0, "--monosim_seed=1"}, {"tfs-2.4", 7, ""}} {
		c := &Cluster{o: Options{TimeScale: 1}, disks: store, spec: runners.Spec{ModelServer: test.profile, Seed: test.seed}}
		flags := (&pod{c: c, ip: "127.0.0.2"}).servingFlags()
		got := ""
		for _, f := range flags {
			if strings.HasPrefix(f, "--monosim_seed=") {
				got = f
			}
		}
		if got != test.flag {
			t.Errorf("%s, seed %d: want the flag %q, got %q", test.profile, test.seed, test.flag, got)
		}
	}
}
