package tfserving

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// This file draws random scripts in the language of script_test.go. A script that fails can be
// saved in testdata as it was printed.

// randomScript is a script: the initial disk, the server's arguments, and the steps that follow.
type randomScript struct {
	disk   []string
	server string
	steps  []randomStep
}

// randomStep holds the lines of one step of a script.
type randomStep []string

func (r randomScript) lines() []string {
	lines := append([]string{}, r.disk...)
	lines = append(lines, r.server)
	for _, step := range r.steps {
		lines = append(lines, step...)
	}
	return lines
}

func drawScript(t *rapid.T) randomScript {
	r := randomScript{
		disk:   flatten(rapid.SliceOfN(rapid.Custom(drawDiskStep), 0, 10).Draw(t, "disk")),
		server: "server " + strings.Join(drawServer(t), " "),
	}
	if strings.Contains(r.server, "model_config_file") {
		r.disk = append(r.disk, "write /config "+drawConfigText(t, true))
	}
	for range 3 { // three times, because the slices that rapid draws are short
		r.steps = append(r.steps, rapid.SliceOfN(rapid.Custom(drawStep), 0, 20).Draw(t, "steps")...)
	}
	return r
}

func flatten(steps []randomStep) (lines []string) {
	for _, step := range steps {
		lines = append(lines, step...)
	}
	return lines
}

var (
	randomModels = []string{"a", "b", "c"}
	randomWaits  = []string{"0s", "30ms", "70ms", "100ms", "250ms", "1s", "1930ms", "5s", "61s"}
)

// drawStep returns a step that lets some time pass and then does one thing.
func drawStep(t *rapid.T) randomStep {
	step := randomStep{"run " + pick(t, "wait", randomWaits...)}
	switch pick(t, "kind", "disk", "disk", "disk", "reload", "reload", "request", "config file") {
	case "disk":
		return append(step, drawDiskStep(t)...)
	case "reload":
		return append(step, strings.TrimSpace("reload "+drawModels(t, " ", true)))
	case "config file":
		return append(step, "write /config "+drawConfigText(t, false))
	}
	return append(step, drawRequest(t)...)
}

// drawDiskStep returns a change of the disk: an export at once or in two halves, a removal, a
// rename or a fault.
func drawDiskStep(t *rapid.T) randomStep {
	base := drawBase(t)
	version := base + "/" + pick(t, "child", "1", "2", "3", "4", "03", "x")
	megabytes := pick(t, "megabytes", 0, 40, 100, 1000)
	switch op := pick(t, "disk", "version", "version", "version", "version", "dir", "base", "file", "warmup", "remove", "remove", "remove base", "rename",
		"fault", "fault version", "heal", "heal version"); op {
	case "version":
		return randomStep{fmt.Sprintf("version %s %d", version, megabytes)}
	case "dir", "remove":
		return randomStep{op + " " + version}
	case "base":
		return randomStep{"dir " + base}
	case "file":
		return randomStep{fmt.Sprintf("file %s/variables/data %d", version, megabytes)}
	case "warmup":
		return randomStep{"warmup " + version + " " + pick(t, "records", "3", "1001")}
	case "remove base":
		return randomStep{"remove " + base}
	case "rename":
		return randomStep{"rename " + version + " " + base + "/2"}
	case "fault":
		return randomStep{"fault " + base + " outage"}
	case "fault version":
		return randomStep{"fault " + base + "/2 outage"}
	case "heal":
		return randomStep{"heal " + base}
	default:
		return randomStep{"heal " + base + "/2"}
	}
}

// drawBase returns a base path of a model. It is usually below /m, and sometimes below /n.
func drawBase(t *rapid.T) string {
	root := pick(t, "root", "/m/", "/m/", "/m/", "/n/")
	return root + pick(t, "base", randomModels...)
}

// randomHolds lists the names under which scripts keep requests in flight.
var randomHolds = []string{"h1", "h2", "h3"}

func drawRequest(t *rapid.T) randomStep {
	hold := pick(t, "hold", randomHolds...)
	model := pick(t, "model", randomModels...)
	switch pick(t, "request", "hold", "hold", "release", "label") {
	case "hold":
		return randomStep{"release " + hold, "predict " + model + " hold=" + hold}
	case "label":
		return randomStep{"predict " + model + "@stable"}
	}
	return randomStep{"release " + hold}
}

// drawModels returns a model list in the language of scripts. If bad is true, the list may contain
// entries that every reload refuses.
func drawModels(t *rapid.T, separator string, bad bool) string {
	var models []string
	for _, name := range randomModels {
		if oneIn(t, 3, "lacks "+name) {
			continue
		}
		models = append(models, drawModel(t, name, bad))
	}
	if bad && len(models) > 0 && rarely(t, "duplicate") {
		models = append(models, models[0])
	}
	return strings.Join(models, separator)
}

