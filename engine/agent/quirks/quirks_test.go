package quirks

import (
	"testing"
)

func TestQuirksReadAndPrint(t *testing.T) {
	for _, text := range []string{"python", "fixed", "Q22,Q117", "Q152", "-Q22,-Q117", "-Q152"} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if q.String() != text {
			t.Errorf("ParseQuirks(%q) prints %q", text, q)
		}
	}
	for _, text := range []string{"", "22", "Q", "Q" + "0", "Q" + "999", "Q1,,Q2", "-", "-Q1,Q2", "Q1,-Q2"} {
		if q, err := Parse(text); err == nil {
			t.Errorf("ParseQuirks(%q) = %v, want an error", text, q)
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
