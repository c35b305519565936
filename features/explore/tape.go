package explore

import (
	"slices"
)

// mostChoices is the largest number of random choices that a scenario may state.
const mostChoices = 6

// minimize makes a list shorter, as long as ok accepts what is left. It removes halves, then
// smaller and smaller parts (Zeller's ddmin, without the complements that equal one of two parts).
// most is how often ok may be called. If ok refuses the whole list, minimize returns nil.
func minimize[T any](list []T, ok func(some []T) bool, most int) (kept []T, asked int) {
	ask := func(some []T) bool {
		asked++
		return ok(some)
	}
	if ask(nil) {
		return []T{}, asked
	}
	if !ask(list) {
		return nil, asked
	}
	parts := 2
	for len(list) > 1 && asked < most {
		size := (len(list) + parts - 1) / parts
		smaller := false
		for at := 0; at < len(list) && asked < most; at += size {
			end := min(at+size, len(list))
			if part := list[at:end]; parts > 1 && len(part) < len(list) && ask(part) {
				list, parts, smaller = part, 2, true
				break
			}
			if rest := slices.Concat(list[:at], list[end:]); parts > 2 && len(rest) > 0 && ask(rest) {
				list, parts, smaller = rest, max(parts-1, 2), true
				break
			}
		}
		switch {
		case smaller:
		case size == 1:
			return list, asked
		default:
			parts = min(2*parts, len(list))
		}
	}
	return list, asked
}
