package runners

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// ServedModel is one entry of a model server's config.
type ServedModel struct {
	Name, BasePath, Platform string
	// Policy is "" (unset), "latest N", "all" or "specific V, V".
	Policy string
	Labels []ServedLabel
}

// ServedLabel gives a version a name.
type ServedLabel struct {
	Name    string
	Version int64
}

// ModelCall is a call to a model server that goes on while cluster time passes.
type ModelCall interface {
	// Answer returns how the call ended; ok is false while it goes on.
	Answer() (answer ModelAnswer, ok bool)
}

// ModelAnswer is how a call ended. Err is nil for OK.
type ModelAnswer struct {
	// Took is the cluster time from the call to its end, as the client sees it.
	Took time.Duration
	Err  error
	// Version answered a Predict.
	Version int64
	// Status answered a question for a model's state.
	Status env.ModelVersionStatus
}

// PredictSpec says what a Predict goes to: a version, a label, or with neither the
// latest version of the model.
type PredictSpec struct{ Model, Label string }

// Caller is a cluster whose model servers can be called as their clients call
// them. Calls begin at once and return before their answer; a deadline of 0 means
// none. A cluster that cannot do so is no Caller.
type Caller interface {
	// Reload is HandleReloadConfigRequest.
	Reload(pod, kind string, models []ServedModel, deadline time.Duration) (ModelCall, error)
	Predict(pod, kind string, spec PredictSpec, deadline time.Duration) (ModelCall, error)
	// Connect is a GetModelStatus of which only the connection counts: its error is
	// that of a server that nobody can reach.
	Connect(pod, kind string) error
	// MonitorReload and MonitorStatus are those of the reference's TFSMonitor, one
	// for each model server, on the server's own host.
	MonitorReload(pod, kind string, models []ServedModel) (ModelCall, error)
	MonitorStatus(pod, kind, model string) (ModelCall, error)
	// ResidentBytes is the memory of a model server.
	ResidentBytes(pod, kind string) (int64, error)
	// WriteModelConfig writes the model config file of BareServer; models nil means a
	// wholly empty one.
	WriteModelConfig(path string, models []ServedModel) error
	// Output is what BareServer printed so far.
	Output() (string, error)
}

// Policy says which versions of a model a server serves; one field is set.
type Policy struct {
	Latest   *uint32 // how many
	All      bool
	Specific []int64
}

// ParsePolicy reads ServedModel.Policy. Its error is of a text that no model config can
// say; "" is the policy with no field set.
func ParsePolicy(text string) (Policy, error) {
	kind, rest, _ := strings.Cut(text, " ")
	var numbers []int64
	for _, field := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Policy{}, fmt.Errorf("version policy %q: found %q, want a number", text, field)
		}
		numbers = append(numbers, n)
	}
	switch {
	case text == "":
		return Policy{}, nil
	case text == "all":
		return Policy{All: true}, nil
	case kind == "latest" && len(numbers) == 1 && numbers[0] >= 0 && numbers[0] <= math.MaxUint32:
		n := uint32(numbers[0])
		return Policy{Latest: &n}, nil
	case kind == "specific":
		return Policy{Specific: numbers}, nil
	}
	return Policy{}, fmt.Errorf(`version policy: found %q, want "latest N", "all" or "specific V, V"`, text)
}
