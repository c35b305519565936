package command_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
)

// Goal: a run that lasts fills no log. Method: runs of several lengths are asked for a line each
// ten seconds, some a little sooner, with the time that has passed handed in.
func TestLinesOfProgressAreSparse(t *testing.T) {
	for _, c := range []struct {
		name        string
		total, each int64 // amount of work, and the seconds that a unit of it takes
		lasts       time.Duration
		want        []string // the first lines
		most        int
	}{
		{"a short run", 100, 1, 9 * time.Second, nil, 0},
		{"a tenth in each ten seconds", 100, 1, 100 * time.Second, []string{"10s: 10", "20s: 20", "30s: 30"}, 10},
		{"a tenth in a minute", 100, 6, 10 * time.Minute, []string{"30s: 5", "1m0s: 10", "1m30s: 15"}, 20},
		{"a tenth in each second", 10, 1, 10 * time.Second, []string{"10s: 10"}, 1},
		{"one that takes an hour", 10, 3600, time.Hour - time.Second, []string{"30s: 0", "5m30s: 0", "10m30s: 0"}, 12},
		{"without an end", 0, 1, 24 * time.Hour, []string{"30s: 30", "1m0s: 60", "1m30s: 90"}, 320},
		{"a day", 1000, 86, 24 * time.Hour, []string{"30s: 0", "1m30s: 1", "3m0s: 2"}, 320},
	} {
		begin := time.Unix(0, 0)
		lines := command.NewLines(c.total, begin)
		var got []string
		for after := time.Duration(0); after <= c.lasts; after += command.Look {
			done := int64(after/time.Second) / c.each
			if line := lines.At(begin.Add(after-after%3), done, func() string { return fmt.Sprint(done) }); line != "" {
				got = append(got, fmt.Sprintf("%v: %s", after, line))
			}
		}
		if len(got) > c.most || len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) {
			t.Errorf("%s: got %d lines, want %d at most that begin with %v: %v", c.name, len(got), c.most, c.want, got[:min(len(got), 12)])
		}
	}
}
