package explore

import (
	"slices"
)

// mostChoices bounds the choices that a scenario says.
const mostChoices = 6

// minimize cuts a list down as long as ok says that what is left suffices: by halves, then by ever
// smaller parts (Zeller's ddmin, without its complements that are one of two parts). It asks at most
// most times, and returns nil where the whole list does not suffice.
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
