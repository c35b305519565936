package command

import "fmt"

// Shard parses --shard, which selects the i-th of n parts, counted from 1. Both results are 0 if
// the flag is not given, which means all parts.
func Shard(text string) (i, n int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	read, err := fmt.Sscanf(text+" ", "%d/%d ", &i, &n)
	if read != 2 || err != nil || i < 1 || i > n || text != fmt.Sprintf("%d/%d", i, n) {
		return 0, 0, fmt.Errorf("--shard: found %q, want i/N with i from 1 to N, as 1/4", text)
	}
	return i, n, nil
}
