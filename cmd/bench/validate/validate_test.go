package validate

import (
	"os"
	"testing"
)

// `go run ./cmd/bench validate`, at night whole and else in its short form.
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

// A suite that says yes to anything shows nothing.
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
