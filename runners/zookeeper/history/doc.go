// Package history runs concurrent clients on a ZooKeeper server, records what each asked,
// was answered and when, and checks the record against what ZooKeeper promises: writes are
// linearizable, and so are reads after a sync; other reads see the writes in order and
// never go back.
//
// Two things to use first:
//
//   - [Workload.Run] returns the history of some clients on some znodes.
//   - [History.Linearizable] and [History.FollowsCommits] check it. The first knows only the
//     clients' answers and searches for an order; the second replays the order of the
//     server's own log, which is fast and finds more.
//
// Package sim/zookeeper/history checks simulated clients against the same promises. The two
// share no replay. That package trusts the commits and knows watches, children and multis.
// Here an operation is one of four on one znode, so each answer can be predicted, failures
// too, and each commit has to belong to a client.
//
// To change
//
//   - what clients do: workload.go
//   - what a znode is to both checks: znode.go
//
// Unstable: any commit may change it.
package history
