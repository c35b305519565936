package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
)

// Canonical returns the plan as JSON with sorted keys, all defaults filled in and quantities
// in base units. It omits fields that do not affect results: name, seed, report, budget and
// the notes of events.
func (p *Plan) Canonical() []byte {
	c := *p
	c.Name, c.Seed, c.Report, c.Budget, c.Dir = "", 0, Report{}, Budget{}, ""
	c.Model.AgentConf = p.ConfHash
	c.Model.Exported, c.Service.Profile = "", ""
	if len(c.Workload.Mix) == 1 && reflect.DeepEqual(c.Workload.Mix[0], Mix{Model: c.Workload.Mix[0].Model, Share: 1}) {
		c.Workload.Mix = nil // if there is a single model, it gets all requests, so its name has no effect
	}
	c.Events = append([]Event(nil), p.Events...)
	for i := range c.Events {
		c.Events[i].Note = ""
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // cannot happen: JSON can express every field of a plan
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		panic(err)
	}
	sorted, err := json.Marshal(tree) // json.Marshal writes the keys of a map in order
	if err != nil {
		panic(err)
	}
	return sorted
}

// Hash returns the SHA-256 of the canonical form, in hexadecimal.
func (p *Plan) Hash() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}
