package hvdlib

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// EnableBPSWords parses MONOLITH_WITH_BYTEPS as the Rust port does. It accepts words for yes and
// no. Other values are true if they are a number other than 0 (TRN-4.8).
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

// Ranks holds a process's rank in its job and on its host, and the number of processes in the job
// and on the host.
type Ranks struct{ Rank, Size, LocalRank, LocalSize int }

// RanksOf reads a process's ranks from its environment as the Rust port does (TRN-4.8). Each number
// comes from the first variable that is set: the library's, then MPI's, then the one without a
// prefix. A value that is not a number counts as 0 for a rank and as 1 for a size.
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

// firstSet returns the number in the first variable that is set. It returns least if the number is
// smaller than least or not valid, or if no variable is set.
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
