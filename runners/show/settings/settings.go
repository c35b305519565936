// Package settings lists what scenarios may set: settings of agents and jobs, version policies,
// and error codes.
//
// Two things to use first: [List] has all, each with its type, default and meaning; monosim steps
// settings prints it.
//
// To change:
//
//   - a setting of agents: the field in engine/agent/agentconfig, and its meaning in agents.go
//   - a setting of jobs: the field in engine/cluster/training.go, and its meaning in jobs.go
//
// Unstable: any commit may change it.
package settings

import (
	"reflect"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// Setting describes a setting, or an error code that a scenario may name.
type Setting struct {
	// Of is the kind: "agent", "job", "policy of a layout", "policy of a config" or "error code".
	Of   string `json:"of"`
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	// Default is the default value, written as the configuration file would have it.
	Default string `json:"default,omitempty"`
	Meaning string `json:"meaning"`
}

// List returns all settings, grouped by kind.
func List() []Setting {
	list := fields("agent", "py", reflect.TypeFor[agentconfig.AgentConfig](), agents)
	list = append(list, fields("job", "yaml", reflect.TypeFor[cluster.TrainingSpec](), jobs)...)
	list = append(list, policies...)
	for code := rpcerrors.OK; code <= rpcerrors.Unauthenticated; code++ {
		list = append(list, Setting{Of: "error code", Name: code.String(), Meaning: codes[code.String()]})
	}
	return list
}

// fields lists the settings of a struct: its fields that have the given tag.
func fields(of, tag string, t reflect.Type, meanings map[string]string) []Setting {
	var list []Setting
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			list = append(list, fields(of, tag, f.Type, meanings)...)
			continue
		}
		name, ok := f.Tag.Lookup(tag)
		if !ok || name == "-" {
			continue
		}
		s := Setting{Of: of, Name: name, Type: typeName(f), Meaning: meanings[name]}
		if s.Default = strings.Trim(f.Tag.Get("default"), "'"); s.Default == "" && of == "agent" {
			s.Default = zero(f.Type)
		}
		list = append(list, s)
	}
	return list
}

// typeName describes in words which values a field takes.
func typeName(f reflect.StructField) string {
	if words := f.Tag.Get("words"); words != "" {
		return "one of " + strings.Join(strings.Fields(words), ", ")
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "duration, as 90s"
	case t.Kind() == reflect.Struct: // an optional value
		t = t.Field(0).Type
	case t.Kind() == reflect.Slice:
		return "list of texts"
	}
	return map[reflect.Kind]string{reflect.String: "text", reflect.Bool: "true or false", reflect.Int: "whole number", reflect.Int64: "whole number", reflect.Float64: "number"}[t.Kind()]
}

// zero returns the zero value of a type in the notation of agent.conf, such as False.
func zero(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "False"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "0"
	}
	return "None"
}

var policies = []Setting{
	{Of: "policy of a layout", Name: "latest", Meaning: "the newest version, for: is declared with policy"},
	{Of: "policy of a layout", Name: "latest_once", Meaning: "the newest version while none is available, and then no later one"},
	{Of: "policy of a layout", Name: "all", Meaning: "every version that is there"},
	{Of: "policy of a layout", Name: "specific", Meaning: "the versions that the declaration names"},
	{Of: "policy of a config", Name: "latest N", Meaning: "the N newest versions, for: the config of ... has the policy"},
	{Of: "policy of a config", Name: "latest_once", Meaning: "the newest version while none is available, and then no later one"},
	{Of: "policy of a config", Name: "latest_once N", Meaning: "the same for the N newest versions, as only monolith's fork has it"},
	{Of: "policy of a config", Name: "all", Meaning: "every version that is there"},
	{Of: "policy of a config", Name: "specific V, V", Meaning: "these versions"},
}

var codes = map[string]string{
	"OK":                  "the call has succeeded",
	"CANCELLED":           "the caller gave the call up, or its channel was closed",
	"UNKNOWN":             "an error without a code: what Python raises in a handler, or a load that failed",
	"INVALID_ARGUMENT":    "the request makes no sense, as an unknown label or platform",
	"DEADLINE_EXCEEDED":   "no answer came before the deadline; the server may go on",
	"NOT_FOUND":           "the model server does not know the model or the version",
	"ALREADY_EXISTS":      "what is to be made is there, as a barrier",
	"PERMISSION_DENIED":   "the caller may not",
	"RESOURCE_EXHAUSTED":  "a message is too large, or memory is used up",
	"FAILED_PRECONDITION": "the server is in the wrong state, as for a label of a version that is not available",
	"ABORTED":             "the call was given up by the server",
	"OUT_OF_RANGE":        "a position beyond the end",
	"UNIMPLEMENTED":       "the server does not have the method",
	"INTERNAL":            "a fault of the server",
	"UNAVAILABLE":         "nobody takes the connection, or it ended",
	"DATA_LOSS":           "data cannot be read any more",
	"UNAUTHENTICATED":     "the caller is not known",
}
