package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
)

// Canonical is the plan as JSON with sorted keys, defaults filled and quantities in base
// units, without what changes no result: name, seed, report and budget. Notes of events
// are among what is left out.
func (p *Plan) Canonical() []byte {
	c := *p
	c.Name, c.Seed, c.Report, c.Budget, c.Dir = "", 0, Report{}, Budget{}, ""
	c.Model.AgentConf = p.ConfHash
	c.Model.Exported, c.Service.Profile = "", ""
	if len(c.Workload.Mix) == 1 && reflect.DeepEqual(c.Workload.Mix[0], Mix{Model: c.Workload.Mix[0].Model, Share: 1}) {
		c.Workload.Mix = nil // all of it is one model, whatever its name
	}
	c.Events = append([]Event(nil), p.Events...)
	for i := range c.Events {
		c.Events[i].Note = ""
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // no field holds what JSON has no word for
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		panic(err)
	}
	sorted, err := json.Marshal(tree) // maps are written with sorted keys
	if err != nil {
		panic(err)
	}
	return sorted
}

// Hash is the SHA-256 of the canonical form.
func (p *Plan) Hash() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}
