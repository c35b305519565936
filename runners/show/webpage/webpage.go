// Package webpage writes web pages that are one file: style, scripts and data are in it. A
// page loads nothing over a network, which its content security policy forbids.
//
// Two things to use first:
//
//   - [Begin] begins a page; [Page.Line] adds a line of its data, a JSON value, and
//     [Page.End] ends it. Nothing is kept in memory, so a page may be of any size.
//   - [Data] reads the lines of a page again.
//
// To change
//
//   - what the script of every page can use (elements, times, the lines of data, a list that is
//     filled as it scrolls into view): page.js;
//   - colours, which follow the reader's light or dark scheme: the variables of base.css;
//   - how numbers are drawn: plot.js, which [PlotScript] and [PlotStyle] add to a page.
//
// Runs of clusters are drawn by the script and style of runners/show/timeline.
//
// Unstable: any commit may change it.
package webpage

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
)

var (
	//go:embed base.css
	baseStyle string
	//go:embed page.js
	baseScript string

	// PlotScript and PlotStyle draw lines, heat maps, bars and lanes; see plot.js.
	//go:embed plot.js
	PlotScript string
	//go:embed plot.css
	PlotStyle string
)

// Head describes a page without its data. Its scripts run when the page is loaded, and the element
// "page" is still empty then. No script may contain "</script".
type Head struct {
	Title   string
	Styles  []string
	Scripts []string
	// Live allows the page to request updates from its own server.
	Live bool
}

// Page is a page being written.
type Page struct {
	out  *bufio.Writer
	head Head
}

// Begin writes the start of a page to w. Errors of w are returned by End.
func Begin(w io.Writer, head Head) *Page {
	p := &Page{out: bufio.NewWriter(w), head: head}
	p.text(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'`, live(head), `">
<title>`, html.EscapeString(head.Title), "</title>\n<style>\n", baseStyle)
	p.text(head.Styles...)
	p.text("</style>\n</head>\n<body>\n<main id=\"page\"><noscript>This page is drawn by the script that is in it, which is switched off.</noscript></main>\n", dataBegins)
	return p
}

func live(head Head) string {
	if head.Live {
		return "; connect-src 'self'"
	}
	return ""
}

// These texts stand before and after the data in a page.
const (
	dataBegins = `<script type="application/json" id="data">` + "\n"
	dataEnds   = "</script>\n"
)

// text writes texts to the page. The buffered writer keeps the first error until End returns it.
func (p *Page) text(texts ...string) {
	for _, t := range texts {
		_, _ = p.out.WriteString(t)
	}
}

// Line adds a value to the page's data, as one line of JSON. "<" is escaped in it.
func (p *Page) Line(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = p.out.Write(append(line, '\n'))
	return err
}

// End completes the page and returns the first write error.
func (p *Page) End() error {
	p.text(dataEnds, "<script>\n", baseScript)
	p.text(p.head.Scripts...)
	p.text("</script>\n</body>\n</html>\n")
	return p.out.Flush()
}

// Data extracts the data lines from the text of a page.
func Data(page string) ([]json.RawMessage, error) {
	_, rest, found := strings.Cut(page, dataBegins)
	data, _, ended := strings.Cut(rest, dataEnds)
	if !found || !ended {
		return nil, errors.New("page: found no data, want those of a page that was ended")
	}
	var lines []json.RawMessage
	for i, line := range strings.Split(strings.TrimSuffix(data, "\n"), "\n") {
		if !json.Valid([]byte(line)) {
			return nil, fmt.Errorf("page: line %d of its data: found no JSON", i+1)
		}
		lines = append(lines, json.RawMessage(line))
	}
	return lines, nil
}
