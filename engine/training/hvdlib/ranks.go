package hvdlib

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// EnableBPSWords reads MONOLITH_WITH_BYTEPS as the Rust port does: words for yes and no, else
// whether it is a number other than 0 (TRN-4.8).
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

// Ranks holds the rank of a process in its job and on its host.
type Ranks struct{ Rank, Size, LocalRank, LocalSize int }

// RanksOf reads the ranks of a process from its environment as the Rust port does (TRN-4.8). For
// each number the first variable that is set decides: those of the library, then those of MPI, then
// those without a prefix. Values that are no number are 0 for a rank and 1 for a size.
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

// firstSet returns the number in the first variable that is set, or least if that is larger or none
// is set.
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
