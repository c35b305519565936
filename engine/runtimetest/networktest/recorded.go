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

// Version is the grpcio version whose error texts both networks reproduce.
const Version = "1.32.0"

// Status is the recorded result of a call. It is a status with Code and Details, or an answer of OK
// bytes, or an exception that the client raised instead. Raises is the class of the exception, and
// Text its text.
type Status struct {
	Code    string `json:"code,omitempty"`
	Details string `json:"details,omitempty"`
	OK      *int   `json:"ok,omitempty"`
	Raises  string `json:"raises,omitempty"`
	Text    string `json:"text,omitempty"`
}

// Line returns the status in the format in which an *env.RPCError is printed.
func (s Status) Line() string { return s.Code + ": " + s.Details }

// LineOf returns the [Status.Line] of the named case. It ends the test if the case is missing.
func LineOf(t testing.TB, statuses map[string]Status, name string) string {
	t.Helper()
	s, ok := statuses[name]
	if !ok || s.Code == "" {
		t.Fatalf("grpcio %s: found no status recorded for %q", Version, name)
	}
	return s.Line()
}

// Recorded returns the recorded results of a grpcio version by case name. The error is
// fs.ErrNotExist if the version was not recorded.
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

// Versions returns the recorded grpcio versions.
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
