// Package threading has events, locks, queues, futures and groups for the tasks of one process,
// with the meaning of Python's threading and queue. They use only env.Tasks and env.Cond, and so
// behave the same in real time and in virtual time.
//
//   - [Event] is a flag to wait for.
//   - [Lock] keeps other tasks out across a call that may wait. Data that is only touched
//     between two calls to env needs no lock, because env runs one task of a process at a time.
//
// A lock that is unlocked, or an item that is put in a queue, goes directly to the task that has
// waited longest. So waiting is fair, and the same in every run.
//
// [NewLoop] is for a task that polls, [NewBeat] for one that waits in a fixed cycle. Virtual time
// skips the turns of both that would change nothing.
//
// A limit on waiting always means the same: a negative one waits for ever; 0 does not wait and lets
// no other task run. The name given to a constructor appears in reports of waiting tasks. If a task
// is unwound while it waits, what it was given goes to the next one.
//
// Unstable: any commit may change it.
package threading
