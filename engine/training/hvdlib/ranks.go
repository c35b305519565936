package hvdlib

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// EnableBPSWords returns MONOLITH_WITH_BYTEPS as the Rust port reads it: words for yes and no,
// else whether it is a number other than 0 (TRN-4.8).
func EnableBPSWords(host env.Host) bool {
	text, _ := host.LookupEnv("MONOLITH_WITH_BYTEPS")
	switch text = strings.ToLower(strings.TrimSpace(text)); text {
	case "1", "true", "yes", "y", "on":
		return true
	case "0", "false", "no", "n", "off":
		return false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n != 0
}

// Ranks say which of a job's processes one is, and which of those on its host.
type Ranks struct{ Rank, Size, LocalRank, LocalSize int }

// RanksOf reads the ranks of a process from its environment as the Rust port does
// (TRN-4.8): of each the first variable that is set decides, those of the library before those
// of MPI before those without a prefix. What is no number is 0 for a rank, and 1 for a size.
func RanksOf(host env.Host, bytePS bool) Ranks {
	names := func(name, generic string) []string {
		if bytePS {
			return []string{"BYTEPS_" + name, generic}
		}
		return []string{"HOROVOD_" + name, "OMPI_COMM_WORLD_" + name, generic}
	}
	return Ranks{
		Rank: firstSet(host, 0, names("RANK", "RANK")), Size: firstSet(host, 1, names("SIZE", "WORLD_SIZE")),
		LocalRank: firstSet(host, 0, names("LOCAL_RANK", "LOCAL_RANK")), LocalSize: firstSet(host, 1, names("LOCAL_SIZE", "LOCAL_WORLD_SIZE")),
	}
}

// firstSet returns the number in the first variable that is set, least where it is less or none.
func firstSet(host env.Host, least int, names []string) int {
	for _, name := range names {
		if text, ok := host.LookupEnv(name); ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				return least
			}
			return max(n, least)
		}
	}
	return least
}
