// Package jobquirks has the faults of training jobs of the reference which package quirks keeps or
// repairs, each by its number in vectors/quirks.yaml.
//
// Two things to use first:
//
//   - [Q239] and its neighbours are what Set.Keeps is asked for.
//   - [Set] has those that are kept; package quirks reads one from a flag.
//
// To make another one repairable, add its number here and call Keeps in the code that has it.
//
// Unstable: any commit may change it.
package jobquirks

import "github.com/monosim/monosim/engine/quirks"

// Set is the set of the reference's faults that a training job keeps.
type Set = quirks.Set

// These are the quirks of the training side that can be repaired.
const (
	Q195 quirks.Quirk = 195 // monolith/utils.py:74: errors of copying threads are lost
	Q196 quirks.Quirk = 196 // monolith/utils.py:63: sequential copying ignores max_retries
	Q197 quirks.Quirk = 197 // mem_profiling.py:22: LD_PRELOAD begins with an empty item
	Q198 quirks.Quirk = 198 // tpu_runner.py:375: a non-numeric step is not caught; line 362: evaluation needs a batch size
	Q200 quirks.Quirk = 200 // runner_utils.py:273: the wait for a restore by the chief has no time limit
	Q201 quirks.Quirk = 201 // runner_utils.py:72: a checkpoint state that only the last attempt could read is an error
	Q202 quirks.Quirk = 202 // runner_utils.py:104: a checkpoint that does not exist can become the current one
	Q237 quirks.Quirk = 237 // barrier_ops.py:71: a callback that raises leaves the barrier or the worker's flag set
	Q238 quirks.Quirk = 238 // barrier_ops.py:112: a barrier that is placed again between two polls goes unnoticed
	Q239 quirks.Quirk = 239 // barrier_ops.py:120, sync_hooks.py:105: a worker that died counts as blocked or alive
	Q240 quirks.Quirk = 240 // ps_check_hooks.py:65: an exception in the check of the PS health ends the checks
	Q241 quirks.Quirk = 241 // controller_hooks.py:156: an unknown action is not answered
	Q242 quirks.Quirk = 242 // save_utils.py:361: a dense saver never saves step 0, and can save one step twice
	Q243 quirks.Quirk = 243 // save_utils.py:333: a save that was asked for may not be made
	Q244 quirks.Quirk = 244 // save_utils.py:125: a monolith_checkpoint that is not UTF-8 raises
	Q245 quirks.Quirk = 245 // session_run_hooks.py:27: a window of two equal hours without minutes raises
	Q246 quirks.Quirk = 246 // session_run_hooks.py:44: a window over midnight never closes
	Q247 quirks.Quirk = 247 // save_utils.py:903: emptying the list of exempt checkpoints leaves the old list in force
	Q251 quirks.Quirk = 251 // runner_utils.py:316: a chief with nothing to restore leaves the others waiting
	Q253 quirks.Quirk = 253 // estimator.py:210: RunConfig's own defaults have no effect
	Q254 quirks.Quirk = 254 // estimator.py:191: a process restores, or waits, before it knows settings made in code
	Q255 quirks.Quirk = 255 // distribution_utils.py:94: the line that prints UCX_NET_DEVICES raises if it is not set
	Q256 quirks.Quirk = 256 // distribution_utils.py:284: with BytePS for all, each call initializes again
	Q257 quirks.Quirk = 257 // cpu_training.py:2105: an error while finding the cluster again is reported as success
	Q259 quirks.Quirk = 259 // estimator.py:87: replacing a spec's mode is an AttributeError: a spec has no mode
	Q260 quirks.Quirk = 260 // estimator.py:474: an evaluation leaves the configuration in the mode eval
	Q261 quirks.Quirk = 261 // cpu_training.py:1780: looking at the PS addresses of a job without PS is a ValueError
	Q271 quirks.Quirk = 271 // nested_tensors.py:63: None in the tuple of isinstance is a TypeError
	Q290 quirks.Quirk = 290 // service_discovery.py:354: the thread of a first registration goes on after a second one
	Q300 quirks.Quirk = 300 // consul.py:123: the heartbeat ends at the second request after one that failed
	Q301 quirks.Quirk = 301 // consul.py:70: a look-up with a cache takes its lock twice
	Q302 quirks.Quirk = 302 // consul.py:95: a look-up that is answered with an error finds nobody
	Q303 quirks.Quirk = 303 // consul.py:123: the heartbeat goes on after a deregistration, and registers nothing again
	Q304 quirks.Quirk = 304 // consul.py:112: registrations take the path of the agent's socket for a host
	Q310 quirks.Quirk = 310 // cpu_training.py:1978: a training that fails leaves TF_CONFIG behind
	Q311 quirks.Quirk = 311 // saved_model_exporters.py:566: an empty TF_CONFIG is not restored after an export
	Q312 quirks.Quirk = 312 // datasets.py:358: a default of False hides the flag is_hourly
	Q313 quirks.Quirk = 313 // save_utils.py:1283: a restore that clears variables does not notice a missing checkpoint
	Q314 quirks.Quirk = 314 // save_utils.py:1296: without the mark's directory, variables are cleared at each restore
	Q315 quirks.Quirk = 315 // cluster_manager.py:67: the chief takes PS addresses from its file that are out of date
	Q316 quirks.Quirk = 316 // cluster_manager.py:175: a single look for the file of PS addresses looks twice
	Q324 quirks.Quirk = 324 // barrier_ops.py:112: a worker that loses its session at a barrier counts as blocked
	Q326 quirks.Quirk = 326 // service_discovery.py:265: registering sets the znode of another session
	Q327 quirks.Quirk = 327 // cpu_training.py:2122: a chief that fails ends its PS
	Q330 quirks.Quirk = 330 // save_utils.py:882: the directory of a checkpoint is taken for a pattern
	Q331 quirks.Quirk = 331 // parameter_sync_tf_bridge.cc:71: what a push fails to deliver is not sent again
	Q332 quirks.Quirk = 332 // barrier_ops.py:64: a worker whose session begins clears the action of a barrier
)
