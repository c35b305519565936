// Package simtest is for Go tests of other projects: it starts a cluster of the reference's
// agents, ZooKeeper and model servers in virtual time, acts on it, and waits for what has to be
// seen. Hours of the cluster take milliseconds, and the same seed always gives the same run.
//
// Two things to use first:
//
//   - [Start] starts the cluster of a spec for the time of a test; [Build] only builds it, so that
//     the test can act before the pods start.
//   - [Cluster.Within] waits until a check succeeds, and [Cluster.Throughout] checks that it keeps
//     succeeding, in cluster time.
//
// A test in three lines:
//
//	c := simtest.Start(t, runners.Spec{Replicas: 2, Models: ctr})
//	c.RollOut("main", "ctr")
//	c.Within(95*time.Second, "both pods are listed", c.Listed("ctr:entry"))
//
// A failure ends the test with the cluster time, the seed and the command that repeats it, and
// logs the last observations of the cluster. The seed is that of the spec, else of the environment
// variable MONOSIM_SEED, else 1.
//
// To change
//
//   - how a cluster starts and ends: cluster.go
//   - what can be done to it: act.go
//   - how tests wait, and the checks of this package: wait.go
package simtest
