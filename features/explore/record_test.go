package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Goal: a record holds the first sight of each quirk that a hunt found, and keeps the others. A
// damaged record is refused before anything is written.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "found.txt")
	hunts := []*Tally{
		{Found: []*Found{{What: "bound", Cause: "Q208", After: 40, World: "v3 1x3"}, {What: "listed", Cause: "Q41 and Q208", After: 30, World: "v3 2x2"}, {What: "INV-1", Cause: "TRN-2.8", After: 9}, {What: "noise", After: 1}}},
		{Found: []*Found{{What: "servers", Cause: "Q20", After: 7, World: "dense"}, {What: "serves", Cause: "Q41", After: 99, World: "v3 1x3"}}},
	}
	for _, h := range hunts {
		if err := Record(path, h); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimPrefix(string(text), heading), "Q20\tservers\t7\tdense\nQ41\tserves\t99\tv3 1x3\nQ208\tlisted\t30\tv3 2x2\n"; got != want {
		t.Errorf("record:\n%s\nwant:\n%s", got, want)
	}
	for _, bad := range []string{"Q20\tservers\t7", "Q20\tservers\tseven\tdense", "20\tservers\t7\tdense", "Q20\ta\t1\tw\nQ20\tb\t2\tw"} {
		if err := os.WriteFile(path, []byte(bad+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Record(path, hunts[0]); err == nil || !strings.Contains(err.Error(), path+":") {
			t.Errorf("record %q: found error %v, want one with its file and line", bad, err)
		}
		if now, _ := os.ReadFile(path); string(now) != bad+"\n" {
			t.Errorf("record %q was written over", bad)
		}
	}
}

// Goal: the guide says how many quirks make museum has to find, which are those of the record.
func TestTheGuideSaysHowManyAreFound(t *testing.T) {
	seen, err := ReadRecord(filepath.Join("..", "museum", "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("finds\n%d of the reference again", len(seen)); !strings.Contains(string(guide), want) {
		t.Errorf("README.md: found no %q, the number of quirks in features/museum/found.txt", want)
	}
}

// Goal: the list of what exploring cannot find has a reason for each quirk, and each once.
func TestUnreached(t *testing.T) {
	list, err := ParseUnreached([]byte("# why\nQ27\tno server answers so\n\nQ316\tit costs 5 s\n"))
	if err != nil || len(list) != 2 || list["Q316"] != "it costs 5 s" {
		t.Errorf("found %v (%v), want two quirks with their reasons", list, err)
	}
	for _, bad := range []string{"Q27", "Q27\t", "27\tno server", "Q27\ta\nQ27\tb"} {
		if _, err := ParseUnreached([]byte(bad)); err == nil {
			t.Errorf("%q: found no error, want one", bad)
		}
	}
}
