package project

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/wholefile"
)

// Last lists the scenarios that failed in their most recent run, for one set of paths.
type Last struct {
	file   string
	Failed []Scenario `json:"failed"`
}

// Scenario identifies a scenario, or a row of an outline, by its title and the row's values. It has
// no line number, so that edits above the scenario do not matter.
type Scenario struct {
	Path string `json:"path"`
	Name string `json:"name"`
}

// LastOf reads which scenarios of the given paths failed in their most recent run. The file lies in
// the folder monosim of the user's cache (XDG_CACHE_HOME or ~/.cache on Linux). Its name is a hash
// of the absolute paths.
func LastOf(paths []string) (*Last, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{here}, paths...), "\x00")))
	l := &Last{file: filepath.Join(cache, "monosim", fmt.Sprintf("last-failed-%x.json", sum[:8]))}
	text, err := os.ReadFile(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(text, l)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.file, err)
	}
	return l, nil
}

// Has reports whether a scenario failed in its most recent run.
func (l *Last) Has(path, name string) bool { return slices.Contains(l.Failed, Scenario{path, name}) }

// Keep saves which scenarios failed in this run. ran maps every scenario that ran to whether it
// failed. The entries of other scenarios stay as they were.
func (l *Last) Keep(ran map[Scenario]bool) error {
	failed := slices.DeleteFunc(slices.Clone(l.Failed), func(s Scenario) bool { _, did := ran[s]; return did })
	for one, did := range ran {
		if did {
			failed = append(failed, one)
		}
	}
	slices.SortFunc(failed, func(a, b Scenario) int {
		return strings.Compare(a.Path+"\x00"+a.Name, b.Path+"\x00"+b.Name)
	})
	if len(failed) == 0 && len(l.Failed) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(Last{Failed: failed}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o777); err != nil {
		return err
	}
	return wholefile.Write(l.file, append(text, '\n'))
}
