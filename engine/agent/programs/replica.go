package programs

import (
	"encoding/hex"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// replica reads a replica's znode and returns the line to print and the result for JSON.
func (q *agentQuestion) replica(zk env.ZooKeeper, path string) (line string, value *pysem.Dict, err error) {
	data, _, err := zk.Get(path)
	if err != nil {
		return "", nil, err
	}
	meta, err := datadef.ReplicaMetaClass.Decode(data)
	if err != nil {
		return "", nil, err
	}
	archon, address := datadef.ReplicaMetaClass.Get(meta, "archon_address"), datadef.ReplicaMetaClass.Get(meta, "address")
	state, err := stateName(datadef.ReplicaMetaClass.Get(meta, "stat"))
	if err != nil {
		return "", nil, err
	}
	line = path + "\tarchon_address: " + pysem.Str(archon) + "\taddress: " + pysem.Str(address) + "\tstate: " + state
	return line, pysem.DictOf("path", path, "archon_address", archon, "address", address, "state", state), nil
}

// stateName returns the name of the ModelState with the number stat. It is a ValueError if no state
// has that number, and a TypeError if stat is not a number.
func stateName(stat any) (string, error) {
	if b, ok := stat.(bool); ok {
		stat = 0
		if b {
			stat = 1
		}
	}
	number, ok := stat.(int)
	if !ok {
		if _, big := pysem.Big(stat); !big {
			return "", pysem.Raise("TypeError", "Enum value for State must be an int, but got <class '%s'> %s.", pysem.TypeName(stat), pysem.Repr(stat))
		}
	}
	switch state := env.ModelState(number); state {
	case env.StateUnknown, env.StateStart, env.StateLoading, env.StateAvailable, env.StateUnloading, env.StateEnd:
		if ok && int(state) == number {
			return state.String(), nil
		}
	}
	return "", pysem.Raise("ValueError", "Enum State has no name defined for value %s", pysem.Repr(stat))
}

// readable converts bytes to text, or to an object {"hex": ...} if they are not UTF-8.
func readable(found *pysem.Dict) *pysem.Dict {
	d := &pysem.Dict{}
	for _, item := range found.Items {
		data, _ := item.Value.([]byte)
		if utf8.Valid(data) {
			d.Set(item.Key, string(data))
		} else {
			d.Set(item.Key, pysem.DictOf("hex", hex.EncodeToString(data)))
		}
	}
	return d
}
