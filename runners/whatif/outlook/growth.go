package outlook

import (
	"fmt"
	"time"
)

// Reads per start, counted in runs of the reference's agents at several sizes (N agents of
// M models). Version 1 reads each replica of each agent twice at the start, when it sets
// its watch and when it hears of the replica, and then once a minute. Version 3 reads all
// services after each change of a binding, except for changes that come while it reads.
const (
	startReadsV1 = 2.0  // N² M
	startReadsV3 = 10.4 // N²
)

// longestStart is when a start counts as over, however little has been read.
const longestStart = 3 * time.Minute

func (s Size) agents() float64 { return float64(s.Agents) }

// pairs returns the number of pairs of an agent and a replica that it watches.
func (s Size) pairs() float64 { return s.agents() * s.agents() * float64(s.Models) }

// StartReads returns the expected reads of the start.
func (s Size) StartReads() float64 {
	if s.Version == 1 {
		return startReadsV1 * s.pairs()
	}
	return startReadsV3 * s.agents() * s.agents()
}

// Reads returns the expected reads of the whole run. After the start an agent of version 3
// reads nothing but its own znodes.
func (s Size) Reads() float64 {
	if s.Version == 1 {
		return s.StartReads() + s.pairs()*s.For.Minutes()
	}
	return s.StartReads()
}

// started returns the part of the start that is done, from 0 to 1.
func (s Size) started(far Far) float64 {
	if far.Now >= min(longestStart, s.For) || s.StartReads() == 0 {
		return 1
	}
	return min(float64(far.Reads)/s.StartReads(), 1)
}

// grows names the quantity that makes a run large.
func (s Size) grows() string {
	if s.Version == 1 {
		return fmt.Sprintf("what grows are the replicas that agents of version 1 watch: %d agents squared x %d models = %s",
			s.Agents, s.Models, Count(s.pairs()))
	}
	return fmt.Sprintf("what grows are the reads of the start of agents of version 3: 10 x %d agents squared = %s", s.Agents, Count(s.StartReads()))
}

// A run with more reads than worthSaying gets a warning before it begins, with the time
// that it takes if each read takes fastRead.
const (
	worthSaying = 2e9
	fastRead    = 5 * time.Nanosecond
)

// Warning says why a run will take long, "" for a short run.
func (o *Outlook) Warning() string {
	reads := o.size.Reads()
	if reads < worthSaying {
		return ""
	}
	least := time.Duration(reads * float64(fastRead))
	return fmt.Sprintf("%s reads of ZooKeeper are ahead, which take %v at the least; %s", Count(reads), least.Round(time.Second), o.size.grows())
}
