package parity

import "slices"

// These functions count what a recorded answer shows of order, log lines and metrics. The
// keys are those of runners/diff/testee/PROTOCOL.md.

// turnKeys are the keys of lists whose entries are calls from watches or threads, in their
// order: calls of a layout or a leader, entries that watches queued, watches that were
// called, and actions of threads.
var turnKeys = []string{"calls", "events", "cb", "threads"}

// countTurns counts the callbacks and turns of threads that an answer shows. A step whose "thread"
// is "turns" had a thread of the reference run by itself; the name alone shows nothing.
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

// runningSequences lists the operations whose recorder runs all threads of the reference,
// in time that only sleeps move. The log of an answer has entries of a time in ms, a name
// and a value, in the order of the threads' turns.
var runningSequences = []string{
	"agent_service.AgentService.sequence",
	"agent_v1.AgentV1.sequence",
	"agent_v3.AgentV3.sequence",
	"model_manager.ModelManager.sequence",
	"replica_manager.ReplicaManager.sequence",
	"tfs_client.ProfileThread.sequence",
	"tfs_monitor.TFSMonitor.sequence",
}

// countTimedTurns counts the entries of the log of an answer to one of runningSequences.
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

// showsOrder reports whether more than one thing ran by itself in the case, so that their
// order counts.
func (r *recordedCase) showsOrder() bool { return r.sequence && r.turns > 1 }

// logLevels are the levels of absl's log by their names.
var logLevels = []string{"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "FATAL"}

// countLogLines counts the entries of a list that have the form [level, text]. A text without a
// level does not count, because the level may be another; a list of events has no such entries.
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

// countMetrics counts the entries [client, call, value] of a list; [client, "flush"] names
// no metric.
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
