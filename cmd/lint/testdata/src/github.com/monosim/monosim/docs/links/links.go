// Package links has links that lead somewhere, as [Thing], [Thing.Do], [Thing.Size],
// [utf16.IsSurrogate] and [io.EOF], which this package does not import, or [*Thing]. A
// [word] in brackets, a [PLACEHOLDER] and a[Index] are no links. It is three sentences.
package links

import (
	"unicode/utf16"
	other "unicode/utf8"
)

/* want `link .Nothing. leads nowhere` `link .Thing.Nothing. leads nowhere` */ // [Nothing] is not there, nor is [Thing.Nothing].
var _ = utf16.IsSurrogate

/* want `link .thing.do. leads nowhere` `link .Thing.do. leads nowhere` */ // Lower-case ones are looked at where they have a dot: [thing.do], [Thing.do], [hidden.do].
type hidden struct{ do int }

/* want `link .utf16.Nothing. leads nowhere` `link .elsewhere.Thing. leads nowhere` */ // [utf16.Nothing] is not, [other.RuneError] is, [elsewhere.Thing] is imported by nobody.
type Thing struct{ Size int }

// Do is in code:
//
//	[Nothing]
//
// and in a list:
//
//   - [Thing]
func (Thing) Do() rune { return other.RuneError }

/* want `comment names away[.]go, which is not` `comment names docs.away[.]go, which is not` */ // It is in away.go, links.go, docs/away.go or docs/full/full.go; _test.go is an ending.
var _ = 1
