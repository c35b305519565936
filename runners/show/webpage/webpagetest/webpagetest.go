// Package webpagetest checks pages of runners/show/webpage in tests: as a parser reads them, and as
// a headless browser shows them.
//
// Two things to use first:
//
//   - [AsksForNothing] fails the test if a page would load something.
//   - [Classes] counts a page's elements by class after its script has run; [Opened] also says
//     how long that took.
//
// To change what counts as loading, see AsksForNothing. To change which browsers are tried, see
// browsers.
//
// Unstable: any commit may change it.
package webpagetest

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// asking matches code in scripts and styles that makes a browser load something.
var asking = regexp.MustCompile(`\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|\bimport\b|@import|url\(|\.src\s*=|\.href\s*=`)

// AsksForNothing fails the test if a page could load anything. It checks every element, attribute,
// script and style.
func AsksForNothing(t testing.TB, page string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	policy, scripts := "", 0
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if slices.Contains([]string{"src", "href", "srcset", "action", "data", "poster", "background", "manifest"}, a.Key) || strings.Contains(a.Val, "//") {
				t.Errorf("<%s %s=%q>: want nothing from elsewhere", n.Data, a.Key, a.Val)
			}
			if a.Val == "Content-Security-Policy" {
				policy = n.Attr[1].Val
			}
		}
		switch n.Data {
		case "link", "img", "iframe", "object", "embed", "base", "audio", "video", "form":
			t.Errorf("found <%s>", n.Data)
		case "script", "style":
			scripts++
			checkText(t, n)
		}
	}
	if want := "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"; policy != want {
		t.Errorf("content security policy: want %q, got %q", want, policy)
	}
	if scripts != 3 {
		t.Errorf("found %d scripts and styles, want 3: a style, the data and a script", scripts)
	}
}

// checkText checks the text of a script or a style. Scripts with attributes hold data and are
// skipped.
func checkText(t testing.TB, n *html.Node) {
	if n.Attr != nil {
		return
	}
	text := strings.ReplaceAll(n.FirstChild.Data, `"http://www.w3.org/2000/svg"`, "the name of SVG, which is not asked for")
	if asking.MatchString(text) {
		t.Errorf("<%s>: found %q", n.Data, asking.FindString(text))
	}
	if i := strings.Index(text, "://"); i >= 0 {
		t.Errorf("<%s>: found an address: %q", n.Data, text[max(i-10, 0):min(i+50, len(text))])
	}
}

// browsers lists the program names of browsers that the tests can use.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// Classes opens a page in a headless browser whose window has this width, and counts the page's
// elements by class. It skips the test if no browser is installed.
func Classes(t testing.TB, page string, width int) map[string]int {
	t.Helper()
	count, _ := classes(shown(t, page, width, "--virtual-time-budget=5000"))
	return count
}

// Texts opens a page as Classes does, and returns the texts of its elements of a class.
func Texts(t testing.TB, page, class string) []string {
	t.Helper()
	var list []string
	for n := range shown(t, page, 1400, "--virtual-time-budget=5000").Descendants() {
		if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "class" && slices.Contains(strings.Fields(a.Val), class) }) {
			list = append(list, textOf(n))
		}
	}
	return list
}

// textOf returns the texts of an element and those below it, with a space between them.
func textOf(n *html.Node) string {
	var parts []string
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			parts = append(parts, d.Data)
		}
	}
	return strings.Join(parts, " ")
}

// Opened counts elements as Classes does, but in wall time. took is the time from the start of
// loading until the page's script had ended.
func Opened(t testing.TB, page string, width int) (took time.Duration, count map[string]int) {
	t.Helper()
	const last = "</script>\n</body>"
	timed := strings.Replace(page, last, "\ndocument.body.className = `ms-${Math.ceil(performance.now())}`;\n"+last, 1)
	if timed == page {
		t.Fatalf("found no %q at the end of the page", last)
	}
	count, list := classes(shown(t, timed, width))
	for _, class := range list {
		if ms, ok := strings.CutPrefix(class, "ms-"); ok {
			n, err := strconv.Atoi(ms)
			if err != nil {
				t.Fatal(err)
			}
			return time.Duration(n) * time.Millisecond, count
		}
	}
	t.Fatal("the page's script did not come to its end")
	return 0, nil
}

// shown opens a page in a headless browser, and returns its elements after its script has run.
func shown(t testing.TB, page string, width int, flags ...string) *html.Node {
	t.Helper()
	i := slices.IndexFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if i < 0 {
		t.Skipf("found none of %s", strings.Join(browsers, ", "))
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "page.html")
	if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browsers[i], append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+dir,
		"--window-size="+strconv.Itoa(width)+",2000", "--dump-dom", "file://"+name)...)
	cmd.Stderr = io.Discard
	dom, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(dom))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// classes counts the elements of a document by class. list has the classes in document order.
func classes(doc *html.Node) (count map[string]int, list []string) {
	count = map[string]int{}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "class" {
				for _, class := range strings.Fields(a.Val) {
					count[class]++
					list = append(list, class)
				}
			}
		}
	}
	return count, list
}
