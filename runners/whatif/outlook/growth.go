package outlook

import (
	"fmt"
	"time"
)

// What the reference's agents ask ZooKeeper for, counted at several sizes (N agents of M
// models). Version 1 reads each replica of each agent twice at the start, when its watch
// is left and when it is announced, and once a minute. Version 3 reads all services after
// each change of a binding but for changes that come while it reads.
const (
	startReadsV1 = 2.0  // N² M
	startReadsV3 = 10.4 // N²
)

// longestStart is when a start counts as over, however little was read.
const longestStart = 3 * time.Minute

func (s Size) agents() float64 { return float64(s.Agents) }

// pairs returns an agent and a replica that it watches.
func (s Size) pairs() float64 { return s.agents() * s.agents() * float64(s.Models) }

// StartReads returns the reads of the start.
func (s Size) StartReads() float64 {
	if s.Version == 1 {
		return startReadsV1 * s.pairs()
	}
	return startReadsV3 * s.agents() * s.agents()
}

// Reads are those of the whole run. An agent of version 3 reads nothing once all is there
// but what is for itself.
func (s Size) Reads() float64 {
	if s.Version == 1 {
		return s.StartReads() + s.pairs()*s.For.Minutes()
	}
	return s.StartReads()
}

// started returns the part of the start that is done, 1 for all.
func (s Size) started(far Far) float64 {
	if far.Now >= min(longestStart, s.For) || s.StartReads() == 0 {
		return 1
	}
	return min(float64(far.Reads)/s.StartReads(), 1)
}

// grows names the number that makes a run large.
func (s Size) grows() string {
	if s.Version == 1 {
		return fmt.Sprintf("what grows are the replicas that agents of version 1 watch: %d agents squared x %d models = %s",
			s.Agents, s.Models, Count(s.pairs()))
	}
	return fmt.Sprintf("what grows are the reads of the start of agents of version 3: 10 x %d agents squared = %s", s.Agents, Count(s.StartReads()))
}

// A run of more reads than worthSaying is said to be one before it begins, with the time
// that it takes when a read takes fastRead at least.
const (
	worthSaying = 2e9
	fastRead    = 5 * time.Nanosecond
)

// Warning says of a run that will take long why it will, "" of any other.
func (o *Outlook) Warning() string {
	reads := o.size.Reads()
	if reads < worthSaying {
		return ""
	}
	least := time.Duration(reads * float64(fastRead))
	return fmt.Sprintf("%s reads of ZooKeeper are ahead, which take %v at the least; %s", Count(reads), least.Round(time.Second), o.size.grows())
}
