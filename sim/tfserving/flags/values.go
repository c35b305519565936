package flags

import (
	"math"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/tfserving"
)

// blanks are what C's isspace knows.
const blanks = " \t\n\v\f\r"

// readInt reads a number as the profile's parser does (TFS-9.4): tfs-2.4 by sscanf("%d%c"),
// which takes blanks before the number but none after it, saturates at 64 bits
// and then cuts to 32; tfs-head by absl::SimpleAtoi, which takes blanks on both
// sides and refuses what does not fit.
func readInt(p tfserving.Profile, text string, kind flagKind) (int64, bool) {
	text = strings.TrimLeft(text, blanks)
	if p == tfserving.ProfileHead {
		n, err := strconv.ParseInt(strings.TrimRight(text, blanks), 10, kind.bits())
		return n, err == nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && err.(*strconv.NumError).Err != strconv.ErrRange {
		return 0, false
	}
	if kind == int32Flag {
		n = int64(int32(n))
	}
	return n, true
}

func (k flagKind) bits() int {
	if k == int32Flag {
		return 32
	}
	return 64
}

func boolValue(profile tfserving.Profile, on bool) string {
	if profile == tfserving.ProfileHead {
		return strconv.FormatBool(on)
	}
	return "=" + strconv.FormatBool(on)
}

// readBool reads a boolean; tfs-head also takes 1 and 0, and any case.
func readBool(profile tfserving.Profile, text string) (on, ok bool) {
	if profile == tfserving.ProfileHead {
		text = strings.ToLower(text)
		on = text == "true" || text == "1"
		return on, on || text == "false" || text == "0"
	}
	return text == "=true", text == "=true" || text == "=false"
}

// readsFloat reports whether a float can be read; no float has an effect here.
func readsFloat(text string) bool {
	n, err := strconv.ParseFloat(strings.TrimLeft(text, blanks), 32)
	return err == nil || math.IsInf(n, 0)
}
