package runners

import "time"

// Act is something to do to a cluster at a time of its run.
type Act struct {
	At time.Duration
	// Text describes the act for people.
	Text string
	// Do performs the act. It lets no more cluster time pass than the act takes. Its error
	// says what failed, or which expectation did not hold.
	Do func(c Cluster) error
	// Until is the latest end of an act that waits for something. For other acts it equals
	// At.
	Until time.Duration
}
