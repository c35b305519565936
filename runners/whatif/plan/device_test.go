package plan

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// denseOn returns the test plan small with a dense tier added.
func denseOn(dense string) []byte {
	return []byte(strings.NewReplacer("  ps: {replicas: 3, cpu: 4, mem: 32GiB}", "  ps: {replicas: 3, cpu: 4, mem: 32GiB}\n  dense: {replicas: 1, cpu: 4, mem: 64GiB}",
		"size: {embeddings: 10GiB}", "size: {embeddings: 10GiB, dense: 1GiB}", "slo:", "  detail: {windows: [all]}\nslo:",
		"  ps: {cpu: \"exp(mean=1ms)\"}", "  ps: {cpu: \"exp(mean=1ms)\"}\n  dense: "+dense).Replace(small))
}

// Goal: every device profile can be read, names its device and versions, and gives a batch
// law and the copying of weights. Values in the plan take precedence over the profile.
func TestProfilesOfDevices(t *testing.T) {
	if len(deviceProfiles()) < 8 {
		t.Fatalf("got %v, want those of two models, two numbers and two ways of calling", deviceProfiles())
	}
	if f, _ := reflect.TypeFor[TierService]().FieldByName("Profile"); f.Tag.Get("enum") != strings.Join(deviceProfiles(), "|") {
		t.Errorf("service.dense.profile takes %s, there are %v", f.Tag.Get("enum"), deviceProfiles())
	}
	for _, name := range deviceProfiles() {
		_, p, warnings, err := Parse("plan.yaml", denseOn("{profile: "+name+", device: {processes: 2, piece: 16MiB}}"))
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Message, "the 2 agents of a dense container register at one znode (Q2)") {
			t.Fatalf("%s: %v, %v", name, warnings, err)
		}
		own := p.Service.Dense
		if p.Device.Device == "" || p.Device.Versions == "" || p.Device.Model == "" || !own.Batch.OfItems() || own.Device.Pause.IsZero() || own.Device.Processes != 2 || p.Fleet.Dense.Services != 2 {
			t.Errorf("%s: got %+v of %+v", name, own, p.Device)
		}
		if got, want := float64(own.Device.Copied(2<<30)), (2<<30)/53.7e9*1e9+128*45e3; math.Abs(got-want) > 1 {
			t.Errorf("%s: 2 GiB in pieces of 16 MiB take %g ns, want %g", name, got, want)
		}
	}
	for dense, want := range map[string]string{
		"{profile: h100-dlrm-fp32-graf}":                                            `did you mean "h100-dlrm-fp32-graph"?`,
		"{cpu: 1ms, device: {processes: 2}}":                                        "service.dense.device computes batches",
		"{batch: \"points(1=1ms)\"}":                                                "found 1 points, want 2 or more",
		"{batch: \"points(1=1ms, x=2ms)\"}":                                         `point "x"`,
		"{batch: \"points(1=1ms, 1.0=2ms)\"}":                                       "two points at 1",
		"{batch: \"points(1=0ms, 8=2ms)\"}":                                         "want a time above 0",
		"{batch: \"points(missing.txt)\"}":                                          "missing.txt",
		"{batch: \"exp(mean=1ms)\"}":                                                "must be affine(base=, per_item=) or points(items=time, ...)",
		"{batch: \"points(1=1ms, 8=2ms)\", device: {pause: 3ms}}":                   "want points(pause=time, ...)",
		"{batch: \"points(1=1ms, 8=2ms)\", device: {processes: 65}}":                "must be 0..64",
		"{batch: \"points(1=1ms, 8=2ms)\", device: {piece: -1MiB}}":                 "must be >=0",
		"{batch: \"points(1=1ms, 8=2ms)\", device: {processes: 2, weights: paged}}": `weights: found "paged", want pinned, pageable`,
	} {
		if _, _, _, err := Parse("plan.yaml", denseOn(dense)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "plan.yaml:12:") && !strings.Contains(err.Error(), "plan.yaml:13:") {
			t.Errorf("%s: got %v, want %q with its line", dense, err, want)
		}
	}
	for dense, want := range map[string]string{
		"{batch: \"points(1=1ms, 8=2ms)\", device: {piece: 1MiB}}":                  "service.dense.device.piece changes nothing: ",
		"{profile: h100-din-bf16-eager, device: {weights: pageable, wait_from: 5}}": "service.dense.device.wait_from changes nothing: ",
	} {
		if _, _, warnings, err := Parse("plan.yaml", denseOn(dense)); err != nil || len(warnings.NoEffect()) != 1 || !strings.HasPrefix(warnings.NoEffect()[0].Message, want) {
			t.Errorf("%s: got %v, %v, want %q", dense, warnings, err, want)
		}
	}
	if got := problemsOf(t, "entry: {cpu: 1ms}", "entry: {cpu: 1ms, device: {processes: 2}}"); !strings.Contains(got, "only service.dense has a device") {
		t.Errorf("got %q", got)
	}
}
