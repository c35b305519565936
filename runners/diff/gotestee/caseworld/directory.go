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

// Directory is the files of a case's process: those of its host, with the case's own
// directory as the working directory.
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

// must ends the case with an error where its files cannot be made.
func (d *Directory) must(where string, err error) {
	if err != nil {
		BadCasef("%s: %v", where, err)
	}
}

// WriteFiles writes the files of a case or of a step (section 3).
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

// Put writes a file and makes its parents.
func (d *Directory) Put(name string, data []byte) {
	name = abs(name)
	d.must(name, d.FS().MkdirAll(path.Dir(name)))
	d.must(name, d.FS().WriteFile(name, data))
}

// abs returns the path of a case's file.
func abs(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = CaseDir + "/" + name
	}
	return path.Clean(name)
}

// TempFile returns a new name as Python's tempfile makes them, in the case's directory.
func (d *Directory) TempFile() string {
	d.temps++
	return fmt.Sprintf("%s/tmp%08d", CaseDir, d.temps)
}

// Tree returns the case's directory: directories end in a slash and hold null, files
// their text or bytes, links their target.
func (d *Directory) Tree() *pysem.Dict {
	items := d.below("")
	slices.SortFunc(items, func(a, b pysem.Item) int {
		return strings.Compare(strings.TrimSuffix(a.Key, "/"), strings.TrimSuffix(b.Key, "/"))
	})
	return &pysem.Dict{Items: items}
}

// below lists a directory of the case with all that is in it; dir is "" for the case's own,
// and ends in a slash otherwise.
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

// TextOrBytes returns a string where data is UTF-8, and data itself otherwise.
func TextOrBytes(data []byte) any {
	if text, err := pysem.DecodeUTF8(data); err == nil {
		return text
	}
	return data
}
