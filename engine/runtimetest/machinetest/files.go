package machinetest

import (
	"io/fs"

	"github.com/monosim/monosim/engine/env"
)

var fileCases = []testCase{
	{name: "a file is written, replaced, appended to and removed", run: func(r *trial) {
		f := r.e.Files
		r.write("a", "first, and long")
		r.write("a", "second")
		r.must(f.AppendFile("a", []byte(" and third")))
		r.must(f.AppendFile("b", []byte("new")))
		r.must(f.Sync("a"))
		r.want("a", r.read("a"), "second and third")
		r.want("b", r.read("b"), "new")
		r.must(f.Rename("a", "b"))
		r.want("b", r.read("b"), "second and third")
		r.want("a is gone", env.Exists(f, "a"), false)
		r.must(f.Remove("b"))
		r.want("b is gone", env.Exists(f, "b"), false)
	}},
	{name: "directories are made with their parents and listed in order", run: func(r *trial) {
		f := r.e.Files
		r.must(f.MkdirAll("d/e/f"))
		r.must(f.MkdirAll("d/e"))
		r.write("d/z", "")
		r.write("d/b", "")
		names, err := f.ReadDir("d")
		r.must(err)
		r.want("names", names, []string{"b", "e", "z"})
		if err := f.Remove("d"); err == nil {
			r.Error("a directory with files was removed")
		}
		r.must(f.RemoveAll("d"))
		r.must(f.RemoveAll("d"))
		r.want("d is gone", env.Exists(f, "d"), false)
	}},
	{name: "files are described", run: func(r *trial) {
		f := r.e.Files
		r.must(f.MkdirAll("d"))
		r.write("d/file", "12345")
		now := r.e.Clock.Now().UnixMilli()
		info, err := f.Stat("d/file")
		r.must(err)
		if age := now - info.ModTimeUnixMs; age < -patience.Milliseconds() || age > patience.Milliseconds() {
			r.Errorf("the file was written %d ms ago, want hardly any", age)
		}
		info.ModTimeUnixMs = 0
		r.want("file", info, env.FileInfo{Name: "file", SizeBytes: 5})
		dir, err := env.Lstat(f, "d")
		r.must(err)
		r.want("directory", [3]any{dir.Name, dir.Dir, dir.Link}, [3]any{"d", true, false})
	}},
	{name: "errors name the path as it was given", run: func(r *trial) {
		f := r.e.Files
		r.write("file", "")
		for _, path := range []string{"none", "no/such", r.Dir() + "/none"} {
			_, err := f.ReadFile(path)
			r.wantErr(err, path, fs.ErrNotExist)
			_, err = f.Stat(path)
			r.wantErr(err, path, fs.ErrNotExist)
			_, err = f.ReadDir(path)
			r.wantErr(err, path, fs.ErrNotExist)
			r.wantErr(f.Remove(path), path, fs.ErrNotExist)
			r.wantErr(f.Chdir(path), path, fs.ErrNotExist)
			r.wantErr(f.Rename(path, "x"), path, fs.ErrNotExist)
		}
		r.wantErr(f.WriteFile("no/such", nil), "no/such", fs.ErrNotExist)
		r.wantErr(f.AppendFile("no/such", nil), "no/such", fs.ErrNotExist)
		r.wantErr(f.WriteFile(r.Dir(), nil), r.Dir(), nil)
		r.wantErr(f.WriteFile("file/below", nil), "file/below", nil)
		r.wantErr(f.MkdirAll("file/below"), "file/below", nil)
		r.wantErr(f.Chdir("file"), "file", nil)
		_, err := f.ReadFile("")
		r.wantErr(err, "", fs.ErrNotExist)
	}},
	{name: "relative paths count from the working directory", run: func(r *trial) {
		f := r.e.Files
		r.want("at first", f.Getwd(), r.Dir())
		r.must(f.MkdirAll("d/e"))
		r.must(f.Chdir("d"))
		r.want("after chdir", f.Getwd(), r.Dir()+"/d")
		r.write("file", "in d")
		r.must(f.Chdir("e"))
		r.want("from e", r.read("../file"), "in d")
		r.must(f.Chdir(r.Dir()))
		r.want("from outside", r.read("d/file"), "in d")
	}},
	{name: "temporary names are fresh and not yet made", run: func(r *trial) {
		seen := map[string]bool{}
		for range 50 {
			name := r.e.Files.TempFile()
			if seen[name] || env.Exists(r.e.Files, name) {
				r.Errorf("%s is there already", name)
			}
			seen[name] = true
		}
		name := r.e.Files.TempFile()
		r.write(name, "made")
		r.want("content", r.read(name), "made")
		r.must(r.e.Files.Remove(name))
	}},
}
