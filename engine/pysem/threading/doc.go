// Package threading has what the tasks of one process share: events, locks, queues,
// futures and groups, with the meaning of Python's threading and queue. They are built
// on env.Tasks and env.Cond alone, and so are the same under both clocks.
//
// Two things to use first:
//
//   - [Event] is a flag to wait for.
//   - [Lock] keeps other tasks out across a call that may block. Data that is
//     touched between calls to env only needs none, for env runs one task of a
//     process at a time.
//
// Locks and queues hand over directly: what is freed belongs to the task that has
// waited longest, before any other can take it. So waiting is fair, and the same in
// every run.
//
// [NewLoop] is a task that polls, [NewBeat] waits in a circle: virtual time leaves out of both what
// would be as before.
//
// Every limit has the same meaning: a negative one waits without end; 0 does not wait
// at all and lets no other task run. Every name given to a constructor appears in
// reports of tasks that wait. A task that is unwound while it waits leaves no trace:
// what it was given goes to the next one.
//
// To change the order of hand-over, or what happens to a hand-over whose receiver is
// being unwound, look in waiters.go; the rest has a file per noun.
package threading
