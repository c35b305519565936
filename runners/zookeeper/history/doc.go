// Package history lets concurrent clients loose on a ZooKeeper server, records what
// each asked and was answered and when, and holds the record to what ZooKeeper
// promises: writes are linearizable, and so are reads after a sync; other reads see the
// writes in their order and never go back.
//
// Two things to use first:
//
//   - [Workload.Run]: the history of some clients on some znodes.
//   - [History.Linearizable] and [History.FollowsCommits]: the two checks. The first
//     believes only the clients and searches for an order; the second is told the
//     order by the server's own log and replays it, which is fast and says more.
//
// Package sim/zookeeper/history holds simulated clients to the same promises. The two
// share no replay: that one believes the commits and knows watches, children and
// multis; here an operation is one of four on one znode, so that each answer can be
// foretold, failures too, and each commit must be somebody's.
//
// To change what clients do look in workload.go; what a znode is to both checks, in
// znode.go.
package history
