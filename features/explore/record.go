package explore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/wholefile"
)

// Sight says where a quirk was first found as the cause of a failure.
type Sight struct {
	Quirk, What string
	// After is the number of stories in the explored worlds that had run by then.
	After int
	World string
}

// heading begins a record.
const heading = `# The quirks that monosim explore has found as causes: by which invariant, after how many stories
# of the worlds that were explored, and in which world. make museum writes it.
`

// ReadRecord reads a record file, and returns its sights by quirk.
func ReadRecord(path string) (map[string]Sight, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := ParseRecord(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return list, nil
}

// ParseRecord parses a record of which world first showed which quirk. The result's keys are
// the ids of the quirks.
func ParseRecord(data []byte) (map[string]Sight, error) {
	seen := map[string]Sight{}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		var s Sight
		fields := strings.Split(line, "\t")
		if len(fields) == 4 {
			s = Sight{Quirk: fields[0], What: fields[1], World: fields[3]}
			_, err := fmt.Sscanf(fields[2], "%d", &s.After)
			if err == nil && s.After > 0 && quirkOf(s.Quirk) > 0 && seen[s.Quirk].After == 0 {
				seen[s.Quirk] = s
				continue
			}
		}
		return nil, fmt.Errorf("%d: found %q, want a quirk that no line before has, an invariant, a number of stories, and a world, with tabs between", i+1, line)
	}
	return seen, nil
}

// ParseUnreached parses the list of quirks that exploring cannot find. It has one line for each
// quirk, with its id, a tab, and the reason.
func ParseUnreached(data []byte) (map[string]string, error) {
	list := map[string]string{}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		id, why, _ := strings.Cut(line, "\t")
		if quirkOf(id) == 0 || why == "" || list[id] != "" {
			return nil, fmt.Errorf("%d: found %q, want a quirk that no line before has, a tab, and why exploring cannot find it", i+1, line)
		}
		list[id] = why
	}
	return list, nil
}

// Record adds to a record file what a hunt has found. Quirks that the hunt did not find keep their
// lines.
func Record(path string, t *Tally) error {
	seen, err := ReadRecord(path)
	if errors.Is(err, fs.ErrNotExist) {
		seen, err = map[string]Sight{}, nil
	}
	if err != nil {
		return err
	}
	now := map[string]Sight{}
	for _, f := range t.Found {
		for id := range strings.SplitSeq(f.Cause, " and ") {
			if quirkOf(id) > 0 && (now[id].After == 0 || f.After < now[id].After) {
				now[id] = Sight{id, f.What, f.After, f.World}
			}
		}
	}
	maps.Copy(seen, now)
	text := bytes.NewBufferString(heading)
	for _, id := range slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return int(quirkOf(a)) - int(quirkOf(b)) }) {
		s := seen[id]
		fmt.Fprintf(text, "%s\t%s\t%d\t%s\n", s.Quirk, s.What, s.After, s.World)
	}
	return wholefile.Write(path, text.Bytes())
}
