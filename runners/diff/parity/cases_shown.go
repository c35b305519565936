package parity

import "slices"

// These functions count the callbacks, log lines and metrics that a recorded answer shows. The
// names of its fields are explained in runners/diff/testee/PROTOCOL.md.

// turnKeys lists fields of answers that hold, in order, calls made by watches or threads: calls for
// a layout or a leader, events queued by watches, watches that were called, and actions of threads.
var turnKeys = []string{"calls", "events", "cb", "threads"}

// countTurns counts the callbacks and thread turns that an answer shows. The field "thread" counts
// only with the value "turns", which means that the reference's thread ran by itself. A mere name
// shows nothing.
func countTurns(key string, v any) int {
	if key == "thread" {
		return one(v == "turns")
	}
	list, ok := v.([]any)
	if !ok || !slices.Contains(turnKeys, key) {
		return 0
	}
	return len(list)
}

// runningSequences lists operations for which all threads of the reference ran when the answer was
// recorded. Time passed only by sleeps. Each entry of the answer's log has a time in ms, a name and
// a value, and they are in the order of the threads' turns.
var runningSequences = []string{
	"agent_service.AgentService.sequence",
	"agent_v1.AgentV1.sequence",
	"agent_v3.AgentV3.sequence",
	"consul.Client.threads.sequence",
	"controller_hooks.QueryActionHook.threads.sequence",
	"cpu_training.MetricsHeartBeatThread.sequence",
	"model_manager.ModelManager.sequence",
	"net_utils.NodeAliveChecker.sequence",
	"ps_check_hooks.PsHealthCheckerHook.threads.sequence",
	"replica_manager.ReplicaManager.sequence",
	"service_discovery.ZKServiceDiscovery.threads.sequence",
	"tfs_client.ProfileThread.sequence",
	"tfs_monitor.TFSMonitor.sequence",
}

// countTimedTurns counts the log entries in an answer to one of the runningSequences.
func countTimedTurns(op string, out any) (n int) {
	answer, _ := out.(map[string]any)
	log, _ := answer["log"].([]any)
	if !slices.Contains(runningSequences, op) {
		return 0
	}
	for _, entry := range log {
		turn, _ := entry.([]any)
		if len(turn) != 3 {
			continue
		}
		_, hasTime := turn[0].(float64)
		_, hasName := turn[1].(string)
		n += one(hasTime && hasName)
	}
	return n
}

// showsOrder reports whether several things ran by themselves in the case, so that the answer
// depends on their order.
func (r *recordedCase) showsOrder() bool { return r.sequence && r.turns > 1 }

// logLevels lists the names of the levels of absl's log.
var logLevels = []string{"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "FATAL"}

// countLogLines counts the entries of a list that have the form [level, text]. A text without a
// level does not count, because the port's level might differ. Lists of events have no such
// entries.
func countLogLines(v any) (n int) {
	list, _ := v.([]any)
	for _, entry := range list {
		line, _ := entry.([]any)
		if len(line) != 2 {
			continue
		}
		level, hasLevel := line[0].(string)
		text, hasText := line[1].(string)
		n += one(hasLevel && hasText && text != "" && slices.Contains(logLevels, level))
	}
	return n
}

// countMetrics counts the entries of a list that have the form [client, call, value]. [client,
// "flush"] does not count, because it names no metric.
func countMetrics(v any) (n int) {
	list, _ := v.([]any)
	for _, entry := range list {
		metric, _ := entry.([]any)
		if len(metric) < 3 {
			continue
		}
		_, hasClient := metric[0].(string)
		name, hasName := metric[1].(string)
		n += one(hasClient && hasName && name != "")
	}
	return n
}
