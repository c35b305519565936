package timeline

import (
	"encoding/json"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// Notes that a write of ZooKeeper may have, apart from the error of a refused one.
const (
	noteEphemeral   = "ephemeral"
	noteWithSession = "with its session"
)

// done reports whether a write of ZooKeeper succeeded.
func done(o *runners.Observation) bool {
	return o.Note == "" || o.Note == noteEphemeral || o.Note == noteWithSession
}

// registration is what a znode says of a service.
type registration struct {
	// Key is the served thing: "ctr:entry" for agents of version 3, "predict_ctr/ps:0" for
	// others, or serviceInfo for the addresses of a pod.
	Key string
	// Who is the service that serves the key in version 3, else the replica.
	Who string
	// State is the state of the model, "" if the znode has none.
	State string
	// Addr is the address, "" if only the service info has it.
	Addr string
}

// serviceInfo is the key of znodes that hold the addresses of a pod.
const serviceInfo = "service info"

// registered reads a znode of an agent. For any other znode the key is the path.
func registered(path, data string) registration {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case len(parts) == 3 && parts[1] == "container_service":
		var info struct {
			GRPC string `json:"grpc"`
		}
		_ = json.Unmarshal([]byte(data), &info) // data that are no JSON have no address
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
