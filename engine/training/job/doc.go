// Package job has the programs of a training job's processes: the chief, the workers and the
// PS, put together from the rooms of the training side as cpu_training.py does.
//
// Two things to use first:
//
//   - [Main] runs one process until its end.
//   - [Options] says which one it is, and what it shares with the others.
//
// What a step computes is no part of it: a step takes its time and counts. Everything around
// it is the port: discovery, restore, sessions, hooks, barriers, saves, exports, tries after
// failures.
//
// To change:
//
//   - what chief and workers do: worker.go
//   - their hooks: hooks.go
//   - a PS: ps.go
//   - what is written for a checkpoint or an export: data.go and export.go
//
// The exporter, barriers, savers, restore and cluster are those rooms themselves. The loop that
// tries again, [process.tryOften], is not that of cputraining.Run, whose chief ends the PS and the
// application on each error: here a chief that has failed may be started again (RestartAfter) and
// finds its PS; a session that a restarted PS has ended is made again at once, which TensorFlow
// does inside of the estimator that Run calls; and who fails while looking for the cluster again
// goes on trying where the error is one that passes.
//
// Cost: a step of a worker is two waits and two reads of variables; as long as it finds what
// the last one has found it is but counted ([session.Link.Coast]). Each worker tries the addresses
// of chief and PS before it trains, a fifth of the square of the workers here. What grows with the
// square of all processes is discovery by ZooKeeper: each of them watches the znodes of all
// (service_discovery.py:318), reads each when it comes, and again when it is registered anew every
// half hour, 1.4 million reads each time with 1,000 workers and 200 PS. An hour of those with steps
// of 1 s (BenchmarkTrainingHour of runners/test/simrun) is 25 million events, of which 8 are leapt over,
// and 9.5 million in a quarter of the time where TF_CONFIG or MLP says where all are. With 100
// workers it is 1.5 million, with 10 it is 0.15.
package job
