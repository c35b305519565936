package quirks

// The quirks that the training side can repair.
const (
	Q200 Quirk = 200 // runner_utils.py:273: waiting for a restore has no end
	Q202 Quirk = 202 // runner_utils.py:104: a checkpoint that is not there becomes the current one
	Q237 Quirk = 237 // barrier_ops.py:71: a callback that raises leaves the barrier, or the flag, set
	Q238 Quirk = 238 // barrier_ops.py:112: a barrier that is placed again within a poll goes unnoticed
	Q239 Quirk = 239 // barrier_ops.py:120, sync_hooks.py:105: a worker that died counts as blocked, and as alive
	Q240 Quirk = 240 // ps_check_hooks.py:65: what the check of the PS health raises ends it
	Q241 Quirk = 241 // controller_hooks.py:156: an unknown action is not answered
	Q242 Quirk = 242 // save_utils.py:361: step 0 of a dense saver is not saved, and one step twice
	Q243 Quirk = 243 // save_utils.py:333: a save that is asked for may be none
	Q244 Quirk = 244 // save_utils.py:125: a monolith_checkpoint that is not UTF-8 raises
	Q245 Quirk = 245 // session_run_hooks.py:27: hours without minutes raise when they are equal
	Q246 Quirk = 246 // session_run_hooks.py:44: a window over midnight never closes
	Q247 Quirk = 247 // save_utils.py:903: an emptied list of exempt checkpoints leaves the old one
	Q251 Quirk = 251 // runner_utils.py:316: a chief with nothing to restore leaves the others waiting
	Q300 Quirk = 300 // consul.py:123: the heartbeat ends at the second request after one that failed
	Q303 Quirk = 303 // consul.py:123: the heartbeat goes on after a deregistration, and registers nothing again
)
