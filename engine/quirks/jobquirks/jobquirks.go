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
	Q196 quirks.Quirk = 196 // monolith/utils.py:63: copying one after the other ignores max_retries
	Q197 quirks.Quirk = 197 // mem_profiling.py:22: LD_PRELOAD begins with an empty item
	Q198 quirks.Quirk = 198 // tpu_runner.py:375: a step that is no number is not caught; line 362: evaluating needs a batch size
	Q200 quirks.Quirk = 200 // runner_utils.py:273: waiting for a restore has no end
	Q201 quirks.Quirk = 201 // runner_utils.py:72: a state that is read well by the last read is an error
	Q202 quirks.Quirk = 202 // runner_utils.py:104: a checkpoint that is not there becomes the current one
	Q237 quirks.Quirk = 237 // barrier_ops.py:71: a callback that raises leaves the barrier, or the flag, set
	Q238 quirks.Quirk = 238 // barrier_ops.py:112: a barrier that is placed again within a poll goes unnoticed
	Q239 quirks.Quirk = 239 // barrier_ops.py:120, sync_hooks.py:105: a worker that died counts as blocked, and as alive
	Q240 quirks.Quirk = 240 // ps_check_hooks.py:65: what the check of the PS health raises ends it
	Q241 quirks.Quirk = 241 // controller_hooks.py:156: an unknown action is not answered
	Q242 quirks.Quirk = 242 // save_utils.py:361: step 0 of a dense saver is not saved, and one step twice
	Q243 quirks.Quirk = 243 // save_utils.py:333: a save that is asked for may be none
	Q244 quirks.Quirk = 244 // save_utils.py:125: a monolith_checkpoint that is not UTF-8 raises
	Q245 quirks.Quirk = 245 // session_run_hooks.py:27: hours without minutes raise when they are equal
	Q246 quirks.Quirk = 246 // session_run_hooks.py:44: a window over midnight never closes
	Q247 quirks.Quirk = 247 // save_utils.py:903: an emptied list of exempt checkpoints leaves the old one
	Q251 quirks.Quirk = 251 // runner_utils.py:316: a chief with nothing to restore leaves the others waiting
	Q253 quirks.Quirk = 253 // estimator.py:210: the defaults of RunConfig count for nothing
	Q254 quirks.Quirk = 254 // estimator.py:191: a process restores, or waits, before it knows what the code says
	Q255 quirks.Quirk = 255 // distribution_utils.py:94: a line that is printed needs UCX_NET_DEVICES
	Q256 quirks.Quirk = 256 // distribution_utils.py:284: with BytePS for all each call begins anew
	Q257 quirks.Quirk = 257 // cpu_training.py:2105: an error while looking for the cluster again is told as success
	Q259 quirks.Quirk = 259 // estimator.py:87: to replace the mode of a spec asks for a mode that it has not
	Q260 quirks.Quirk = 260 // estimator.py:474: evaluating leaves its mode
	Q261 quirks.Quirk = 261 // cpu_training.py:1780: the look at the addresses of no PS is a ValueError
	Q271 quirks.Quirk = 271 // nested_tensors.py:63: None in the tuple of isinstance is a TypeError
	Q290 quirks.Quirk = 290 // service_discovery.py:354: a second registration leaves the thread of the first
	Q300 quirks.Quirk = 300 // consul.py:123: the heartbeat ends at the second request after one that failed
	Q301 quirks.Quirk = 301 // consul.py:70: a look-up with a cache takes its lock twice
	Q302 quirks.Quirk = 302 // consul.py:95: a look-up that is answered with an error finds nobody
	Q303 quirks.Quirk = 303 // consul.py:123: the heartbeat goes on after a deregistration, and registers nothing again
	Q304 quirks.Quirk = 304 // consul.py:112: registrations take the path of the agent's socket for a host
	Q310 quirks.Quirk = 310 // cpu_training.py:1978: a training that fails leaves TF_CONFIG behind
	Q311 quirks.Quirk = 311 // saved_model_exporters.py:566: an empty TF_CONFIG does not come back
	Q312 quirks.Quirk = 312 // datasets.py:358: a default of False hides the flag is_hourly
	Q313 quirks.Quirk = 313 // save_utils.py:1283: clearing variables does not miss the checkpoint
	Q314 quirks.Quirk = 314 // save_utils.py:1296: without a directory for the mark variables are cleared each time
	Q315 quirks.Quirk = 315 // cluster_manager.py:67: the chief takes PS that are gone from its file
	Q316 quirks.Quirk = 316 // cluster_manager.py:175: a file that is looked at once is looked at twice
	Q324 quirks.Quirk = 324 // barrier_ops.py:112: a worker that loses its session at a barrier counts as blocked
	Q326 quirks.Quirk = 326 // service_discovery.py:265: registering sets the znode of another session
	Q327 quirks.Quirk = 327 // cpu_training.py:2122: a chief that fails ends its PS
	Q330 quirks.Quirk = 330 // save_utils.py:882: the directory of a checkpoint is taken for a pattern
	Q331 quirks.Quirk = 331 // parameter_sync_tf_bridge.cc:71: what a push fails to bring is not sent again
	Q332 quirks.Quirk = 332 // barrier_ops.py:64: a worker that begins clears the action of a barrier
)
