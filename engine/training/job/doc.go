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
// The retry loop, [process.tryOften], differs from that of cputraining.Run: if a restarted PS has ended
// a session, the loop makes a new one at once. TensorFlow does that inside the estimator that Run calls.
// A chief that is started again (RestartAfter) finds its PS still running only if it was killed. A chief
// that ends with an error also ends its PS.
//
// # Cost
//
// A worker's step is two waits and two reads of variables. While a step reads the same values as the
// last one, it is only counted ([session.Link.Coast]). Before training, each worker connects to the
// chief and to each PS: with one PS for five workers, the number of connections is a fifth of the
// square of the number of workers. Discovery by ZooKeeper grows with the square of the number of
// processes. Each process watches the znodes of all (service_discovery.py:318), and reads each one when
// it appears. It reads each again when its owner registers again every half hour: 1.4 million reads
// each time with 1,000 workers and 200 PS.
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
