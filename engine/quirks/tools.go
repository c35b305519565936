package quirks

// These are the repairable quirks of the model manager, the commands, the clients and the instance
// files.
const (
	Q54  Quirk = 54  // agent_controller.py:122: decl ignores the model name
	Q55  Quirk = 55  // agent_controller.py:46: the oldest version counts as the latest
	Q58  Quirk = 58  // agent_controller.py:80: hidden files become sub-graphs
	Q61  Quirk = 61  // agent_client.py:136: get lock looks where the mirror keeps no locks
	Q67  Quirk = 67  // client.py:106: client and tfs_client call a function that does not exist
	Q68  Quirk = 68  // client.py:118: client reads flags that it does not define
	Q71  Quirk = 71  // svr_client.py:47: a server type by name is a NameError
	Q100 Quirk = 100 // model_manager.py:173: an orphan read lock fails every start
	Q102 Quirk = 102 // model_manager.py:189: versions are compared as strings
	Q103 Quirk = 103 // model_manager.py:299: models with a common prefix are copied too
	Q104 Quirk = 104 // model_manager.py:228: a leftover copy counts as complete
	Q105 Quirk = 105 // model_manager.py:302: unfinished directories are locked too
	Q106 Quirk = 106 // model_manager.py:143: one old version is removed per round
	Q135 Quirk = 135 // tfs_client.py:48: the list of valid slots is empty, so profiling always fails
	Q136 Quirk = 136 // tfs_client.py:235: user_features is not defined
	Q168 Quirk = 168 // utils.py:1021: an instance cannot be written as text to a named file
	Q234 Quirk = 234 // tfs_client.py:396: meta asks for fields that no server has
	Q235 Quirk = 235 // tfs_client.py:413: load exits with 1
	Q317 Quirk = 317 // svr_client.py:38: the host's name is looked up even if MY_HOST_IP gives the address
	Q318 Quirk = 318 // agent_client.py:182: unload without a model withdraws the request for a model None
)
