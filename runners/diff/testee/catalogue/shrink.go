package catalogue

import (
	"slices"
)

// maxShrinkTries is how many variants may be tried to shrink one case.
const maxShrinkTries = 400

// Shrink makes a tape of draws smaller, as long as differs reports that the case made of it still
// differs. It removes runs of draws, then lowers single draws. The result is never larger than
// tape.
func Shrink(tape []uint64, differs func(tape []uint64) bool) []uint64 {
	s := &shrinker{attempts[[]uint64]{best: slices.Clone(tape), differs: differs}}
	for improved := true; improved && s.tries < maxShrinkTries; {
		improved = s.cut()
		improved = s.lower() || improved
	}
	return s.best
}

type shrinker struct{ attempts[[]uint64] }

// attempts holds the smallest variant so far of a tape or a case, and counts the tries.
type attempts[T any] struct {
	best    T
	differs func(T) bool
	tries   int
}

// try makes a smaller variant the best one if it still differs, and reports whether it differs.
// After maxShrinkTries tries it returns false.
func (a *attempts[T]) try(one T) bool {
	if a.tries >= maxShrinkTries {
		return false
	}
	a.tries++
	if !a.differs(one) {
		return false
	}
	a.best = one
	return true
}

// cut deletes sequences of consecutive draws from the tape, long ones first. It keeps a deletion if
// the answers still differ, and reports whether it kept any.
func (s *shrinker) cut() bool {
	improved := false
	for size := len(s.best) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(s.best); {
			tape := slices.Delete(slices.Clone(s.best), at, at+size)
			if s.try(tape) {
				improved = true
			} else {
				at += size
			}
		}
	}
	return improved
}

// lower replaces single draws by smaller numbers. It tries 0, 1 and 2, then half of the draw, then
// one less than the draw.
func (s *shrinker) lower() bool {
	improved := false
	for i := 0; i < len(s.best); i++ {
		for _, v := range []uint64{0, 1, 2, s.best[i] / 2, s.best[i] - 1} {
			if i >= len(s.best) || s.best[i] == 0 || v >= s.best[i] {
				continue
			}
			tape := slices.Clone(s.best)
			tape[i] = v
			if s.try(tape) {
				improved = true
				break
			}
		}
	}
	return improved
}
