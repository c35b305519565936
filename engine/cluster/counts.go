package cluster

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Stats holds the counts of a run, its length, and the hash of all its events.
type Stats struct {
	// TraceHash is the rolling hash of the run. Two runs with equal hashes did the same. It is 0 if
	// the runner computes none.
	TraceHash uint64
	// Virtual is how much cluster time has passed.
	Virtual time.Duration
	Counts
}

// Counts holds what was counted from the start of a run. Each field is a number, or a map from
// names to numbers. The tag json is its name for programs, and the tag text its name for people. If
// fields share a line, the part of text after the comma says what the number counts.
type Counts struct {
	// ZooKeeperWrites counts the requested writes, including refused ones. Each operation of a
	// transaction counts.
	ZooKeeperWrites uint64 `json:"zookeeper_writes" text:"ZooKeeper writes"`
	// WatchesFired counts the notifications that ZooKeeper sent.
	WatchesFired uint64 `json:"zookeeper_watches_fired" text:"ZooKeeper watches fired"`
	// WatchesSet counts the watches that clients set. Each of them is later used up by an event, or
	// removed (by the client, or with its connection or server), or is still held.
	WatchesSet      uint64 `json:"zookeeper_watches_set" text:"ZooKeeper watches,set"`
	WatchesUsedUp   uint64 `json:"zookeeper_watches_used_up" text:"ZooKeeper watches,used up"`
	WatchesRemoved  uint64 `json:"zookeeper_watches_removed" text:"ZooKeeper watches,removed"`
	WatchesHeld     uint64 `json:"zookeeper_watches_held" text:"ZooKeeper watches,held"`
	SessionsOpened  uint64 `json:"zookeeper_sessions_opened" text:"ZooKeeper sessions,opened"`
	SessionsExpired uint64 `json:"zookeeper_sessions_expired" text:"ZooKeeper sessions,expired"`
	// ZooKeeperRequests counts the requests to ZooKeeper by operation, such as "create".
	ZooKeeperRequests map[string]uint64 `json:"zookeeper_requests" text:"ZooKeeper requests"`
	// RPCs counts the gRPC calls that have ended, by method, such as "/package.Service/Method".
	RPCs map[string]uint64 `json:"rpcs" text:"gRPC calls"`
	// Messages counts the messages that hosts sent over the network.
	Messages uint64 `json:"messages" text:"messages on the network"`
	// Events counts the events of the simulation's engine.
	Events uint64 `json:"events" text:"events of the engine"`
}

// CountLine is one line in a list of counts that people read.
type CountLine struct{ Name, Text string }

// Lines formats the counts for people, in the order of the fields. The function number formats a
// number. Of a method's name only the part after the last slash is shown.
func (c Counts) Lines(number func(n uint64) string) []CountLine {
	var lines []CountLine
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		name, unit, _ := strings.Cut(v.Type().Field(i).Tag.Get("text"), ",")
		text := countText(v.Field(i).Interface(), unit, number)
		if last := len(lines) - 1; last >= 0 && lines[last].Name == name {
			lines[last].Text += ", " + text
			continue
		}
		lines = append(lines, CountLine{Name: name, Text: text})
	}
	return lines
}

// countText words one field.
func countText(field any, unit string, number func(n uint64) string) string {
	byName, ok := field.(map[string]uint64)
	if !ok {
		return strings.TrimSpace(number(field.(uint64)) + " " + unit)
	}
	if len(byName) == 0 {
		return "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		parts = append(parts, name[strings.LastIndexByte(name, '/')+1:]+" "+number(byName[name]))
	}
	return strings.Join(parts, ", ")
}
