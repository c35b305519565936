package networktest

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

//go:embed grpcio-*.json
var files embed.FS

// Version is the version of grpcio whose texts both networks have.
const Version = "1.32.0"

// Status is the recorded result of a call: a status with Code and Details, an answer of OK bytes,
// or an exception that the client raised instead, of class Raises and with Text.
type Status struct {
	Code    string `json:"code,omitempty"`
	Details string `json:"details,omitempty"`
	OK      *int   `json:"ok,omitempty"`
	Raises  string `json:"raises,omitempty"`
	Text    string `json:"text,omitempty"`
}

// Line returns the status in the form in which an *env.RPCError is printed.
func (s Status) Line() string { return s.Code + ": " + s.Details }

// LineOf returns the [Status.Line] of the case of that name. It ends the test if there is none.
func LineOf(t testing.TB, statuses map[string]Status, name string) string {
	t.Helper()
	s, ok := statuses[name]
	if !ok || s.Code == "" {
		t.Fatalf("grpcio %s: found no status recorded for %q", Version, name)
	}
	return s.Line()
}

// Recorded returns the recorded results of a version of grpcio, by the names of the cases. For a
// version that was not recorded the error is fs.ErrNotExist.
func Recorded(version string) (map[string]Status, error) {
	data, err := files.ReadFile("grpcio-" + version + ".json")
	if err != nil {
		return nil, err
	}
	var recorded struct {
		GRPCIO   string `json:"grpcio"`
		Statuses map[string]Status
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		return nil, fmt.Errorf("statuses of grpcio %s: %w", version, err)
	}
	if recorded.GRPCIO != version {
		return nil, fmt.Errorf("statuses of grpcio %s: found those of %s", version, recorded.GRPCIO)
	}
	return recorded.Statuses, nil
}

// Versions returns the versions of grpcio that were recorded.
func Versions() ([]string, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, e := range entries {
		versions = append(versions, strings.TrimSuffix(strings.TrimPrefix(e.Name(), "grpcio-"), ".json"))
	}
	return versions, nil
}
