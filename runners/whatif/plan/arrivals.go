package plan

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// leastArrivals is the smallest number of arrival times that a trace may have. With fewer there is
// no gap between arrivals, from which the rate is computed.
const leastArrivals = 2

// arrivalTimes reads the times of a trace, given one per line or as a column of a table with
// a header. Each is a duration, a number of seconds, or an ISO 8601 instant. An error begins
// with the line number.
func arrivalTimes(text string) ([]Duration, error) {
	rows := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\uFEFF")))
	rows.Comment, rows.FieldsPerRecord, rows.LazyQuotes, rows.TrimLeadingSpace = '#', -1, true, true
	rows.Comma = separatorOf(text)
	var list []Duration
	column, unit, form := 0, time.Second, ""
	for first := true; ; first = false {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf(" %w, want a time a line, or a table with a header", err)
		}
		line, _ := rows.FieldPos(0)
		if first && (len(row) > 1 || isHeader(row[0])) {
			if column, unit, err = timeColumn(row); err != nil {
				return nil, fmt.Errorf("%d: %w", line, err)
			}
			continue
		}
		if column >= len(row) {
			return nil, fmt.Errorf("%d: found %d columns, want a time in column %d", line, len(row), column+1)
		}
		at, of, err := arrivalTime(strings.TrimSpace(row[column]), unit)
		switch {
		case err != nil:
		case form != "" && of != form:
			err = fmt.Errorf("found %s, want %s as above", of, form)
		case len(list) > 0 && at < list[len(list)-1]:
			err = fmt.Errorf("found %q, want times that do not fall", row[column])
		}
		if err != nil {
			return nil, fmt.Errorf("%d: %w", line, err)
		}
		list, form = append(list, at), of
	}
	if len(list) < leastArrivals {
		return nil, fmt.Errorf(" found %d times, want two or more", len(list))
	}
	if list[0] == list[len(list)-1] {
		return nil, fmt.Errorf(" found %d times that are one, want two that differ", len(list))
	}
	return list, nil
}

// separatorOf returns the character that separates the columns of a table, judged by its
// first line.
func separatorOf(text string) rune {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, err := instant(line); line == "" || line[0] == '#' || err == nil {
			continue // a comma in an ISO 8601 time does not separate columns
		}
		for _, r := range "\t;," {
			if strings.ContainsRune(line, r) {
				return r
			}
		}
		break
	}
	return '\t'
}

// timeColumns lists the names of columns that hold times, without a suffix for the unit.
var timeColumns = []string{"time", "timestamp", "@timestamp", "ts", "at", "t", "arrival", "arrival_time", "start", "start_time", "datetime", "date", "when", "instant"}

var columnUnits = map[string]time.Duration{"s": time.Second, "sec": time.Second, "seconds": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond}

// timeColumn finds the column with times in a header. unit is the unit of the column's plain
// numbers, which is taken from the end of its name, if given there.
func timeColumn(header []string) (column int, unit time.Duration, err error) {
	found, names := -1, slices.Clone(header)
	for i, name := range header {
		name = strings.ToLower(strings.Trim(strings.TrimSpace(name), `"`))
		names[i] = name
		bare, of := name, time.Second
		if k := strings.LastIndexAny(name, "_( "); k > 0 {
			if u, ok := columnUnits[strings.Trim(name[k+1:], ") ")]; ok {
				bare, of = strings.TrimRight(name[:k], "_( "), u
			}
		}
		if u, ok := columnUnits[name]; ok && len(name) > 1 {
			bare, of = "time", u
		}
		if found < 0 && slices.Contains(timeColumns, bare) {
			found, unit = i, of
		}
	}
	if found < 0 {
		return 0, 0, fmt.Errorf("found the columns %s, want one named time, or timestamp, of seconds or ISO 8601 (time_ms has milliseconds)", strings.Join(names, ", "))
	}
	return found, unit, nil
}

// isHeader reports whether a word is the name of a column. No time begins with a letter, so
// a letter decides.
func isHeader(word string) bool {
	word = strings.Trim(strings.TrimSpace(word), `"@`)
	return word != "" && isLetter(word[0])
}

// instants lists the accepted forms of ISO 8601.
var instants = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "20060102T150405Z0700", "20060102T150405"}

func instant(word string) (t time.Time, err error) {
	for _, form := range instants {
		if t, err = time.Parse(form, word); err == nil {
			return t, nil
		}
	}
	return t, err
}

// arrivalTime parses one time of a trace. form says in words how the time is written, such as "a
// bare number". unit is the unit of numbers without a unit.
func arrivalTime(word string, unit time.Duration) (at Duration, form string, err error) {
	wanted := fmt.Errorf("found %q, want a time as 0.5s, bare seconds as 0.5, or ISO 8601 as 2030-01-31T12:00:00.5Z", word)
	if t, err := instant(word); err == nil {
		if t.Year() < 1700 || t.Year() > 2200 {
			return 0, "", wanted
		}
		return Duration(t.UnixNano()), "an instant", nil
	}
	if v, err := quantity.Parse(quantity.Duration, word); err == nil {
		if math.Abs(v) > float64(longest) {
			return 0, "", fmt.Errorf("found %q, want at most %s", word, longest.text())
		}
		return Duration(v), "a time with its unit", nil
	}
	number, err := strconv.ParseFloat(word, 64)
	switch {
	case err != nil || math.IsNaN(number):
		return 0, "", wanted
	case math.Abs(number)*float64(unit) > float64(longest):
		return 0, "", fmt.Errorf("found %q, which is more than %s of seconds; a column of milliseconds is named time_ms", word, longest.text())
	}
	whole, fraction, _ := strings.Cut(word, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if fraction == "" || err != nil || strings.ContainsAny(fraction, "eE") {
		return Duration(math.Round(number * float64(unit))), "a bare number", nil
	}
	part, err := strconv.ParseFloat("0."+fraction, 64) // one float64 of Unix time would lose the nanoseconds
	if err != nil {
		return 0, "", wanted
	}
	if strings.HasPrefix(whole, "-") {
		part = -part
	}
	return Duration(seconds*int64(unit)) + Duration(math.Round(part*float64(unit))), "a bare number", nil
}
