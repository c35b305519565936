package runners

import "time"

// Act is an action on a cluster, planned for a time of its run.
type Act struct {
	At time.Duration
	// Text describes the act for people.
	Text string
	// Do performs the act. Cluster time passes only as long as the act takes. An error says what
	// failed, or which expectation did not hold.
	Do func(c Cluster) error
	// Until is when an act that waits for something ends at the latest. For other acts it equals
	// At.
	Until time.Duration
	// Checks says that the act is an assertion, which changes nothing in the cluster.
	Checks bool
}
