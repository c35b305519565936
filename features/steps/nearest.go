package steps

import (
	"regexp"
	"strings"

	"github.com/agnivade/levenshtein"
)

var prefixWords = regexp.MustCompile(`^(?:within|for) ` + durationText + ` `)

// nearest is the sentence whose readable form is the least edits away from text,
// counted in words: a word of the vocabulary that text has a valid form for is
// no edit.
func (v vocabulary) nearest(text string) string {
	asked := strings.Fields(prefixWords.ReplaceAllString(text, ""))
	best, bestDistance := "", -1
	for _, s := range v {
		d := distance(asked, strings.Fields(s.text))
		if bestDistance < 0 || d < bestDistance {
			best, bestDistance = s.text, d
		}
	}
	return best
}

// editCost is the price of adding, dropping or replacing a whole word; replacing
// a word by a similar one is cheaper.
const editCost = 4

// distance is the cost of turning the words of a into those of b.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j * editCost
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = (i + 1) * editCost
		for j, y := range b {
			replaced := diagonal + unlike(x, y)
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+editCost, diagonal+editCost)
		}
	}
	return row[len(b)]
}

// unlike is from 0 for a word that fits to editCost for one that does not.
func unlike(said, known string) int {
	if known == said {
		return 0
	}
	if strings.ContainsAny(known, "{(/") {
		if regexp.MustCompile(`^(?:` + fitting(known) + `)$`).MatchString(said) {
			return 0
		}
		if strings.HasPrefix(known, "{") {
			return editCost - 1
		}
	}
	switch letters := levenshtein.ComputeDistance(said, known); {
	case letters <= 2 && letters < len(known):
		return 1
	case letters*2 <= len(known):
		return 2
	}
	return editCost
}

// fitting is expression for one word of a sentence; a list or a phrase is
// recognized by any of its words.
func fitting(known string) string {
	switch known {
	case "{pods}", "{agents}", "{servers}", "{server}", "{places}":
		return `(?:` + podName + `),?`
	case "{text}":
		return `"[^"]*"?`
	}
	return expression(known)
}
