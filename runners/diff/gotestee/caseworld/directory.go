package caseworld

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/files"
)

// Directory gives access to the files of the case's host. The working directory is the case's own.
type Directory struct {
	*files.View
	temps int
}

var (
	_ env.Files     = (*Directory)(nil)
	_ env.LinkFiles = (*Directory)(nil)
)

func newDirectory(view *files.View) *Directory {
	d := &Directory{View: view}
	d.must("files", d.FS().MkdirAll(CaseDir))
	return d
}

// must ends the case with an error if its files could not be made. where is their place in the
// case.
func (d *Directory) must(where string, err error) {
	if err != nil {
		BadCasef("%s: %v", where, err)
	}
}

// WriteFiles creates the files that a case or a step lists (section 3 of the protocol).
func (d *Directory) WriteFiles(contents *pysem.Dict, where string) {
	if contents == nil {
		return
	}
	for _, item := range contents.Items {
		name, where := abs(strings.ReplaceAll(item.Key, "<TMP>", CaseDir)), where+"."+item.Key
		if link, ok := linkTarget(item.Value); ok {
			d.must(where, d.FS().MkdirAll(path.Dir(name)))
			d.must(where, d.FS().Symlink(strings.ReplaceAll(link, "<TMP>", CaseDir), name))
			continue
		}
		switch v := decode(item.Value, where).(type) {
		case string:
			if strings.HasSuffix(item.Key, "/") {
				d.must(where, d.FS().MkdirAll(name))
				continue
			}
			d.Put(name, []byte(v))
		case []byte:
			d.Put(name, v)
		case nil:
			d.must(where, d.FS().MkdirAll(name))
		default:
			BadCasef(`%s: found %s, want text, {"$hex"}, {"$link"} or null`, where, pysem.Repr(v))
		}
	}
}

func linkTarget(v any) (string, bool) {
	d, ok := v.(*pysem.Dict)
	if !ok {
		return "", false
	}
	target, ok := d.Get("$link")
	text, isText := target.(string)
	return text, ok && isText
}

// Put writes a file and makes the directories above it.
func (d *Directory) Put(name string, data []byte) {
	name = abs(name)
	d.must(name, d.FS().MkdirAll(path.Dir(name)))
	d.must(name, d.FS().WriteFile(name, data))
}

// abs returns the absolute path of a file of the case.
func abs(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = CaseDir + "/" + name
	}
	return path.Clean(name)
}

// TempFile returns a new path in the case's directory, with a name like those of Python's tempfile.
func (d *Directory) TempFile() string {
	d.temps++
	return fmt.Sprintf("%s/tmp%08d", CaseDir, d.temps)
}

// Tree returns the content of the case's directory. The names of directories end in a slash and
// have the value null. Files have their text or bytes, and links have their target.
func (d *Directory) Tree() *pysem.Dict {
	items := d.below("")
	slices.SortFunc(items, func(a, b pysem.Item) int {
		return strings.Compare(strings.TrimSuffix(a.Key, "/"), strings.TrimSuffix(b.Key, "/"))
	})
	return &pysem.Dict{Items: items}
}

// below lists all that is in a directory of the case, at any depth. dir is "" for the case's own
// directory. Otherwise it ends in a slash.
func (d *Directory) below(dir string) []pysem.Item {
	names, err := d.FS().ReadDir(CaseDir + "/" + dir)
	d.must(dir, err)
	var items []pysem.Item
	for _, name := range names {
		name = dir + name
		full := CaseDir + "/" + name
		info, err := d.FS().Lstat(full)
		d.must(name, err)
		switch {
		case info.Dir:
			items = append(items, pysem.Item{Key: name + "/"})
			items = append(items, d.below(name+"/")...)
		case info.Link:
			target, err := d.FS().Readlink(full)
			d.must(name, err)
			items = append(items, pysem.Item{Key: name, Value: Raw{V: Object("$link", Hide(target))}})
		default:
			content, err := d.FS().ReadFile(full)
			d.must(name, err)
			items = append(items, pysem.Item{Key: name, Value: TextOrBytes(content)})
		}
	}
	return items
}

// TextOrBytes returns data as a string if it is valid UTF-8. Otherwise it returns data itself.
func TextOrBytes(data []byte) any {
	if text, err := pysem.DecodeUTF8(data); err == nil {
		return text
	}
	return data
}
