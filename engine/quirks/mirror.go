package quirks

// These are the repairable quirks of agents of version 2: of the mirror, the service and the model
// server monitor.
const (
	Q33  Quirk = 33  // agent_service.py:69: v2 passes the number of a server type for its name
	Q144 Quirk = 144 // tfs_monitor.py:281: a reload adds the default model to its argument
	Q178 Quirk = 178 // zk_mirror.py:173: num_tce_replica raises
	Q179 Quirk = 179 // zk_mirror.py:668: stop raises after an election
	Q180 Quirk = 180 // zk_mirror.py:144: children are found by prefix, and repeated
	Q181 Quirk = 181 // zk_mirror.py:500: a publish that is changed is not stored
	Q182 Quirk = 182 // zk_mirror.py:291: models are found by suffix
	Q183 Quirk = 183 // zk_mirror.py:527: resources are not watched where their path is missing
	Q184 Quirk = 184 // zk_mirror.py:533: a znode that disappears before its watch is set is cached as None
	Q185 Quirk = 185 // zk_mirror.py:495: unloading something that is not cached is a KeyError
	Q186 Quirk = 186 // zk_mirror.py:341: a node that is not a replica of a task is a ValueError
	Q187 Quirk = 187 // zk_mirror.py:430: a second request for a model is ignored
	Q188 Quirk = 188 // zk_mirror.py:645: a restart forgets the portal, the resources and the election
	Q192 Quirk = 192 // zk_mirror.py:632: winning the election does not set the flag of a leader
)
