package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Format returns the content of the suite's file. Each case is one line, so that a change of one
// case changes one line.
func (s *Suite) Format() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{\n")
	for _, field := range []struct {
		name  string
		value any
		empty bool
	}{{"suite", s.Name, false}, {"source", s.Source, false}, {"notes", s.Notes, len(s.Notes) == 0}} {
		if field.empty {
			continue
		}
		text, err := compact(field.value)
		if err != nil {
			return nil, fmt.Errorf("suite %s: %s: %w", s.Name, field.name, err)
		}
		fmt.Fprintf(&b, "%q: %s,\n", field.name, text)
	}
	b.WriteString("\"cases\": [\n")
	for i := range s.Cases {
		text, err := compact(&s.Cases[i])
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", s.Cases[i].ID, err)
		}
		b.Write(text)
		if i < len(s.Cases)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n}\n")
	return b.Bytes(), nil
}

// compact encodes v as JSON. It removes white space from raw JSON in v, and changes nothing else in
// it.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Manifest holds a hash of each suite's file, and the total number of cases.
type Manifest struct {
	Suites []ManifestEntry `json:"suites"`
	Total  int             `json:"total"`
}

// ManifestEntry describes one suite's file.
type ManifestEntry struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Cases  int    `json:"cases"`
}

// NewManifest makes the manifest of suites, which must be sorted by name.
func NewManifest(suites []*Suite) (*Manifest, error) {
	m := &Manifest{}
	for _, s := range suites {
		text, err := s.Format()
		if err != nil {
			return nil, err
		}
		m.Suites = append(m.Suites, ManifestEntry{File: s.Name + ".json", SHA256: hashOf(text), Cases: len(s.Cases)})
		m.Total += len(s.Cases)
	}
	return m, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Format returns the content of the manifest's file, as indented JSON.
func (m *Manifest) Format() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// Files returns the contents of the suites' files and of the manifest, by file name.
func Files(suites []*Suite) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, s := range suites {
		text, err := s.Format()
		if err != nil {
			return nil, err
		}
		files[s.Name+".json"] = text
	}
	m, err := NewManifest(suites)
	if err != nil {
		return nil, err
	}
	files[manifestName], err = m.Format()
	return files, err
}
