package gotestee

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/files"
)

// directory is a file system in memory that knows symbolic links; its working
// directory is the case's own.
type directory struct {
	entries map[string]*entry // by clean absolute path
	cwd     string
	temps   int
}

// entry is a file, a directory (dir) or a link (target).
type entry struct {
	data   []byte
	dir    bool
	target string
}

var _ env.Files = (*directory)(nil)

func newDirectory() *directory {
	d := &directory{entries: map[string]*entry{"/": {dir: true}}, cwd: caseDir}
	d.mkdir(caseDir)
	return d
}

// writeFiles writes the files of a case or of a step (section 3).
func (d *directory) writeFiles(contents *pysem.Dict, where string) {
	if contents == nil {
		return
	}
	for _, item := range contents.Items {
		name := d.abs(strings.ReplaceAll(item.Key, "<TMP>", caseDir))
		if link, ok := linkTarget(item.Value); ok {
			d.mkdir(path.Dir(name))
			d.entries[name] = &entry{target: strings.ReplaceAll(link, "<TMP>", caseDir)}
			continue
		}
		switch v := decode(item.Value, where+"."+item.Key).(type) {
		case string:
			if strings.HasSuffix(item.Key, "/") {
				d.mkdir(name)
				continue
			}
			d.put(name, []byte(v))
		case []byte:
			d.put(name, v)
		case nil:
			d.mkdir(name)
		default:
			badCasef(`%s.%s: found %s, want text, {"$hex"}, {"$link"} or null`, where, item.Key, pysem.Repr(v))
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

// mkdir makes a directory and its parents.
func (d *directory) mkdir(name string) {
	for ; d.entries[name] == nil; name = path.Dir(name) {
		d.entries[name] = &entry{dir: true}
	}
}

// put writes a file and its parents.
func (d *directory) put(name string, data []byte) {
	name = d.abs(name)
	d.mkdir(path.Dir(name))
	d.entries[name] = &entry{data: slices.Clone(data)}
}

func (d *directory) abs(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = d.cwd + "/" + name
	}
	return path.Clean(name)
}

// maxLinks is where Linux gives up on a chain of links.
const maxLinks = 40

var errLoop = errors.New("too many levels of symbolic links")

// resolve follows links; the last part only when follow is set. It gives the path
// to use in entries, which need not exist.
func (d *directory) resolve(op, name string, follow bool) (string, error) {
	fail := func(err error) (string, error) { return "", &fs.PathError{Op: op, Path: name, Err: err} }
	if name == "" {
		return fail(fs.ErrNotExist)
	}
	rest := strings.Split(strings.TrimPrefix(d.abs(name), "/"), "/")
	at := "/"
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == "" {
			continue
		}
		next := path.Join(at, part)
		e := d.entries[next]
		switch {
		case e != nil && e.target != "" && (follow || len(rest) > 0):
			if links++; links > maxLinks {
				return fail(errLoop)
			}
			target := e.target
			if !strings.HasPrefix(target, "/") {
				target = path.Join(at, target)
			}
			rest = append(strings.Split(strings.TrimPrefix(path.Clean(target), "/"), "/"), rest...)
			at = "/"
			continue
		case e == nil && len(rest) > 0:
			return fail(fs.ErrNotExist)
		case e != nil && !e.dir && len(rest) > 0:
			return fail(files.ErrNotDir)
		}
		at = next
	}
	return at, nil
}

// find is an existing entry, links followed.
func (d *directory) find(op, name string) (string, *entry, error) {
	at, err := d.resolve(op, name, true)
	if err != nil {
		return "", nil, err
	}
	e := d.entries[at]
	if e == nil {
		return at, nil, env.NotExist(op, name)
	}
	return at, e, nil
}

func (d *directory) ReadFile(name string) ([]byte, error) {
	_, e, err := d.find("open", name)
	if err != nil {
		return nil, err
	}
	if e.dir {
		return nil, &fs.PathError{Op: "open", Path: name, Err: files.ErrIsDir}
	}
	return slices.Clone(e.data), nil
}

func (d *directory) WriteFile(name string, data []byte) error {
	at, e, err := d.find("open", name)
	if e == nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if e == nil {
		if at == "" || d.entries[path.Dir(at)] == nil {
			return err
		}
		d.entries[at] = &entry{data: slices.Clone(data)}
		return nil
	}
	if e.dir {
		return &fs.PathError{Op: "open", Path: name, Err: files.ErrIsDir}
	}
	e.data = slices.Clone(data)
	return nil
}

func (d *directory) AppendFile(name string, data []byte) error {
	old, err := d.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.WriteFile(name, append(old, data...))
}

func (d *directory) Sync(name string) error {
	_, _, err := d.find("sync", name)
	return err
}

func (d *directory) Rename(oldPath, newPath string) error {
	from, err := d.resolve("rename", oldPath, false)
	if err != nil {
		return err
	}
	to, err := d.resolve("rename", newPath, false)
	if err != nil {
		return err
	}
	source, target := d.entries[from], d.entries[to]
	fail := func(why error) error { return &fs.PathError{Op: "rename", Path: newPath, Err: why} }
	switch {
	case source == nil:
		return env.NotExist("rename", oldPath)
	case from == to:
		return nil
	case strings.HasPrefix(to, from+"/"):
		return fail(fs.ErrInvalid)
	case target != nil && source.dir && !target.dir:
		return fail(files.ErrNotDir)
	case target != nil && !source.dir && target.dir:
		return fail(files.ErrIsDir)
	case target != nil && target.dir && len(d.names(to)) > 0:
		return fail(files.ErrNotEmpty)
	}
	for _, name := range d.below(from) {
		e := d.entries[name]
		delete(d.entries, name)
		d.entries[to+strings.TrimPrefix(name, from)] = e
	}
	return nil
}

// below lists a path and all entries under it, sorted.
func (d *directory) below(top string) []string {
	var list []string
	for name := range d.entries {
		if name == top || strings.HasPrefix(name, strings.TrimSuffix(top, "/")+"/") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// names lists the names in a directory, sorted.
func (d *directory) names(dir string) []string {
	list := []string{}
	for name := range d.entries {
		if name != "/" && path.Dir(name) == dir {
			list = append(list, path.Base(name))
		}
	}
	slices.Sort(list)
	return list
}

func (d *directory) Remove(name string) error {
	at, err := d.resolve("remove", name, false)
	if err != nil {
		return err
	}
	e := d.entries[at]
	switch {
	case e == nil:
		return env.NotExist("remove", name)
	case e.dir && len(d.names(at)) > 0:
		return &fs.PathError{Op: "remove", Path: name, Err: files.ErrNotEmpty}
	}
	delete(d.entries, at)
	return nil
}

func (d *directory) RemoveAll(name string) error {
	at, err := d.resolve("remove", name, false)
	if err != nil {
		return err
	}
	for _, below := range d.below(at) {
		delete(d.entries, below)
	}
	return nil
}

func (d *directory) MkdirAll(name string) error {
	at := "/"
	for _, part := range strings.Split(d.abs(name), "/") {
		next, err := d.resolve("mkdir", path.Join(at, part), true)
		if err != nil {
			return err
		}
		e := d.entries[next]
		switch {
		case e == nil:
			d.entries[next] = &entry{dir: true}
		case !e.dir:
			return &fs.PathError{Op: "mkdir", Path: name, Err: files.ErrNotDir}
		}
		at = next
	}
	return nil
}

func (d *directory) ReadDir(name string) ([]string, error) {
	at, e, err := d.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !e.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: files.ErrNotDir}
	}
	return d.names(at), nil
}

func (d *directory) Stat(name string) (env.FileInfo, error) {
	_, e, err := d.find("stat", name)
	if err != nil {
		return env.FileInfo{}, err
	}
	return env.FileInfo{Name: path.Base(name), SizeBytes: int64(len(e.data)), Dir: e.dir, ModTimeUnixMs: epochSec * 1000}, nil
}

// TempFile names files as Python's tempfile does.
func (d *directory) TempFile() string {
	d.temps++
	return fmt.Sprintf("%s/tmp%08d", caseDir, d.temps)
}

func (d *directory) Getwd() string { return d.cwd }

func (d *directory) Chdir(name string) error {
	at, e, err := d.find("chdir", name)
	if err != nil {
		return err
	}
	if !e.dir {
		return &fs.PathError{Op: "chdir", Path: name, Err: files.ErrNotDir}
	}
	d.cwd = at
	return nil
}

// tree is the case's directory: directories end in a slash and hold null, files
// their text or bytes, links their target.
func (d *directory) tree() *pysem.Dict {
	out := &pysem.Dict{}
	for _, name := range slices.Sorted(maps.Keys(d.entries)) {
		below, ok := strings.CutPrefix(name, caseDir+"/")
		if !ok {
			continue
		}
		switch e := d.entries[name]; {
		case e.dir:
			out.Set(below+"/", nil)
		case e.target != "":
			out.Set(below, raw{object("$link", hide(e.target))})
		default:
			out.Set(below, textOrBytes(e.data))
		}
	}
	return out
}

// textOrBytes is text where data is UTF-8.
func textOrBytes(data []byte) any {
	if text, err := pysem.DecodeUTF8(data); err == nil {
		return text
	}
	return data
}
