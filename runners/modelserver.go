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
	// Policy is "" (unset), "latest N", "latest_once", "latest_once N", "all" or "specific V, V".
	Policy string
	Labels []ServedLabel
}

// ServedLabel names a version.
type ServedLabel struct {
	Name    string
	Version int64
}

// ModelCall is a started call to a model server. It proceeds while cluster time passes.
type ModelCall interface {
	// Answer returns the result of the call. ok is false as long as the call still runs.
	Answer() (answer ModelAnswer, ok bool)
}

// ModelAnswer is the result of a call. Err is nil if the status is OK.
type ModelAnswer struct {
	// Took is the cluster time from the call to its end, as the client sees it.
	Took time.Duration
	Err  error
	// Version is the model version that answered a Predict call.
	Version int64
	// Status is the result of a GetModelStatus call.
	Status env.ModelVersionStatus
}

// PredictSpec selects the model version that a Predict call asks: the version with the label, or
// the latest version if Label is "".
type PredictSpec struct{ Model, Label string }

// Caller is a cluster whose model servers can be called as their clients do. Methods that return a
// ModelCall start the call and do not wait for its answer. A deadline of 0 means no deadline.
type Caller interface {
	// Reload sends HandleReloadConfigRequest.
	Reload(pod, kind string, models []ServedModel, deadline time.Duration) (ModelCall, error)
	Predict(pod, kind string, spec PredictSpec, deadline time.Duration) (ModelCall, error)
	// Connect sends GetModelStatus and ignores the returned status. It fails only if the server
	// cannot be reached.
	Connect(pod, kind string) error
	// MonitorReload and MonitorStatus call the reference's TFSMonitor. Each model server has its
	// own monitor, which runs on the server's host.
	MonitorReload(pod, kind string, models []ServedModel) (ModelCall, error)
	MonitorStatus(pod, kind, model string) (ModelCall, error)
	// ResidentBytes returns the memory that the process of a model server uses.
	ResidentBytes(pod, kind string) (int64, error)
	// WriteModelConfig writes the model config file of BareServer. If models is nil, the file is
	// empty.
	WriteModelConfig(path string, models []ServedModel) error
	// Output returns what BareServer has printed so far.
	Output() (string, error)
}

// Policy says which versions of a model a server loads. At most one field is set.
type Policy struct {
	Latest *uint32 // number of versions that the policy latest serves
	// LatestOnce is the number of versions that latest_once serves, a policy of monolith's fork only; 0 leaves the
	// number out of the config.
	LatestOnce *uint32
	All        bool
	Specific   []int64
}

// ParsePolicy parses the text of ServedModel.Policy. An empty text gives a Policy with no field
// set. The error quotes a text that no model config can express.
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
		return Policy{Latest: new(uint32(numbers[0]))}, nil
	case text == "latest_once":
		return Policy{LatestOnce: new(uint32)}, nil
	case kind == "latest_once" && len(numbers) == 1 && numbers[0] >= 0 && numbers[0] <= math.MaxUint32:
		return Policy{LatestOnce: new(uint32(numbers[0]))}, nil
	case kind == "specific":
		return Policy{Specific: numbers}, nil
	}
	return Policy{}, fmt.Errorf(`version policy: found %q, want "latest N", "latest_once", "all" or "specific V, V"`, text)
}
