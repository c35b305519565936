// Package colour paints what programs write for people, on terminals that show colours.
//
// Two things to use first:
//
//   - [On] marks a writer as one that shows colours. The command that owns the output
//     decides this once.
//   - [For] returns the ink for a writer. Its methods paint a text, or leave it as it is if
//     the writer shows no colours, as a file or a pipe.
//
// To change the meaning of a colour, see the methods of [Ink].
//
// Unstable: any commit may change it.
package colour

import (
	"fmt"
	"io"

	"github.com/fatih/color"
)

// When lists the values of the flag for colours.
var When = []string{"auto", "always", "never"}

// Wanted decides whether to use colours. when is "always", "never" or "auto". With "auto", colours
// are used on a terminal that is not dumb, unless NO_COLOR is set (https://no-color.org). env reads
// an environment variable. Any other value of when is an error.
func Wanted(when string, terminal bool, env func(string) string) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return terminal && env("NO_COLOR") == "" && env("TERM") != "dumb", nil
	}
	return false, fmt.Errorf("found %q, want auto, always or never", when)
}

// writer is a writer whose output may have colours.
type writer struct{ io.Writer }

// On marks w as a writer that shows colours, so that For returns an ink that paints.
func On(w io.Writer) io.Writer { return writer{w} }

// Coloured returns true. The function For calls Coloured to find out whether a writer shows
// colours.
func (writer) Coloured() bool { return true }

// Unwrap returns the writer that was passed to On.
func (w writer) Unwrap() io.Writer { return w.Writer }

// Ink paints texts.
type Ink struct{ on bool }

// For returns the ink for a writer. The ink paints if the writer has a method Coloured that returns
// true.
func For(w io.Writer) Ink {
	c, ok := w.(interface{ Coloured() bool })
	return Ink{ok && c.Coloured()}
}

// On reports whether the ink adds colours.
func (i Ink) On() bool { return i.on }

// Good paints what passed.
func (i Ink) Good(text string) string { return i.paint(text, color.FgGreen) }

// Bad paints failures and errors red.
func (i Ink) Bad(text string) string { return i.paint(text, color.FgRed) }

// Warn paints skipped items and warnings yellow.
func (i Ink) Warn(text string) string { return i.paint(text, color.FgYellow) }

// Strong paints headings.
func (i Ink) Strong(text string) string { return i.paint(text, color.Bold) }

// Faint paints secondary text.
func (i Ink) Faint(text string) string { return i.paint(text, color.Faint) }

// Command paints text that a person can copy and run, in cyan.
func (i Ink) Command(text string) string { return i.paint(text, color.FgCyan) }

func (i Ink) paint(text string, how color.Attribute) string {
	if !i.on || text == "" {
		return text
	}
	c := color.New(how)
	c.EnableColor() // the caller has decided, so the library's own look at standard output must not count
	return c.Sprint(text)
}
