package adminserver

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// appendJSON writes fields in the layout of Jackson's pretty printer, which people read and
// scripts parse. It puts a blank before each colon, indents each nested object by two
// blanks, and writes lists on one line.
func appendJSON(b []byte, fields wire.Fields, indent string) []byte {
	if len(fields) == 0 {
		return append(b, "{ }"...)
	}
	b = append(b, '{')
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n"+indent+"  "...)
		b = appendValue(b, f.Name, "")
		b = append(b, " : "...)
		b = appendValue(b, f.Value, indent+"  ")
	}
	return append(b, "\n"+indent+"}"...)
}

func appendValue(b []byte, value any, indent string) []byte {
	switch v := value.(type) {
	case wire.Fields:
		return appendJSON(b, v, indent)
	case wire.Decimal:
		return append(b, v...)
	case []any:
		b = append(b, '[')
		for i, one := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, ' ')
			b = appendValue(b, one, indent)
		}
		return append(b, " ]"...)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(fmt.Sprintf("adminserver: a field is %T: %v", value, err)) // see wire.Field
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
