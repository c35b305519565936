package validate

import (
	"os"
	"testing"
)

// Goal: the simulation agrees with the closed forms, as in `go run ./cmd/bench validate`. The
// nightly tests check all cases, other tests the short list.
func TestClosedForms(t *testing.T) {
	if testing.Short() {
		t.Skip("the closed forms take minutes under the race detector; the whole tests have them")
	}
	outcomes, err := RunAll(All(os.Getenv("MONOSIM_NIGHTLY") == ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range outcomes {
		t.Log(outcomes[i].String())
	}
	if err := Judge(outcomes); err != nil {
		t.Error(err)
	}
}

// Goal: a wrong closed form makes the suite fail. A suite that passes anything would show nothing.
func TestAWrongFormIsFound(t *testing.T) {
	c := queues(0.5, true)[0]
	c.Theory *= 1.2
	o, err := c.Run()
	if err != nil {
		t.Fatal(err)
	}
	if Judge([]Outcome{o}) == nil {
		t.Errorf("a form that is 20 %% off passes: %s", o.String())
	}
}
