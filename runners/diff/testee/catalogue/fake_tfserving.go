package catalogue

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/runners/diff/testee"
)

// fakeTFServingOps declares the operations on the fake model server when it runs as a server
// (runners/diff/python/ops/fake_tfserving.py).
var fakeTFServingOps = operations{
	"mocked_tfserving.FakeTFServing.sequence": func(d *draws, c *testee.Case) object {
		server := any(fakeServer)
		if d.flip(12) {
			c.Files = dict("c.cfg", modelsFile(d))
			server = object{"config_file", oneOf("c.cfg", "missing.cfg"), "num_versions", 7}
		}
		return object{"server", server, "steps", fakeServerSteps, "draws?1", some(3, from(0, 2))}
	},
	"mocked_tfserving.FakeTFServing.served": in("server", fakeServer, "calls", several(5, func(d *draws) any {
		return append([]any{oneOf("127.0.0.1", "[::1]")}, d.fill(fakeCalls).([]any)...)
	})),
}

// fakeServer draws the configuration with which the fake server is started.
var fakeServer = seldom(3, object{"model_name", oneOf("m", "模", ""), "base_path", oneOf("/b", "", "b"), "num_versions", oneOf(1, 2, 0)},
	object{"config", fakeConfigText})

var fakeServerSteps = steps(1, 12,
	do("turns", "n?1", oneOf(1, 2, 3, 5)).often(4), do("seconds", "n", oneOf(1, 30, 31, 61, 200)).often(2),
	do("load", "config", fakeConfigText, "locked?1", either), do("remove", "names", some(2, fakeName), "locked?8", true),
	do("call", "method", "HandleReloadConfigRequest", "request", reloadText).often(2),
	do("call", "method", "GetModelStatus", "request", oneOf(fakeSpecText, fakeSpecText, fakeBytes)),
	do("call", "method", "GetModelMetadata", "request", oneOf(join(fakeSpecText, fakeFields), fakeBytes)),
	do("call", "method", oneOf("Predict", "Classify", "Regress", "MultiInference"), "request", oneOf("", fakeBytes)),
	do("call", "method", otherService, "request", fakeBytes),
	do("config"), do("write", "files", object{}).often(0))

var otherService = oneOf("/tensorflow.serving.SessionService/SessionRun", "/grpc.health.v1.Health/Check", "/x/Y")

// fakeCalls draws a method and its request. The request is text, or bytes that may not be a valid
// message.
var fakeCalls = oneOf(
	[]any{"GetModelStatus", oneOf(fakeSpecText, fakeSpecText, fakeBytes)}, []any{"GetModelMetadata", oneOf(join(fakeSpecText, fakeFields), fakeBytes)},
	[]any{"HandleReloadConfigRequest", oneOf(reloadText, fakeBytes)}, []any{oneOf("Predict", "Classify", "Regress", "MultiInference"), oneOf("", fakeBytes)},
	[]any{otherService, fakeBytes})

func fakeBytes(d *draws) object {
	return object{"$hex", oneOf("", "ff", "0a05", "0a030a01ff", "0a030a016d", "0a0508012a016d", "0a050a016d2200", "0a070a016d1a01ff", "7a0161", "0a00")}
}

func fakeName(d *draws) string { return pick(d, "m", "n", "模", "", "it's") }

// fakeSpecText draws the model_spec of a request as text, or "" for none.
func fakeSpecText(d *draws) string {
	if d.flip(8) {
		return ""
	}
	choice := pick(d, "", "", " version { value: 1 }", " version { value: 2 }", " version {}", ` version_label: "stable"`, ` version_label: ""`)
	signature := pick(d, "", "", ` signature_name: "s"`)
	return fmt.Sprintf("model_spec { name: %q%s%s }", fakeName(d), choice, signature)
}

func fakeFields(d *draws) string {
	text := ""
	for range d.length(4) {
		text += fmt.Sprintf(" metadata_field: %q", pick(d, "state", "version_data", "model_name", "version", "base_path", "version_policy", "model_platform", "signature_name", "version_label", "nope", ""))
	}
	return text
}

func reloadText(d *draws) string {
	if d.flip(10) {
		return pick(d, "", "config {}", `config { custom_model_config { type_url: "x" } }`)
	}
	return "config { " + fakeConfigText(d) + " }"
}

// fakeConfigText draws a model config as text. Some models are of a kind that a real server
// refuses.
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
