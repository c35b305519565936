package runners

import "time"

// Act is something that is done to a cluster at a time of its run.
type Act struct {
	At time.Duration
	// Text says what, for people.
	Text string
	// Do does it, and lets no more time pass than that takes. An error says what went
	// wrong, or what was not as it should be.
	Do func(c Cluster) error
	// Until is when it may be over at the latest, where it waits for something; else At.
	Until time.Duration
}
