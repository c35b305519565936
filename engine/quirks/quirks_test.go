package quirks

import (
	"testing"
)

func TestQuirksReadAndPrint(t *testing.T) {
	for _, text := range []string{"python", "fixed", "Q22,Q117", "Q152", "-Q22,-Q117", "-Q152", "python,Q25=fork", "fixed,Q25=fork", "-Q22,Q25=fork"} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if q.String() != text {
			t.Errorf("ParseQuirks(%q) prints %q", text, q)
		}
	}
	for _, text := range []string{"", "22", "Q", "Q" + "0", "Q" + "999", "Q1,,Q2", "-", "-Q1,Q2", "Q1,-Q2", "Q25=forks", "Q25=fork,Q22", "Q22=fork", ",Q25=fork"} {
		if q, err := Parse(text); err == nil {
			t.Errorf("ParseQuirks(%q) = %v, want an error", text, q)
		}
	}
}

func TestTheForksFormOfQ25StandsBesideAnySet(t *testing.T) {
	for _, c := range []struct {
		text        string
		fork, keeps bool
	}{{"Q25=fork", true, true}, {"fixed,Q25=fork", true, false}, {"python", false, true}} {
		q, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if q.InFork(Q25) != c.fork || q.InFork(Q22) || q.Keeps(Q22) != c.keeps {
			t.Errorf("%q: got the fork's form of Q25 %t, of Q22 %t, Q22 kept %t; want %t, false, %t", c.text, q.InFork(Q25), q.InFork(Q22), q.Keeps(Q22), c.fork, c.keeps)
		}
	}
}

func TestListedQuirksAreKeptAndOthersRepaired(t *testing.T) {
	q := keepOnly(Q22)
	if !q.Keeps(Q22) || q.Keeps(Q25) {
		t.Errorf("keepOnly(Q22): Q22 %v, Q25 %v; want true, false", q.Keeps(Q22), q.Keeps(Q25))
	}
	q = Python.Repair(Q22)
	if q.Keeps(Q22) || !q.Keeps(Q25) {
		t.Errorf("Python.Repair(Q22): Q22 %v, Q25 %v; want false, true", q.Keeps(Q22), q.Keeps(Q25))
	}
}
