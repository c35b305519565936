package pysem

import "strings"

// AppendJSONIndent appends v as json.dumps(v, indent=n) writes it: each item on a line, indented by
// n blanks for each level. Empty objects and lists stay on one line.
func AppendJSONIndent(b []byte, v any, n int) []byte { return appendJSONIndent(b, v, n, 0) }

func appendJSONIndent(b []byte, v any, n, level int) []byte {
	line := func(b []byte, level int) []byte {
		b = append(b, '\n')
		return append(b, strings.Repeat(" ", n*level)...)
	}
	switch v := v.(type) {
	case *Dict:
		if len(v.Items) == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSONString(line(b, level+1), item.Key)
			b = append(b, ": "...)
			b = appendJSONIndent(b, item.Value, n, level+1)
		}
		return append(line(b, level), '}')
	case []any:
		if len(v) == 0 {
			return append(b, "[]"...)
		}
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSONIndent(line(b, level+1), item, n, level+1)
		}
		return append(line(b, level), ']')
	}
	return AppendJSON(b, v)
}
