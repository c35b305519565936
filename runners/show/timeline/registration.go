package timeline

import (
	"encoding/json"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// What a write of ZooKeeper has as its note, but for the error of one that was refused.
const (
	noteEphemeral   = "ephemeral"
	noteWithSession = "with its session"
)

// done reports whether a write of ZooKeeper was done.
func done(o *runners.Observation) bool {
	return o.Note == "" || o.Note == noteEphemeral || o.Note == noteWithSession
}

// registration is what a znode says of who serves what.
type registration struct {
	// Key is what is served, as "ctr:entry" in version 3 of the agents and
	// "predict_ctr/ps:0" in the others; serviceInfo is where a pod is found.
	Key string
	// Who serves it: the service of version 3, else the replica.
	Who string
	// State is that of the model, "" where none is said.
	State string
	// Addr is where, "" where the service info says so.
	Addr string
}

// serviceInfo is the key of the znodes with the addresses of a pod.
const serviceInfo = "service info"

// registered reads a znode of an agent; of others the key is the path.
func registered(path, data string) registration {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case len(parts) == 3 && parts[1] == "container_service":
		var info struct {
			GRPC string `json:"grpc"`
		}
		_ = json.Unmarshal([]byte(data), &info) // what is no JSON has no address
		return registration{Key: serviceInfo, Who: parts[2], Addr: info.GRPC}
	case len(parts) == 4 && parts[1] == "binding":
		subGraph, service, _ := strings.Cut(parts[3], ":")
		return registration{Key: parts[2] + ":" + subGraph, Who: service}
	case len(parts) >= 5 && parts[1] == "service":
		var meta struct {
			Address string `json:"address"`
			Stat    *int32 `json:"stat"`
		}
		_ = json.Unmarshal([]byte(data), &meta)
		r := registration{Key: strings.Join(parts[2:len(parts)-1], "/"), Who: parts[len(parts)-1], Addr: meta.Address}
		if meta.Stat != nil {
			r.State = env.ModelState(*meta.Stat).String()
		}
		return r
	}
	return registration{Key: path}
}
