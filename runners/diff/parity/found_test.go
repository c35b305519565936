package parity

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Goal: a quirk that exploring cannot find is in the register, is one that the engine has, and was not found.
func TestFoundAndUnreached(t *testing.T) {
	const sight = "Q208\tbound\t67\tv3 1x3\n"
	for _, c := range []struct{ found, unreached, wrong string }{
		{sight, "Q316\tit costs 5 s\n", ""},
		{sight, "", ""},
		{sight, "Q208\tno story shows it\n", "which features/museum/found.txt has, too"},
		{sight, "Q28\tonly the fake wrapper shows it\n", ""},
		{sight, "Q24\tthe engine runs no Python\n", "found Q24 with the decision diverge"},
		{sight, "Q" + "99999\tthere is none\n", "99999"},
		{sight, "Q316\n", "features/museum/unreached.txt:1: "},
		{"Q208\n", "", "features/museum/found.txt:1: "},
	} {
		files := fstest.MapFS{foundFile: {Data: []byte(c.found)}, unreachedFile: {Data: []byte(c.unreached)}}
		err := (&evidence{}).readFound(files)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%q and %q: found %v, want %q", c.found, c.unreached, err, c.wrong)
		}
	}
}
