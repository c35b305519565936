package rest

import (
	"encoding/base64"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// base64Of returns the text in an object {"b64": "<text>"}. It returns nil for any other value
// (IsValBase64Object).
func base64Of(v *rapidjson.Value) *string {
	if v.Kind != rapidjson.Object || len(v.Members) != 1 {
		return nil
	}
	if member := &v.Members[0]; member.Name == "b64" && member.Value.Kind == rapidjson.String {
		return &member.Value.Text
	}
	return nil
}

const base64Padding = "=."

// unescapeBase64 decodes text as absl::Base64Unescape does. It skips white space and treats a dot
// as an equals sign. The padding must be complete or missing. Unused bits need not be 0.
func unescapeBase64(text string) ([]byte, bool) {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\v\f\r", r) {
			return -1
		}
		return r
	}, text)
	digits := strings.TrimRight(text, base64Padding)
	padding := len(text) - len(digits)
	if padding != 0 && (len(digits)%4 < 2 || padding != 4-len(digits)%4) {
		return nil, false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(digits)
	return decoded, err == nil
}

func escapeBase64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }
