package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// jsonLines writes a JSON object a line. Without a writer it does nothing.
type jsonLines struct {
	of  string // what is written, for errors
	w   *bufio.Writer
	err error // the first
}

func newJSONLines(of string, w io.Writer) jsonLines {
	l := jsonLines{of: of}
	if w != nil {
		l.w = bufio.NewWriter(w)
	}
	return l
}

// on says that somebody reads.
func (l *jsonLines) on() bool { return l.w != nil }

func (l *jsonLines) put(v any) {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = l.w.Write(append(line, '\n'))
	}
	l.failed(err)
}

func (l *jsonLines) failed(err error) {
	if l.err == nil {
		l.err = err
	}
}

// flush passes on what was written. The error is the first there was.
func (l *jsonLines) flush() error {
	if l.w == nil {
		return nil
	}
	l.failed(l.w.Flush())
	if l.err != nil {
		return fmt.Errorf("log of %s: %w", l.of, l.err)
	}
	return nil
}
