package steps

import (
	"slices"

	"github.com/monosim/monosim/runners"
)

// vocabulary holds all sentences that scenarios may say to one runner.
type vocabulary []*Sentence

// newVocabulary puts the sentences about a runner's faults among the others, each topic at
// its place, and topics without a place at the end. A caller's own come last.
func newVocabulary(kinds []runners.FaultKind, own ...*Sentence) vocabulary {
	ofTopic := map[string][]*Sentence{}
	var topics []string
	for _, k := range kinds {
		if !slices.Contains(topics, k.Topic()) {
			topics = append(topics, k.Topic())
		}
		ofTopic[k.Topic()] = append(ofTopic[k.Topic()], faultSentences(k)...)
	}
	var v vocabulary
	for _, s := range sentences {
		if s.kind != someFaults {
			v = append(v, s)
			continue
		}
		v = append(v, ofTopic[s.text]...)
		delete(ofTopic, s.text)
	}
	for _, topic := range topics {
		v = append(v, ofTopic[topic]...)
	}
	return append(v, own...)
}

// match returns the sentences that fit a text. More than one is a fault of the vocabulary,
// and all are reported.
func (v vocabulary) match(text string) (found []*Sentence) {
	for _, s := range v {
		if s.expr.MatchString(text) {
			found = append(found, s)
		}
	}
	return found
}

// Vocabulary lists the sentences that scenarios may say to a runner with these faults, in
// their readable form: {word} stands for a word, (text) may be left out, and of a/b one is
// said. words.go has the texts that fit a word.
func Vocabulary(faults []runners.FaultKind) []string {
	return newVocabulary(faults).readable()
}

// FaultSentences lists the sentences about one kind of fault, in their readable form.
func FaultSentences(k runners.FaultKind) []string { return vocabulary(faultSentences(k)).readable() }

func (v vocabulary) readable() []string {
	list := make([]string, len(v))
	for i, s := range v {
		list[i] = s.readable()
	}
	return list
}
