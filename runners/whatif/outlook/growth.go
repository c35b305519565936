package outlook

import (
	"fmt"
	"time"
)

// Coefficients of the number of reads in a start, counted in runs of the reference's agents
// at several sizes (N agents of M models). An agent of version 1 reads each replica of each
// agent twice at the start, when it sets its watch and when it hears of the replica, and
// then once a minute. An agent of version 3 reads all services after each change of a
// binding, except for changes during such a read.
const (
	startReadsV1 = 2.0  // N² M
	startReadsV3 = 10.4 // N²
)

// longestStart is the virtual time after which a start counts as over, however little was
// read.
const longestStart = 3 * time.Minute

func (s Size) agents() float64 { return float64(s.Agents) }

// pairs returns the number of pairs of an agent and a replica that the agent watches.
func (s Size) pairs() float64 { return s.agents() * s.agents() * float64(s.Models) }

// StartReads returns the expected number of reads during the start.
func (s Size) StartReads() float64 {
	if s.Version == 1 {
		return startReadsV1 * s.pairs()
	}
	return startReadsV3 * s.agents() * s.agents()
}

// Reads returns the expected number of reads in the whole run. After the start, an agent of
// version 3 reads only its own znodes.
func (s Size) Reads() float64 {
	if s.Version == 1 {
		return s.StartReads() + s.pairs()*s.For.Minutes()
	}
	return s.StartReads()
}

// started returns how much of the start is done, from 0 to 1.
func (s Size) started(far Far) float64 {
	if far.Now >= min(longestStart, s.For) || s.StartReads() == 0 {
		return 1
	}
	return min(float64(far.Reads)/s.StartReads(), 1)
}

// grows describes the quantity that makes a run large.
func (s Size) grows() string {
	if s.Version == 1 {
		return fmt.Sprintf("what grows are the replicas that agents of version 1 watch: %d agents squared x %d models = %s",
			s.Agents, s.Models, Count(s.pairs()))
	}
	return fmt.Sprintf("what grows are the reads of the start of agents of version 3: 10 x %d agents squared = %s", s.Agents, Count(s.StartReads()))
}

// worthSaying is the smallest number of reads for which a run gets a warning before it begins.
// fastRead is the time per read with which the warning estimates the run's duration.
const (
	worthSaying = 2e9
	fastRead    = 5 * time.Nanosecond
)

// Warning says why a run will take long. It returns "" for a short run.
func (o *Outlook) Warning() string {
	reads := o.size.Reads()
	if reads < worthSaying {
		return ""
	}
	least := time.Duration(reads * float64(fastRead))
	return fmt.Sprintf("%s reads of ZooKeeper are ahead, which take %v at the least; %s", Count(reads), least.Round(time.Second), o.size.grows())
}
