// Package simtest is the front door for Go tests of others: it starts a cluster of
// the reference's agents, ZooKeeper and model servers in virtual time, acts on it,
// and waits for what must be seen. Hours of the cluster take milliseconds, and the
// same seed always does the same.
//
// Two things to use first:
//
//   - [Start] starts the cluster of a spec for the time of a test; [Build] only
//     builds it, so that the test can act before the pods start.
//   - [Cluster.Within] waits until something is so, and [Cluster.Throughout] sees to
//     it that it stays so, in cluster time.
//
// A test in three lines:
//
//	c := simtest.Start(t, runners.Spec{Replicas: 2, Models: ctr})
//	c.RollOut("main", "ctr")
//	c.Within(95*time.Second, "both pods are listed", c.Listed("ctr:entry"))
//
// What fails ends the test with the cluster time, the seed and the command that
// repeats it; then the last things that the cluster did are logged. The seed is that
// of the spec, else of the environment variable MONOSIM_SEED, else 1.
//
// To change how a cluster starts and ends look in cluster.go; what can be done to it,
// in act.go; how tests wait, and the checks that come with the package, in wait.go.
package simtest
