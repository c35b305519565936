package quantity

import (
	"math"
	"strconv"
	"time"
)

const (
	thousand = 1e3
	million  = 1e6
	billion  = 1e9
)

var byteUnits = map[string]float64{
	"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50,
}

// unitsOf maps the units of each kind to their size in the base unit of the kind.
var unitsOf = map[Kind]map[string]float64{
	Number:   {"": 1},
	Count:    {"": 1, "k": thousand, "M": million, "G": billion},
	Duration: {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9},
	Bytes:    byteUnits,
	ByteRate: perSecond(byteUnits),
	Rate: {"/s": 1, "k/s": thousand, "M/s": million, "G/s": billion, "/m": 1. / 60, "k/m": thousand / 60, "M/m": million / 60,
		"/h": 1. / 3600, "k/h": thousand / 3600, "M/h": million / 3600},
	Cost:    {"/h": 1, "k/h": thousand, "M/h": million, "G/h": billion},
	Percent: {"%": 0.01},
	Factor:  {"x": 1},
}

var isWhole = map[Kind]bool{Count: true, Duration: true, Bytes: true}

func perSecond(units map[string]float64) map[string]float64 {
	rates := map[string]float64{}
	for name, value := range units { //lint:order one entry each
		rates[name+"/s"] = value
	}
	return rates
}

// Units returns the units of a kind with their sizes. The schema makes its patterns from
// their names.
func Units(kind Kind) map[string]float64 { return unitsOf[kind] }

// Format formats a value in the base unit of its kind, with the unit that makes it easy to
// read.
func Format(kind Kind, value float64) string {
	switch kind {
	case Duration:
		return formatDuration(time.Duration(value))
	case Bytes:
		return formatBytes(value)
	case ByteRate:
		return formatBytes(value) + "/s"
	case Rate:
		return formatThousands(value) + "/s"
	case Cost:
		return short(value) + "/h"
	case Percent:
		return short(value*100) + "%"
	case Factor:
		return short(value) + "x"
	case Count:
		return formatThousands(value)
	}
	return short(value)
}

// short formats a number to at most six digits.
func short(value float64) string { return strconv.FormatFloat(value, 'g', 6, 64) }

// formatDuration formats whole days, hours and minutes in one unit, and other durations as
// Go does.
func formatDuration(d time.Duration) string {
	for _, u := range []struct {
		name string
		long time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}} {
		if d >= u.long && d%u.long == 0 {
			return strconv.FormatInt(int64(d/u.long), 10) + u.name
		}
	}
	return d.String()
}

func formatBytes(value float64) string {
	names := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; math.Abs(value) >= 1024 && i < len(names)-1; i++ {
		value /= 1024
	}
	return short(value) + " " + names[i]
}

func formatThousands(value float64) string {
	names := []string{"", "k", "M", "G"}
	i := 0
	for ; math.Abs(value) >= 1000 && i < len(names)-1; i++ {
		value /= 1000
	}
	return short(value) + names[i]
}
