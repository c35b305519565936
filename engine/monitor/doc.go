// Package monitor has what threads of one process share: events, locks, queues,
// futures and groups. They are built on env.Tasks and env.Cond alone, and so are
// the same under both clocks.
//
// Two things to use first:
//
//   - [Event], a flag to wait for, as Python's threading.Event.
//   - [Lock], which keeps others out across a call that may block. Data that is
//     touched between env calls only needs none: the process's monitor does that.
//
// Locks and queues hand over directly: what is freed belongs to the task that
// has waited longest before any other can take it, so waiting is fair and its
// order is that of the calls.
//
// Every limit has the same meaning: a negative one waits without end, 0 does not
// wait at all and lets no other task run.
//
// To change the order of hand-over, or what happens to a hand-over whose
// receiver is being unwound, look in waiters.go; the rest has a file per noun.
package monitor
