// Package job has the programs of a training job's processes: the chief, the workers and the PS,
// assembled from the packages of the training side as cpu_training.py does.
//
// Two things to use first:
//
//   - [Main] runs one process until its end.
//   - [Options] says which process it is, and what it shares with the others.
//
// Nothing is really computed: a step takes its time and counts. Everything around it is the port:
// discovery, restore, sessions, hooks, barriers, saves, exports, and retries after failures.
//
// To change:
//
//   - what chief and workers do: worker.go
//   - their hooks: hooks.go
//   - a PS: ps.go, and its parameter sync: sync.go
//   - what is written for a checkpoint or an export: data.go and export.go
//   - what a process tells of its waits: waits.go
//
// The retry loop, [process.tryOften], differs from that of cputraining.Run: a session that a restarted
// PS has ended is made again at once, which TensorFlow does inside the estimator that Run calls. A chief
// that is started again (RestartAfter) finds its PS only where it ended without a word of its own, as
// by a kill: its errors end them.
//
// # Cost
//
// A worker's step is two waits and two reads of variables. While it finds what the last step found
// it is only counted ([session.Link.Coast]). Before training, each worker tries the addresses of
// chief and PS, a fifth of the square of the workers here. What grows with the square of all
// processes is discovery by ZooKeeper. Each process watches the znodes of all
// (service_discovery.py:318) and reads each one when it appears. It reads each again when that
// process registers again every half hour: 1.4 million reads each time with 1,000 workers and 200
// PS.
//
// An hour with steps of 1 s (BenchmarkTrainingHour of runners/test/simrun) takes:
//
//	1,000 workers, ZooKeeper          25 million events, 8 million of them leapt over
//	1,000 workers, TF_CONFIG or MLP   9.5 million events, in a third of the time
//	100 workers                       1.5 million events
//	10 workers                        0.15 million events
//
// Unstable: any commit may change it.
package job
