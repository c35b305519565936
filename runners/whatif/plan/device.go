package plan

import (
	"embed"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Device is the accelerator of a container. Its server processes share it in time slices.
type Device struct {
	Processes int      `plan:"processes" default:"0" range:"0..64" doc:"server processes of a container, which share its device in time slices; services_per_container by default"`
	Pause     delayLaw `plan:"pause" json:",omitzero" doc:"what a batch takes longer when the device had nothing to do for a time before it, as points(3ms=0s, 10ms=0.3ms); a longer pause than the last counts as the last"`
	NewSize   Duration `plan:"new_size" default:"0s" range:">=0" doc:"what a batch takes longer whose number of items its process has not had since it came up or loaded a version, as a CUDA graph or a program that is compiled then"`
	First     Duration `plan:"first" default:"0s" range:">=0" doc:"what the first batch of a process takes longer after it came up"`
	Link      ByteRate `plan:"link" default:"0MB/s" range:">=0" doc:"how fast the weights of a version are copied to the device, once they have been loaded as fleet.boot.model_load says; 0MB/s for at once. Batches whose inputs wait for them stand in the place of model.load_interference"`
	Piece     Bytes    `plan:"piece" default:"0B" range:">=0" doc:"weights are copied in pieces of so much, one after the other, and an input waits for the one under way; 0B for all at once"`
	PerPiece  Duration `plan:"per_piece" default:"0s" range:">=0" doc:"of each piece besides"`
	WaitFrom  Count    `plan:"wait_from" default:"1" range:">=1" doc:"items from which on the input of a batch waits for the link; smaller ones pass beside"`
	Weights   string   `plan:"weights" default:"pinned" enum:"pinned|pageable" doc:"memory that weights are copied from; from pageable they are copied beside the inputs, and none waits"`
}

// IsZero reports whether there is no device.
func (d Device) IsZero() bool { return d.Processes == 0 }

// given reports whether the plan sets anything of a device to another value than the default.
func (d *Device) given() bool {
	return !reflect.DeepEqual(*d, Device{WaitFrom: 1, Weights: "pinned"})
}

// Copied returns how long it takes to copy weights of the given size to the device.
func (d *Device) Copied(bytes Bytes) Duration {
	if d.Link == 0 || bytes == 0 {
		return 0
	}
	pieces := 1.0
	if d.Piece > 0 {
		pieces = math.Ceil(float64(bytes) / float64(d.Piece))
	}
	return Duration(float64(bytes)/float64(d.Link)*1e9 + pieces*float64(d.PerPiece))
}

// OnePiece returns how long it takes to copy one piece of weights, at most all of them.
func (d *Device) OnePiece(weights Bytes) Duration {
	if d.Piece > 0 {
		weights = min(weights, d.Piece)
	}
	return d.Copied(weights)
}

// DeviceProfile holds the measurements of a model on a device.
type DeviceProfile struct {
	Device   string      `plan:"device" json:"device" required:"true"`
	Versions string      `plan:"versions" json:"versions" required:"true"`
	Model    string      `plan:"model" json:"model" required:"true"`
	On       string      `plan:"on" json:"on" required:"true" doc:"the day"`
	Besides  string      `plan:"besides" json:"besides,omitempty" doc:"what was measured of another model or way of calling"`
	Dense    TierService `plan:"dense" json:"-" required:"true"`
}

//go:embed devices/*.yaml
var devices embed.FS

// deviceProfiles returns the sorted names of all device profiles.
func deviceProfiles() []string {
	files, err := devices.ReadDir("devices")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// device determines how many processes share a device, and checks its settings.
func (d *decoder) device(p *Plan, t *Tier, s *TierService, at string) {
	own := &s.Device
	if s.Profile == "" && !own.given() {
		return
	}
	const services, agents = "fleet.dense.services_per_container", "override.dense_service_num"
	switch {
	case own.Processes == 0:
		own.Processes = t.Services
	case own.Processes == t.Services:
	case d.given(services):
		d.reportBoth(at+".device.processes", services, conflict, "device.processes %d but services_per_container is %d", own.Processes, t.Services)
	case d.given(agents):
		d.reportBoth(at+".device.processes", agents, conflict, "device.processes %d but override.dense_service_num is %d", own.Processes, t.Services)
	default:
		t.Services = own.Processes
	}
	if s.Batch.IsZero() && !s.lacksProfile() {
		d.reportKey(at+".device", conflict, "%s.device computes batches: it needs %s.batch, and batching that is not turned off", at, at)
	}
	if a := p.Autoscale.Dense; a != nil {
		for _, m := range a.Looks() {
			if m.Metric == "cpu" {
				d.reportBoth("autoscale.dense", at+".device", conflict, "autoscale.dense looks at cpu, and batches are computed on a device; want metric: qps or queue")
			}
		}
	}
	for _, key := range []string{"piece", "per_piece", "wait_from", "weights"} {
		if own.Link == 0 {
			d.never(at+".device."+key, at+".device.link is 0, so that weights are on the device at once")
		} else if own.Weights == "pageable" && key == "wait_from" {
			d.never(at+".device."+key, "weights are copied from pageable memory, so that no input waits")
		}
	}
}

// lacksProfile reports whether the plan names a profile that does not exist. The unknown name has
// then already been reported as a problem.
func (s *TierService) lacksProfile() bool {
	return s.Profile != "" && !slices.Contains(deviceProfiles(), s.Profile)
}

// deviceProfile fills in settings that the plan does not give from the profile that it names.
func (d *decoder) deviceProfile(p *Plan) {
	const at = "service.dense"
	s := p.Service.Dense
	if s == nil || s.Profile == "" {
		return
	}
	if s.lacksProfile() {
		return // reported already
	}
	found := readDevice(s.Profile)
	p.Device = found
	if !d.given(at + ".batch") {
		s.Batch = found.Dense.Batch
	}
	to, from := reflect.ValueOf(&s.Device).Elem(), reflect.ValueOf(&found.Dense.Device).Elem()
	for i := range to.NumField() {
		if name := to.Type().Field(i).Tag.Get("plan"); name != "processes" && !d.given(at+".device."+name) {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// readDevice reads an embedded device profile, which must exist.
func readDevice(name string) *DeviceProfile {
	found := &DeviceProfile{}
	if problems := readInto(found, name, "devices/"+name+".yaml", devices.ReadFile, "a profile of a device"); len(problems) > 0 {
		panic(problems.Error()) // cannot happen: a test reads every embedded profile
	}
	return found
}