func drawModel(t *rapid.T, name string, bad bool) string {
	path := pick(t, "root", "/m/", "/m/", "/m/", "/m/", "/n/") + name
	if bad && rarely(t, "relative") {
		path = path[1:]
	}
	parts := []string{name + "=" + path}
	parts = append(parts, pick(t, "policy", "", "", "latest=1", "latest=2", "all", "specific=2+3", "specific=", "once=1", "once=2"))
	if oneIn(t, 5, "labelled") {
		parts = append(parts, fmt.Sprintf("label.stable=%d", pick(t, "label", 1, 2, 3)))
	}
	if bad && rarely(t, "odd") {
		parts = append(parts, pick(t, "what", "logging", "platform=", "platform=nonsense", "platform=broken", "type=1"))
	}
	return strings.TrimRight(strings.ReplaceAll(strings.Join(parts, ","), ",,", ","), ",")
}

func rarely(t *rapid.T, what string) bool { return oneIn(t, 16, what) }

// oneIn returns true with probability 1/n.
func oneIn(t *rapid.T, n uint64, what string) bool { return evenly(t, n, what) == n-1 }

// pick returns one of the values, each with the same probability. Shrinking leads to the first
// value.
func pick[T any](t *rapid.T, what string, values ...T) T {
	return values[evenly(t, uint64(len(values)), what)]
}

// evenly draws a number below n, each with the same probability. Rapid's own generator prefers
// small numbers, which would leave most commands of the script language unused.
func evenly(t *rapid.T, n uint64, what string) uint64 {
	return rapid.Uint64Range(0, 1<<40).Draw(t, what) % n
}

// drawConfigText returns the text of a model config file. Unless it is the first, it may be
// invalid.
func drawConfigText(t *rapid.T, first bool) string {
	if !first && oneIn(t, 6, "no list") {
		return pick(t, "text", "", "# nothing", "nonsense")
	}
	var b strings.Builder
	b.WriteString("model_config_list {")
	for _, name := range randomModels {
		if oneIn(t, 2, "lacks "+name) {
			continue
		}
		fmt.Fprintf(&b, " config { name: %q base_path: %q model_platform: %q", name, "/m/"+name, modelconfig.TensorFlowPlatform)
		if oneIn(t, 4, "labelled") {
			fmt.Fprintf(&b, " version_labels { key: \"stable\" value: %d }", pick(t, "label", 1, 2, 3))
		}
		b.WriteString(" }")
	}
	b.WriteString(" }")
	return b.String()
}

// drawServer returns the arguments of a server.
func drawServer(t *rapid.T) []string {
	profile := pick(t, "profile", Profile24, ProfileHead)
	args := []string{profile.String()}
	add := func(name string, values ...string) {
		if value := pick(t, name, values...); value != "" {
			args = append(args, name+value)
		}
	}
	add("--file_system_poll_wait_seconds=", "", "", "", "", "", "", "3", "3", "0", "-1")
	add("--max_num_load_retries=", "0", "1", "2", "-1")
	add("--load_retry_interval_micros=", "-1", "150000", "2000000")
	add("--allow_version_labels_for_unavailable_models=", "", "true")
	add("loaders=", "", "", "1", "2")
	add("unloaders=", "", "1", "2")
	add("cpus=", "", "1")
	add("reserve=", "", "", "", "260", "1300")
	add("memory=", "", "", "", "", "", "1500")
	add("transient=", "", "30")
	add("choices=", "", "1", "2", "3")
	for _, switched := range []string{"resourcepreserving", "badplatform=broken", "failifzero", "alwayspresent", "forcelabels", "nolabels"} {
		if oneIn(t, 6, switched) {
			args = append(args, switched)
		}
	}
	if profile == ProfileHead && oneIn(t, 5, "reloaderrors") {
		args = append(args, "reloaderrors")
	}
	return append(args, drawFirstConfig(t)...)
}

// drawFirstConfig returns the arguments that give the server its first config.
func drawFirstConfig(t *rapid.T) []string {
	switch pick(t, "first config", "no models", "no models", "nothing", "models", "file") {
	case "no models":
		return []string{"config="}
	case "nothing":
		return []string{"empty"}
	case "models":
		return []string{"config=" + drawModels(t, ";", false)}
	}
	return []string{"--model_config_file=/config",
		"--model_config_file_poll_wait_seconds=" + pick(t, "config poll", "0", "2", "5")}
}
