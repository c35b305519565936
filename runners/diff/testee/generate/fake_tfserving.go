package generate

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genFakeTFServing invents for the fake model server as it is started
// (runners/diff/python/ops/fake_tfserving.py).
var genFakeTFServing = map[string]generator{
	"mocked_tfserving.FakeTFServing.sequence": genFakeSequence,
	"mocked_tfserving.FakeTFServing.served":   genFakeServed,
}

func genFakeSequence(d *draws, c *testee.Case) {
	steps := []any{}
	for range 1 + d.n(12) {
		steps = append(steps, fakeServerStep(d))
	}
	c.In = dict("server", fakeServer(d), "draws", list(d, 3, func() any { return d.n(3) }), "steps", steps)
	if d.flip(12) {
		c.Files = dict("c.cfg", modelsFile(d))
		c.In.Set("server", dict("config_file", pick(d, "c.cfg", "missing.cfg"), "num_versions", 7))
	}
}

// fakeServer is what it is started with.
func fakeServer(d *draws) *pysem.Dict {
	if d.flip(3) {
		return dict("model_name", pick(d, "m", "模", ""), "base_path", pick(d, "/b", "", "b"), "num_versions", pick(d, 1, 2, 0))
	}
	return dict("config", fakeConfigText(d))
}

func fakeServerStep(d *draws) any {
	switch d.n(14) {
	case 0, 1, 2, 3:
		return stepOf("turns", "n", pick(d, 1, 2, 3, 5))
	case 4, 5:
		return stepOf("seconds", "n", pick(d, 1, 30, 31, 61, 200))
	case 6:
		return stepOf("load", "config", fakeConfigText(d), "locked", d.flip(2))
	case 7:
		return stepOf("remove", "names", list(d, 2, func() any { return fakeName(d) }))
	case 8, 9:
		return stepOf("call", "method", "HandleReloadConfigRequest", "request", reloadText(d))
	case 10:
		return stepOf("config")
	}
	method, request := fakeCall(d)
	return stepOf("call", "method", method, "request", request)
}

func genFakeServed(d *draws, c *testee.Case) {
	calls := []any{}
	for range 1 + d.n(5) {
		method, request := fakeCall(d)
		calls = append(calls, []any{pick(d, "127.0.0.1", "[::1]"), method, request})
	}
	c.In = dict("server", fakeServer(d), "calls", calls)
}

// fakeCall is a method and its request: text, or bytes that may be no message.
func fakeCall(d *draws) (method string, request any) {
	switch d.n(8) {
	case 0, 1:
		return "GetModelStatus", fakeSpecText(d)
	case 2, 3:
		return "GetModelMetadata", fakeSpecText(d) + strings.Join(fakeFields(d), "")
	case 4:
		return "HandleReloadConfigRequest", reloadText(d)
	case 5:
		return pick(d, "Predict", "Classify", "Regress", "MultiInference"), ""
	case 6:
		return pick(d, "/tensorflow.serving.SessionService/SessionRun", "/grpc.health.v1.Health/Check", "/x/Y"), fakeBytes(d)
	}
	return pick(d, "GetModelStatus", "GetModelMetadata", "HandleReloadConfigRequest", "Predict", "Classify"), fakeBytes(d)
}

func fakeBytes(d *draws) *pysem.Dict {
	return dict("$hex", pick(d, "", "ff", "0a05", "0a030a01ff", "0a030a016d", "0a0508012a016d", "0a050a016d2200", "0a070a016d1a01ff", "7a0161", "0a00"))
}

func fakeName(d *draws) string { return pick(d, "m", "n", "模", "", "it's") }

// fakeSpecText is a request's model_spec, or none.
func fakeSpecText(d *draws) string {
	if d.flip(8) {
		return ""
	}
	choice := pick(d, "", "", " version { value: 1 }", " version { value: 2 }", " version {}", ` version_label: "stable"`, ` version_label: ""`)
	signature := pick(d, "", "", ` signature_name: "s"`)
	return fmt.Sprintf("model_spec { name: %q%s%s }", fakeName(d), choice, signature)
}

func fakeFields(d *draws) (texts []string) {
	for range d.length(4) {
		texts = append(texts, fmt.Sprintf(" metadata_field: %q", pick(d, "state", "version_data", "model_name", "version", "base_path", "version_policy", "model_platform", "signature_name", "version_label", "nope", "")))
	}
	return texts
}

func reloadText(d *draws) string {
	if d.flip(10) {
		return pick(d, "", "config {}", `config { custom_model_config { type_url: "x" } }`)
	}
	return "config { " + fakeConfigText(d) + " }"
}

// fakeConfigText is a list of models, some of a kind that a real server refuses.
func fakeConfigText(d *draws) string {
	var models []string
	for range d.length(3) {
		models = append(models, fakeModelText(d))
	}
	return "model_config_list { " + strings.Join(models, " ") + " }"
}

func fakeModelText(d *draws) string {
	more := pick(d, "", "", ` model_platform: "x"`, ` version_labels { key: "stable" value: 1 }`)
	return fmt.Sprintf("config { name: %q base_path: %q%s%s }", fakeName(d), pick(d, "/b", "", "rel'b"), fakePolicyText(d), more)
}

func fakePolicyText(d *draws) string {
	var policy string
	switch d.n(10) {
	case 0, 1, 2, 3:
		policy = fmt.Sprintf("latest { num_versions: %d }", pick(d, 1, 2, 3))
	case 4, 5, 6:
		policy = "specific { " + strings.Join(specificVersions(d), " ") + " }"
	case 7:
		policy = "latest {}"
	case 8:
		if d.flip(2) {
			policy = "all {}"
		}
	default:
		return ""
	}
	return " model_version_policy { " + policy + " }"
}

func specificVersions(d *draws) (texts []string) {
	for range d.length(4) {
		texts = append(texts, fmt.Sprintf("versions: %d", pick(d, 1, 3, 2, 0, -1, 9007199254740993)))
	}
	return texts
}
