package datapatterns

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// DatedFiles selects files in a directory that is organized by date. An empty string or 0 means
// that a setting is missing.
type DatedFiles struct {
	InputPath string
	// StartDate and EndDate are days such as 20201120. The end is exclusive.
	StartDate, EndDate string
	StartHour, EndHour int
	Hourly             pysem.OptBool
	// Wildcard selects the files of a day or an hour. None means that it is not set.
	Wildcard pysem.OptString
}

// Arguments returns the default arguments of gen_patterns (datasets.py:339). They select all files
// of each day and ignore the flag is_hourly, unless Q312 is repaired.
func Arguments(kept jobquirks.Set) DatedFiles {
	f := DatedFiles{Wildcard: pysem.Some("*")}
	f.Hourly.Set = kept.Keeps(jobquirks.Q312)
	return f
}

// or returns f with its missing settings taken from flags (datasets.py:347-362).
func (f DatedFiles) or(flags DatedFiles) DatedFiles {
	pick := func(a, b string) string {
		return cmp.Or(a, b)
	}
	f.InputPath, f.StartDate, f.EndDate = pick(f.InputPath, flags.InputPath), pick(f.StartDate, flags.StartDate), pick(f.EndDate, flags.EndDate)
	f.StartHour = cmp.Or(f.StartHour, flags.StartHour)
	f.EndHour = cmp.Or(f.EndHour, flags.EndHour)
	if !f.Hourly.Set {
		f.Hourly = flags.Hourly
	}
	if f.Wildcard.Or("") == "" {
		f.Wildcard = flags.Wildcard
	}
	return f
}

// GenPatterns returns the patterns of each day or hour from the start up to the end, which is
// exclusive and defaults to today (PBDataset.gen_patterns, datasets.py:339). Without a path or a
// start it returns none. Invalid dates and hours raise ValueErrors. A wildcard of None raises a
// TypeError for days and becomes the text None for hours.
func GenPatterns(given, flags DatedFiles, today time.Time) ([]string, error) {
	f := given.or(flags)
	if f.InputPath == "" || f.StartDate == "" {
		return []string{}, nil
	}
	if f.EndDate == "" {
		f.EndDate = today.Format("20060102")
	}
	from, err := dayAndHour(f.StartDate, f.StartHour)
	if err != nil {
		return nil, err
	}
	step, endHour := 24*time.Hour, 0
	if f.Hourly.V {
		step, endHour = time.Hour, f.EndHour
	}
	to, err := dayAndHour(f.EndDate, endHour)
	if err != nil {
		return nil, err
	}
	if n := (to.Unix() - from.Unix()) / int64(step/time.Second); n > mostPatterns {
		return nil, tooMany(pysem.Str(int(n)))
	}
	list := []string{}
	for at := from; at.Before(to); at = at.Add(step) {
		pattern, err := f.pattern(at)
		if err != nil {
			return nil, err
		}
		list = append(list, pysem.JoinStrings(f.InputPath, pattern))
	}
	return list, nil
}

func (f DatedFiles) pattern(at time.Time) (string, error) {
	day := pysem.Str(at.Year()) + at.Format("0102") // Python does not pad years before 1000 with zeros
	switch {
	case f.Hourly.V:
		return day + at.Format("/15") + f.Wildcard.String(), nil
	case !f.Wildcard.Set:
		return "", pysem.Raise("TypeError", "join() argument must be str, bytes, or os.PathLike object, not 'NoneType'")
	}
	return pysem.JoinStrings(day, f.Wildcard.V), nil
}

// dated matches what strptime accepts for %Y%m%d:%H. Some digits may be of any script.
var dated = regexp.MustCompile(`^(\p{Nd}{4})(1[0-2]|0[1-9]|[1-9])(3[0-1]|[1-2]\p{Nd}|0[1-9]|[1-9]| [1-9]):(2[0-3]|[0-1]\p{Nd}|\p{Nd})$`)

func dayAndHour(date string, hour int) (time.Time, error) {
	text := fmt.Sprintf("%s:%02d", date, hour)
	parts := dated.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, pysem.Raise("ValueError", "time data %s does not match format '%%Y%%m%%d:%%H'", pysem.Repr(text))
	}
	var n [4]int
	for i := range n {
		v, _, err := pysem.ParseSmallInt(strings.TrimSpace(parts[i+1]))
		if err != nil {
			return time.Time{}, err
		}
		n[i] = v
	}
	at := time.Date(n[0], time.Month(n[1]), n[2], n[3], 0, 0, 0, time.UTC)
	if n[0] == 0 || at.Day() != n[2] {
		return time.Time{}, pysem.Raise("ValueError", "day is out of range for month")
	}
	return at, nil
}
