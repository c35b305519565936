package timeline

import (
	"encoding/json"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// These are the notes of successful writes to ZooKeeper. The note of a refused write is its error.
const (
	noteEphemeral   = "ephemeral"
	noteWithSession = "with its session"
)

// done reports whether a write to ZooKeeper succeeded.
func done(o *runners.Observation) bool {
	return o.Note == "" || o.Note == noteEphemeral || o.Note == noteWithSession
}

// registration describes the service that a znode registers.
type registration struct {
	// Key is what is served: "ctr:entry" for agents of version 3, and "predict_ctr/ps:0" for
	// others. For the addresses of a pod it is serviceInfo.
	Key string
	// Who is the service that serves the key. For agents before version 3 it is the replica.
	Who string
	// State is the state of the model, or "" if the znode does not have it.
	State string
	// Addr is the service's address, or "" if only the service info has the address.
	Addr string
}

// serviceInfo is the key of znodes that hold the addresses of a pod.
const serviceInfo = "service info"

// registered parses the znode of an agent's registration. For any other znode the key is its path.
func registered(path, data string) registration {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case len(parts) == 3 && parts[1] == "container_service":
		var info struct {
			GRPC string `json:"grpc"`
		}
		_ = json.Unmarshal([]byte(data), &info) // the error is not looked at: data that is not JSON has no address
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
