package parity

import "slices"

// What a recorded answer shows of order, log lines and metrics. The keys are those of
// runners/diff/testee/PROTOCOL.md.

// turnKeys are lists of an answer in which each entry is a call from a watch or from a
// thread, in their order: what a layout or a leader was called with, what watches put
// into the queue, which watches were called, and what threads did.
var turnKeys = []string{"calls", "events", "cb", "threads"}

// countTurns counts what shows when callbacks and threads ran. That a step's "thread" is
// "turns" says that a thread of the reference ran by itself; its name alone says nothing.
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

// runningSequences are the operations whose recorder runs all threads that the reference
// starts, in time that only sleeping moves, at least in the cases that have a log. The log of their answers, entries of a time in
// ms, a name and a value, is in the order of the threads' turns.
var runningSequences = []string{
	"agent_service.AgentService.sequence",
	"agent_v1.AgentV1.sequence",
	"agent_v3.AgentV3.sequence",
	"model_manager.ModelManager.sequence",
	"replica_manager.ReplicaManager.sequence",
	"tfs_client.ProfileThread.sequence",
	"tfs_monitor.TFSMonitor.sequence",
}

// countTimedTurns counts the entries of the log of an answer to such an operation.
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

// showsOrder reports whether the case is a sequence in which more than one thing ran by
// itself, so that there is an order to keep.
func (r *recordedCase) showsOrder() bool { return r.sequence && r.turns > 1 }

// logLevels are the levels of absl's log by their names.
var logLevels = []string{"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "FATAL"}

// countLogLines counts the entries of a list that have the form [level, text]: a text
// without a level does not show that the level is the same, and no list of events is one
// of lines.
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

// countMetrics counts the entries of a list that say a client, what was told, and a
// value; [client, "flush"] names no metric.
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
