package gotestee_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/diff/gotestee"
)

func TestAGoldenCaseIsAnsweredWithAndWithoutItsFault(t *testing.T) {
	r := gotestee.Recorded{}
	for quirks, want := range map[string]struct {
		json    string
		differs bool
	}{
		"python": {`{"e": {"type": "TypeError", "message": "'int' object is not iterable"}}`, false},
		"-Q166":  {`["ps_1", "ps_4"]`, true},
		"fixed":  {`["ps_1", "ps_4"]`, true},
		"-Q22":   {`{"e": {"type": "TypeError", "message": "'int' object is not iterable"}}`, false},
	} {
		got, err := r.Operation("utils.expand_pattern/single-numbers", quirks)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.JSON) != want.json || (got.Differs != "") != want.differs {
			t.Errorf("%s: got %s, differs %q, want %s, differs %v", quirks, got.JSON, got.Differs, want.json, want.differs)
		}
	}
}

func TestAGoldenCaseThatNobodyKnows(t *testing.T) {
	r := gotestee.Recorded{}
	for _, c := range []struct{ id, want string }{
		{"utils.expand_pattern/none", "`monosim vectors list --suite utils.expand_pattern`"},
		{"nothing.x/y", "a suite of vectors"},
	} {
		var input *runners.SpecError
		if _, err := r.Operation(c.id, "python"); !errors.As(err, &input) || !strings.Contains(input.Want, c.want) {
			t.Errorf("%s: got %v, want %q", c.id, err, c.want)
		}
	}
	if _, err := r.Operation("utils.expand_pattern/plain", "Q"); err == nil || !strings.Contains(err.Error(), `found "Q"`) {
		t.Errorf("got %v, want the fault of the quirks", err)
	}
}
