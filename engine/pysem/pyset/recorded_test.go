package pyset_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/pyset"
)

// Goal: sets iterate in the same order as in Python. Method: compare with what testdata/record.py
// has recorded from two versions of Python with many hash seeds.

type recorded struct {
	Seed  uint32
	Op    string
	Keys  []string
	Other []string
	Out   []string
}

func TestSetsAreWalkedAsPythonsUnderAHashSeed(t *testing.T) {
	for _, minor := range []int{8, 11} {
		file, err := os.Open(fmt.Sprintf("testdata/recorded-3.%d.jsonl", minor))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		cases := 0
		for lines := bufio.NewScanner(file); lines.Scan(); cases++ {
			var c recorded
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			h := pyset.HashingOf(env.Python{Minor: minor, HashSeed: c.Seed})
			if diff := cmp.Diff(c.Out, order(h, c)); diff != "" {
				t.Errorf("3.%d, PYTHONHASHSEED=%d, %s of %q and %q (-python +got):\n%s", minor, c.Seed, c.Op, c.Keys, c.Other, diff)
			}
		}
		if cases < 100 {
			t.Errorf("3.%d: found %d recorded cases, want 100 or more", minor, cases)
		}
	}
}

// pair is a dataclass of two strings, like the agents' SavedModel.
type pair [2]string

var pairs = pyset.Kind[pair]{
	Hash:    func(h pyset.Hashing, p pair) int64 { return pyset.Tuple(h.String(p[0]), h.String(p[1])) },
	Compare: func(a, b pair) int { return strings.Compare(a[0]+":"+a[1], b[0]+":"+b[1]) },
}

func order(h pyset.Hashing, c recorded) []string {
	switch c.Op {
	case "hash":
		var hashes []string
		for _, key := range c.Keys {
			hashes = append(hashes, strconv.FormatInt(h.String(key), 10))
		}
		return hashes
	case "set":
		return pyset.Strings(h, c.Keys...).Keys()
	case "minus":
		return pyset.Strings(h, c.Keys...).Minus(pyset.Strings(h, c.Other...)).Keys()
	case "dicts":
		return pyset.StringsOfDict(h, c.Keys).Minus(pyset.StringsOfDict(h, c.Other)).Keys()
	}
	models := func(names []string) *pyset.Words[pair] {
		w := pyset.NewWords(h, pairs)
		for _, name := range names {
			model, subGraph, _ := strings.Cut(name, ":")
			w.Add(pair{model, subGraph})
		}
		return w
	}
	var names []string
	for _, p := range models(c.Keys).Minus(models(c.Other)).Keys() {
		names = append(names, p[0]+":"+p[1])
	}
	return names
}

// Goal: without a hash seed, sets iterate in the sorted order of their keys.
func TestWithoutAHashSeedSetsAreSorted(t *testing.T) {
	got := pyset.Strings(pyset.Hashing{}, "ps_1", "entry", "ps_0").Minus(pyset.Strings(pyset.Hashing{}, "ps_2")).Keys()
	if diff := cmp.Diff([]string{"entry", "ps_0", "ps_1"}, got); diff != "" {
		t.Error(diff)
	}
}
