package cluster

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Stats are the counts of a run, with its length and the hash of all that happened.
type Stats struct {
	// TraceHash is the rolling hash of the run: two runs with equal hashes did the
	// same. It is 0 where a runner keeps none.
	TraceHash uint64
	// Virtual is the cluster time that has passed.
	Virtual time.Duration
	Counts
}

// Counts are what was counted in a run from its start. Each field is a number, or
// numbers by name. Its tag json names it for programs, its tag text for people;
// after a comma in text comes what the number counts, where fields share a line.
type Counts struct {
	// ZooKeeperWrites counts the writes that ZooKeeper was asked for, refused ones
	// too; the parts of a transaction count one by one.
	ZooKeeperWrites uint64 `json:"zookeeper_writes" text:"ZooKeeper writes"`
	// WatchesFired counts the notifications that ZooKeeper sent.
	WatchesFired uint64 `json:"zookeeper_watches_fired" text:"ZooKeeper watches fired"`
	// WatchesSet counts the watches that were left, each of which then was used up by an
	// event, removed (at the client's wish, or with its connection or the server), or is held.
	WatchesSet      uint64 `json:"zookeeper_watches_set" text:"ZooKeeper watches,set"`
	WatchesUsedUp   uint64 `json:"zookeeper_watches_used_up" text:"ZooKeeper watches,used up"`
	WatchesRemoved  uint64 `json:"zookeeper_watches_removed" text:"ZooKeeper watches,removed"`
	WatchesHeld     uint64 `json:"zookeeper_watches_held" text:"ZooKeeper watches,held"`
	SessionsOpened  uint64 `json:"zookeeper_sessions_opened" text:"ZooKeeper sessions,opened"`
	SessionsExpired uint64 `json:"zookeeper_sessions_expired" text:"ZooKeeper sessions,expired"`
	// ZooKeeperRequests counts the requests to ZooKeeper by operation, as "create".
	ZooKeeperRequests map[string]uint64 `json:"zookeeper_requests" text:"ZooKeeper requests"`
	// RPCs counts the gRPC calls that have ended by method, as "/package.Service/Method".
	RPCs map[string]uint64 `json:"rpcs" text:"gRPC calls"`
	// Messages counts what hosts sent over the network.
	Messages uint64 `json:"messages" text:"messages on the network"`
	// Events counts the events of the simulation's engine.
	Events uint64 `json:"events" text:"events of the engine"`
}

// CountLine is one line of a list of counts for people.
type CountLine struct{ Name, Text string }

// Lines words the counts for people, in the order of the fields; number writes a
// number. Of the names of methods only what follows the last slash is shown.
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
