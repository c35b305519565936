package main

import (
	"cmp"
	"go/ast"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/monosim/monosim/engine/lists"
)

// pkgDoc demands a package comment that says what the package is, what to use first, and
// where to change what. It checks that the comment is long enough, that it has no chains of
// semicolons, and that the files that it names exist. Generated packages are left out.
var pkgDoc = &analysis.Analyzer{
	Name: "pkgdoc",
	Doc:  "every package has one comment that names it, has 3 sentences or 200 characters, lists what it enumerates, and names files that are there",
	Run:  runPkgDoc,
}

// A package comment must reach at least one of these lengths. A shorter comment cannot say what the
// package is, what to use first and where to change what.
const (
	docSentences  = 3
	docCharacters = 200
)

var sentenceEnd = regexp.MustCompile(`[.!?](\s|$)`)

func runPkgDoc(pass *analysis.Pass) (any, error) {
	var first, documented *ast.File
	for _, file := range pass.Files {
		if isTest(pass, file) || ast.IsGenerated(file) {
			continue
		}
		first = cmp.Or(first, file)
		if file.Doc == nil {
			continue
		}
		if documented != nil {
			pass.Reportf(file.Package, "a second package comment, the first is in %s: keep one, and set a blank line before package",
				path.Base(pass.Fset.Position(documented.Package).Filename))
			continue
		}
		documented = file
	}
	if first == nil {
		return nil, nil
	}

	opening := docOpening(pass)
	if documented == nil {
		pass.Reportf(first.Package, "no package comment: write one that begins %q", opening)
		return nil, nil
	}
	text := documented.Doc.Text()
	if !strings.HasPrefix(text, opening+" ") {
		pass.Reportf(documented.Package, "package comment begins %q: begin it with %q", firstWords(text), opening)
	}
	sentences := len(sentenceEnd.FindAllString(text, -1))
	if sentences < docSentences && len(text) < docCharacters {
		pass.Reportf(documented.Package, "package comment of %d sentences and %d characters: say what the package is, what to use first and where to change what (%d sentences or %d characters)",
			sentences, len(text), docSentences, docCharacters)
	}
	if sentence := chained(text); sentence != "" {
		pass.Reportf(documented.Package, "package comment has more than %d semicolons in the sentence that begins %q: make it a list, an item a line", semicolonsInASentence, sentence)
	}
	dir := filepath.Dir(pass.Fset.Position(documented.Package).Filename)
	for _, name := range missingFiles(pass, dir, text) {
		pass.Reportf(documented.Package, "package comment names %s, which is not there: name the file that does it now", name)
	}
	return nil, nil
}

// goFile matches the name of a Go file. The name stands alone for a file in the package's own
// folder, or has a path from the root of the module. A star in the name stands for several files.
var goFile = regexp.MustCompile("(?:^|[\\s(\\[`\"'])((?:[\\w*]+/)*[A-Za-z*][\\w*]*\\.go)\\b")

// missingFiles returns the files that the text names but that do not exist. dir is the package's
// folder.
func missingFiles(pass *analysis.Pass, dir, text string) (missing []string) {
	room, _ := roomOf(strings.TrimSuffix(pass.Pkg.Path(), "_test"))
	root := strings.TrimSuffix(filepath.ToSlash(dir), room)
	return lists.Select(goFile.FindAllStringSubmatch(text, -1), func(m []string) (string, bool) {
		return m[1], !isThere(filepath.Join(dir, m[1])) && !isThere(filepath.Join(root, m[1]))
	})
}

// isThere reports whether a file matches the pattern.
func isThere(pattern string) bool {
	found, err := filepath.Glob(pattern)
	return err == nil && len(found) > 0
}

// docOpening returns the words with which the package comment must begin: "Package vtime", or
// "Command lint" for a main package in the folder lint.
func docOpening(pass *analysis.Pass) string {
	if pass.Pkg.Name() == "main" {
		return "Command " + path.Base(pass.Pkg.Path())
	}
	return "Package " + pass.Pkg.Name()
}

func firstWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(2, len(words))], " ")
}
