package scope

import (
	_ "embed"
	"fmt"

	"github.com/monosim/monosim/engine/lists"
)

//go:embed lines.yaml
var linesYAML []byte

// MostLines is how many lines of Go a line of the reference may become without a reason.
const MostLines = 2

// Port is Go that ports files of the reference, with the lines of code of both: lines with
// more on them than a comment.
type Port struct {
	// Python holds the files of the reference, as [Names] names them.
	Python []string `yaml:"python"`
	// Go holds files, patterns of files or folders of the repository. A file that one port names
	// by itself or by a pattern is in no folder of another.
	Go []string `yaml:"go"`
	// Lines counts the lines of Go when it was last measured.
	Lines int `yaml:"lines"`
	// Why says what the Go has beside the Python, where it has more than MostLines for each line,
	// or what it is where it has no counterpart in the reference.
	Why string `yaml:"why"`

	// PythonLines counts those of the reference.
	PythonLines int `yaml:"-"`
}

// Ratio returns how many lines of Go there are for one of the reference.
func (p *Port) Ratio() float64 { return float64(p.Lines) / float64(p.PythonLines) }

// Ports lists what engine/agent and engine/training port, the reference's agent first, and last
// their files that have no counterpart in the reference.
func Ports() ([]Port, error) {
	modules, err := Names()
	if err != nil {
		return nil, err
	}
	code := lists.ToMap(modules, func(m ModuleNames) (string, int) { return m.File, m.Code })
	return parsePorts(linesYAML, code)
}

func parsePorts(text []byte, code map[string]int) ([]Port, error) {
	var list []Port
	if err := decode("lines.yaml", text, &list); err != nil {
		return nil, err
	}
	for i := range list {
		p := &list[i]
		for _, file := range p.Python {
			if code[file] == 0 {
				return nil, fmt.Errorf("lines.yaml: found %s in entry %d, want a file of %s with code", file, i+1, namesName)
			}
			p.PythonLines += code[file]
		}
		tooMany := p.Lines > MostLines*p.PythonLines
		if tooMany && p.Why == "" {
			return nil, fmt.Errorf("lines.yaml: %v: found %d lines of Go for %d of the reference, want at most %d for each, or why",
				p.Go, p.Lines, p.PythonLines, MostLines)
		}
		if !tooMany && p.Why != "" {
			return nil, fmt.Errorf("lines.yaml: %v: found a reason for %d lines of Go for %d of the reference, want none for so few",
				p.Go, p.Lines, p.PythonLines)
		}
	}
	return list, nil
}
