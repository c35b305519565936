package java

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// Goal: Text decodes bytes as Java's new String(b, UTF_8) does, and encodes the result as Java
// sends it. Method: cases for each branch of Java's decoder (ZK-1.10). sim/zookeeper/recorded has
// recordings of real servers for other bytes.
func TestText(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"", ""}, {"/a", "/a"}, {"/é模", "/é模"}, {"\xed\x9f\xbf\xee\x80\x80", "\ud7ff\ue000"},
		{"a\xffb", "a?b"}, {"\x80\xbf", "??"}, {"\xc0\x80", "??"}, {"\xc3", "?"}, {"\xc3x", "?x"},
		{"\xe6", "?"}, {"\xe6\xa8", "?"}, {"\xe6\xa8x", "?x"}, {"\xe6x", "?x"}, {"\xe0\x80\x80", "???"},
		{"\xed\xa0\xbd", "?"}, {"\xed\xa0", "?"}, {"\xed\xa0x", "?x"},
		{"\xf0", "?"}, {"\xf0\x9f", "?"}, {"\xf0\x9f\x98", "?"}, {"\xf0\x9fx", "?x"}, {"\xf0\x9f\x98x", "?x"},
		{"\xf0\x80\x80\x80", "????"}, {"\xf4\x90\x80\x80", "????"}, {"\xf5\x80\x80\x80", "????"}, {"\xf0x", "?x"},
		{"😀", "\xed\xa0\xbd\xed\xb8\x80"}, {"\U0010ffff", "\xed\xaf\xbf\xed\xbf\xbf"},
	} {
		want := strings.ReplaceAll(c.want, "?", "\ufffd")
		got := Text([]byte(c.bytes))
		if got != want {
			t.Errorf("%q: got %q, want %q", c.bytes, got, want)
		}
		if twice := Text([]byte(UTF8(got))); twice != got {
			t.Errorf("%q: encoded and decoded again got %q, want %q", c.bytes, twice, got)
		}
	}
	if got := UTF8(Text([]byte("a😀b\U0010ffff"))); got != "a😀b\U0010ffff" {
		t.Errorf("got %q, want the characters again", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("a\xf0\x9f\x98\x80\xed\xa0\xbd"))
	f.Fuzz(func(t *testing.T, b []byte) {
		text := Text(b)
		if again := Text([]byte(UTF8(text))); again != text {
			t.Errorf("%q: got %q, encoded and decoded again %q", b, text, again)
		}
		var want uint32
		for _, unit := range utf16.Encode([]rune(UTF8(text))) {
			want = 31*want + uint32(unit)
		}
		if got := Hash(text); got != want || Hash(UTF8(text)) != want {
			t.Errorf("%q: got the hashes %d and %d, want %d", b, got, Hash(UTF8(text)), want)
		}
	})
}

// Goal: paths are listed in the order in which a real server listed them from its set.
func TestSetsAreListedByBucket(t *testing.T) {
	var paths []string
	for i := range 12 {
		paths = append(paths, fmt.Sprintf("/od/e%d", i*7919))
	}
	paths = Copied(Copied(paths, 16, Spread), CloneBuckets(len(paths)), Spread)
	want := "e71271 e55433 e0 e47514 e23757 e87109 e79190 e39595 e63352 e15838 e7919 e31676"
	if got := strings.ReplaceAll(strings.Join(paths, " "), "/od/", ""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := []uint32{Buckets(8, 6), Buckets(8, 7), Buckets(16, 12), Buckets(16, 13), CloneBuckets(0), CloneBuckets(2), CloneBuckets(5), CloneBuckets(6), CloneBuckets(12)}; !slices.Equal(got, []uint32{8, 16, 16, 32, 1, 4, 8, 16, 32}) {
		t.Errorf("got tables of %d", got)
	}
}

// Goal: sets with crowded buckets are in Java's order, also after removals. Method: sets that OpenJDK 17 has
// filled and cloned; a line has the first number of buckets, what came (+) and went (-), the order of the
// set, and that of its clone.
func TestCrowdedSetsAreInJavasOrder(t *testing.T) {
	data, err := os.ReadFile("testdata/sets.txt")
	if err != nil {
		t.Fatal(err)
	}
	member := func(text string) Member { return Member{text, Spread(text)} }
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		first, err := strconv.ParseUint(parts[0], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		table := NewTable(uint32(first))
		for op := range strings.SplitSeq(parts[1], ",") {
			if op[0] == '+' {
				table.Add(op[1:])
			} else {
				table.Remove(op[1:])
			}
		}
		table.set = table.set.Clone()
		listed := table.Listed()
		if got := strings.Join(listed, ","); got != parts[2] {
			t.Errorf("set of %s:\ngot  %s\nwant %s", parts[1], got, parts[2])
		}
		Ordered(Filled(listed, CloneBuckets(len(listed)), member), listed, member)
		if got := strings.Join(listed, ","); got != parts[3] {
			t.Errorf("clone of %s:\ngot  %s\nwant %s", parts[2], got, parts[3])
		}
	}
}
