package modelmanager

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/quirks"
)

// sourceModel is the newest complete version of one model in the source directory.
type sourceModel struct {
	model, version string
	subModels      []versionPath
}

// versionPath is a version of one sub-model. relative is its path below the model's receiving
// directory, such as "ps_0/7". source is the directory with its files.
type versionPath struct{ relative, source string }

// sourceData finds the models in the source and locks every version that it finds. It also locks
// incomplete versions, and versions of models that this manager does not copy (Q105;
// model_manager.py:294). Models are in the order in which their directories are found.
func (m *ModelManager) sourceData() ([]sourceModel, error) {
	if !m.sourcePath.Set {
		return nil, pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	root := m.sourcePath.V
	dirs, files, ok := pyos.WalkTop(m.e.Files, root)
	if !ok {
		m.logf("%s is empty", root)
		return nil, nil
	}
	var done []string
	for _, file := range files {
		isDone, err := m.isDoneFile(file)
		if err != nil {
			return nil, err
		}
		if isDone {
			done = append(done, file)
		}
	}
	var source []sourceModel
	for _, dir := range dirs {
		complete := slices.Contains(done, dir+WriteDone)
		if complete || m.quirks.Keeps(quirks.Q105) {
			m.lock(pysem.JoinStrings(root, dir))
		}
		if !complete {
			continue
		}
		parts := strings.Split(dir, "@")
		if len(parts) != 2 {
			m.logf("%s is not valid", dir)
			continue
		}
		s := sourceModel{model: parts[0], version: parts[1]}
		s.subModels = m.versionData(pysem.JoinStrings(root, dir, s.model), s.version)
		if len(s.subModels) > 0 {
			source = m.withSource(source, s)
		}
	}
	return source, nil
}

// withSource adds a model's version to source, or replaces an older version of the same model.
func (m *ModelManager) withSource(source []sourceModel, s sourceModel) []sourceModel {
	for i := range source {
		if source[i].model == s.model {
			if m.newer(s.version, source[i].version) {
				source[i] = s
			}
			return source
		}
	}
	return append(source, s)
}

// versionData lists the sub-models below path with the given version. The list is empty if one of
// them lacks that version (model_manager.py:336).
func (m *ModelManager) versionData(path, version string) []versionPath {
	dirs, _, ok := pyos.WalkTop(m.e.Files, path)
	if !ok {
		m.logf("get version data [%s] failed", path)
		return nil
	}
	list := make([]versionPath, 0, len(dirs))
	for _, dir := range dirs {
		v := versionPath{relative: pysem.JoinStrings(dir, version), source: pysem.JoinStrings(path, dir, version)}
		if !env.Exists(m.e.Files, v.source) {
			m.logf("%s not exist", v.source)
			return nil
		}
		list = append(list, v)
	}
	return list
}

// lock writes a read lock file beside the directory. It records the lock even if the file cannot be
// written (model_manager.py:154).
func (m *ModelManager) lock(path string) {
	name := path + ReadLock
	if err := m.e.Files.WriteFile(name, nil); err != nil {
		m.logf("create lock %s failed", name)
	}
	m.locks.Add(name)
}

func (m *ModelManager) noLocks() *pyset.Words[string] {
	return pyset.Strings(pyset.HashingOf(m.e.Python))
}

// RemoveReadLock removes this process's read lock files, in the order of Python's set. A lock file
// that another process left in the source makes it raise an AttributeError, in the attempt to
// remove the file (Q100; model_manager.py:173).
func (m *ModelManager) RemoveReadLock() error {
	for _, name := range m.locks.Keys() {
		m.Delete(pysem.Some(name))
	}
	m.locks = m.noLocks()
	if !m.sourcePath.Set {
		return pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	_, files, _ := pyos.WalkTop(m.e.Files, m.sourcePath.V)
	for _, file := range files {
		if !strings.HasSuffix(file, ReadLock) {
			continue
		}
		if m.quirks.Keeps(quirks.Q100) {
			return pysem.Raise("AttributeError", "module 'os' has no attribute 'join'")
		}
		m.Delete(pysem.Some(pysem.JoinStrings(m.sourcePath.V, file)))
	}
	return nil
}

// copyModel copies a version to temporary directories and then renames them, so that the model
// server never sees half a sub-model (model_manager.py:223). It returns the paths of the
// sub-models. If a sub-model cannot be copied, it removes the others and returns false.
func (m *ModelManager) copyModel(s sourceModel) (paths []string, ok bool, err error) {
	type rename struct{ from, to string }
	var ready []rename
	readyNum := 0
	for _, sub := range s.subModels {
		if !m.receivePath.Set {
			// Python's join raises. Its exception handler then raises too, because it uses
			// temp_dst_file, which is not set yet.
			return nil, false, unboundLocal("temp_dst_file")
		}
		to := pysem.JoinStrings(m.receivePath.V, s.model, sub.relative)
		from := to + "-temp"
		paths = append(paths, to)
		if env.Exists(m.e.Files, to) {
			m.logf("%s exist", to)
			readyNum++
			continue
		}
		if err := m.fillTemp(sub.source, from); err != nil {
			m.logf("copy model %s -> %s faild: %s", sub.source, from, pylog.Text(err))
			m.Delete(pysem.Some(from))
			break
		}
		ready = append(ready, rename{from, to})
		readyNum++
	}
	if readyNum != len(s.subModels) {
		m.logf("copy model faild, ready_num=%d, expect_num=%d", readyNum, len(s.subModels))
		for _, r := range ready {
			m.Delete(pysem.Some(r.from))
		}
		return nil, false, nil
	}
	for _, r := range ready {
		if err := m.e.Files.Rename(r.from, r.to); err != nil {
			return nil, false, pyos.Error(err, r.from)
		}
	}
	return paths, true, nil
}

// fillTemp copies a sub-model into its temporary directory. If an earlier copy has left that
// directory, the reference assumes that it is complete (Q104).
func (m *ModelManager) fillTemp(source, temp string) error {
	if env.Exists(m.e.Files, temp) {
		if m.quirks.Keeps(quirks.Q104) {
			m.logf("%s exist", temp)
			return nil
		}
		m.Delete(pysem.Some(temp))
	}
	return m.copyTree(source, temp)
}

// notCopied is one failure in Python's shutil.Error: the path, its destination, and the error's
// text.
type notCopied struct{ source, destination, why string }

// copyTree does what shutil.copytree does: it continues after a file that fails, it follows links,
// and a destination that exists is an error.
//
// Cost: a copy grows with the bytes of the version, file by file, even when most of them are there
// already. Other models wait for it.
func (m *ModelManager) copyTree(source, destination string) error {
	failed, err := m.copyEntries(source, destination)
	if err != nil || len(failed) == 0 {
		return err
	}
	list := lists.Map(failed, func(f notCopied) any { return pysem.Tuple{f.source, f.destination, f.why} })
	return pysem.Raise("Error", "%s", pysem.Repr(list))
}

// copyEntries copies the entries of a directory. It lists the entries that could not be copied in
// failed. It returns an error only if the directory itself cannot be read or made.
func (m *ModelManager) copyEntries(source, destination string) (failed []notCopied, err error) {
	names, err := m.e.Files.ReadDir(source)
	if err != nil {
		return nil, pyos.Error(err, source)
	}
	if err := pyos.MakeDirs(m.e.Files, destination); err != nil {
		return nil, err
	}
	for _, name := range names {
		from, to := pysem.JoinStrings(source, name), pysem.JoinStrings(destination, name)
		var below []notCopied
		var err error
		if info, none := m.e.Files.Stat(from); none == nil && info.Dir {
			below, err = m.copyEntries(from, to)
		} else {
			err = m.copyFile(from, to)
		}
		if err != nil {
			below = []notCopied{{from, to, pylog.Text(err)}}
		}
		failed = append(failed, below...)
	}
	return failed, nil
}

func (m *ModelManager) copyFile(source, destination string) error {
	data, err := m.e.Files.ReadFile(source)
	if err != nil {
		return pyos.Error(err, source)
	}
	if err := m.e.Files.WriteFile(destination, data); err != nil {
		return pyos.Error(err, destination)
	}
	return nil
}

// Delete removes a file or a directory tree, and reports whether the path is gone
// (model_manager.py:357). A link to a missing file counts as gone. It returns false for None, and
// for a link to a directory, which shutil.rmtree rejects.
func (m *ModelManager) Delete(path pysem.OptString) bool {
	if !path.Set {
		m.logf("delete [None] failed: %s", pylog.Text(statNone()))
		return false
	}
	info, err := m.e.Files.Stat(path.V)
	if err != nil {
		return true
	}
	remove := m.e.Files.Remove
	if info.Dir {
		remove = m.removeTree
	}
	if err := remove(path.V); err != nil {
		m.logf("delete [%s] failed: %s", path.V, pylog.Text(err))
		return false
	}
	return true
}

// removeTree removes a directory tree as shutil.rmtree does: a symbolic link is an OSError.
func (m *ModelManager) removeTree(path string) error {
	if info, err := env.Lstat(m.e.Files, path); err == nil && info.Link {
		return pysem.Raise("OSError", "Cannot call rmtree on a symbolic link")
	}
	return m.e.Files.RemoveAll(path)
}
