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
	Q184 Quirk = 184 // zk_mirror.py:533: a znode that is gone before its watch is cached as None
	Q185 Quirk = 185 // zk_mirror.py:495: an unload of what is not cached is a KeyError
	Q186 Quirk = 186 // zk_mirror.py:341: what is no replica of a task is a ValueError
	Q187 Quirk = 187 // zk_mirror.py:430: a second request for a model is ignored
	Q188 Quirk = 188 // zk_mirror.py:645: after a restart portal, resources and election are left out
	Q192 Quirk = 192 // zk_mirror.py:632: an elected leader is no leader
)
