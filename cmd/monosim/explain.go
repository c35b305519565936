package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/cmd/monosim/whatif"
	"github.com/monosim/monosim/runners/show/documents"
	"github.com/monosim/monosim/runners/show/rules"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/vectors/scope"
)

// explained is a code such as Q117 with its place and text, for the output with --json.
type explained struct {
	Code string `json:"code"`
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// newExplainCommand makes `monosim explain`.
func newExplainCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [CODE...]",
		Short: "Say what a code or a word means that is printed: Q117, ZK-6.4, METASTABLE",
		Long: `Say what a code means that errors, reports, tags and traces have: a quirk of the
reference (Q), or a rule of the documents that say what is simulated (ZK, TFS, CNS, TRN,
INV, CAP). A prefix alone lists its codes; without any the prefixes are listed. Words of
the reports of monosim whatif (METASTABLE, n_eff, certificate), metrics of its objectives
and keys of its plans (client.hedge.after) are explained, too; "words" lists the words.`,
		Example: `  monosim explain Q117
  monosim explain ZK-6.4 CAP-3.12
  monosim explain METASTABLE n_eff 'p99(request)'
  monosim explain CAP
  monosim explain --json INV-5`,
		ValidArgsFunction: completeWith(allCodes),
		RunE: func(cmd *cobra.Command, codes []string) error {
			return explainAll(cmd.OutOrStdout(), codes, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

// explainAll prints the meaning of each code or word. Several arguments together may also form one
// term, such as WHY NOT LESS.
func explainAll(w io.Writer, codes []string, asJSON bool) error {
	if len(codes) == 0 {
		return listPrefixes(w, asJSON)
	}
	list := explainWord(strings.Join(codes, " "))
	if len(codes) == 1 || list == nil {
		list = []explained{}
		for _, code := range codes {
			found, err := explainCode(code)
			if err != nil {
				return command.BadInput(err)
			}
			list = append(list, found...)
		}
	}
	if asJSON {
		return writeJSON(w, list)
	}
	return printExplained(w, list)
}

// listPrefixes prints the prefixes of codes, with the number of codes of each.
func listPrefixes(w io.Writer, asJSON bool) error {
	type prefix struct {
		Prefix string `json:"prefix"`
		Codes  int    `json:"codes"`
		About  string `json:"about"`
		Path   string `json:"path"`
	}
	list := []prefix{{"Q", len(quirkIDs()), "surprises and faults of the reference", "vectors/quirks.yaml"}}
	for _, d := range documents.All() {
		list = append(list, prefix{d.Prefix, len(rules.Numbers(d)), d.About, d.Path})
	}
	for _, d := range documents.All() {
		if n := len(rules.Words(d)); n > 0 {
			list = append(list, prefix{allWords, n, "words of reports", d.Path})
		}
	}
	if asJSON {
		return writeJSON(w, list)
	}
	for _, p := range list {
		if _, err := fmt.Fprintf(w, "%-5s %4d  %s (%s)\n", p.Prefix, p.Codes, p.About, p.Path); err != nil {
			return err
		}
	}
	return nil
}

// allWords is the argument for which `monosim explain` lists all words of reports. In the same way
// it lists all codes for a prefix.
const allWords = "words"

var quirkID = regexp.MustCompile(`^Q\d*$`)

// explainCode explains one term: a code, a prefix, a word of a report, a metric, or a key of a
// plan. For a prefix it lists all codes.
func explainCode(written string) ([]explained, error) {
	if list := explainWord(written); list != nil {
		return list, nil
	}
	if text, err := whatif.ExplainMetric(written); err == nil {
		return []explained{{Code: written, Path: "runners/whatif/README.md", Text: strings.TrimSpace(text)}}, nil
	}
	code := strings.ToUpper(written)
	if quirkID.MatchString(code) {
		return explainQuirk(code)
	}
	prefix, _, ok := strings.Cut(code, "-")
	for _, d := range documents.All() {
		if d.Prefix != prefix {
			continue
		}
		if !ok {
			return namesOf(d), nil
		}
		if text, line := rules.Find(d, code); text != "" {
			return []explained{{code, d.Path, line, plainText(text)}}, nil
		}
		return nil, fmt.Errorf("code: found %q, want one of %s%s", code, d.Path, plan.Nearest(code, rules.Numbers(d)))
	}
	return nil, fmt.Errorf("code: found %q, want a quirk as Q117, or a rule as ZK-6.4 (ZK, TFS, CNS, TRN, INV, CAP), a word of a report as n_eff, a metric, or a key of a plan%s", written, plan.Nearest(written, append(allCodes(), plan.MetricNames()...)))
}

// explainWord looks up a word of a report, ignoring upper and lower case. For "words" it returns
// all of them. It returns nil if no document has the word.
func explainWord(word string) (list []explained) {
	for _, d := range documents.All() {
		for _, one := range rules.Words(d) {
			if strings.EqualFold(word, one) || word == allWords {
				text, line := rules.Word(d, one)
				list = append(list, explained{one, d.Path, line, text})
			}
		}
	}
	return list
}

// explainQuirk explains the quirk with the given id. For the id "Q" it lists all quirks.
func explainQuirk(id string) (list []explained, err error) {
	if id == "Q" {
		all, err := scope.Quirks()
		for _, q := range all {
			list = append(list, explained{q.ID, "vectors/quirks.yaml", 0, q.Effect})
		}
		return list, err
	}
	q, err := scope.FindQuirk(id)
	if err != nil {
		return nil, err
	}
	shown, err := showQuirks([]scope.Quirk{q})
	if err != nil {
		return nil, err
	}
	_, text, _ := strings.Cut(shown[0].text(), "\n")
	return []explained{{q.ID, "vectors/quirks.yaml", 0, strings.TrimRight(text, "\n")}}, nil
}

// namesOf lists the codes that a document defines, each with the first sentence of its text.
func namesOf(d rules.Document) (list []explained) {
	for _, n := range rules.Numbers(d) {
		text, line := rules.Find(d, n)
		first, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(plainText(text), n)), "\n")
		if s, _, cut := strings.Cut(first, ". "); cut {
			first = s
		}
		list = append(list, explained{n, d.Path, line, first})
	}
	return list
}

var (
	markup = regexp.MustCompile(`\*\*|^#+ +|^[-*] +`)
	row    = regexp.MustCompile(`^\| *(.*?) *\|$`)
)

// plainText removes the Markdown marks from the first line of a rule. If the rule is a row of a
// table, it puts each cell on a line of its own.
func plainText(text string) string {
	first, rest, more := strings.Cut(text, "\n")
	if m := row.FindStringSubmatch(first); m != nil && !more {
		return strings.Join(strings.Split(m[1], " | "), "\n")
	}
	first = markup.ReplaceAllString(first, "")
	if !more {
		return first
	}
	return first + "\n" + rest
}

func printExplained(w io.Writer, list []explained) error {
	for i, e := range list {
		short := len(list) > 1 && !strings.Contains(e.Text, "\n")
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(e.Text, e.Code), ":"))
		format := "%s (%s)\n%s\n"
		at := e.Path
		if e.Line > 0 {
			at = fmt.Sprintf("%s:%d", e.Path, e.Line)
		}
		var err error
		switch {
		case short:
			_, err = fmt.Fprintf(w, "%-9s %s\n", e.Code, text)
		case i > 0:
			_, err = fmt.Fprintf(w, "\n"+format, e.Code, at, text)
		default:
			_, err = fmt.Fprintf(w, format, e.Code, at, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// allCodes lists every code and every prefix that `monosim explain` knows.
func allCodes() []string {
	list := []string{"Q"}
	for _, line := range quirkIDs() {
		id, _, _ := strings.Cut(line, "\t")
		list = append(list, id)
	}
	for _, d := range documents.All() {
		list = append(list, d.Prefix)
		list = append(list, rules.Numbers(d)...)
		list = append(list, rules.Words(d)...)
	}
	return list
}
