package serve

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: errors of the disk have TensorFlow's text, which is the path and the text of strerror.
func TestDiskErrors(t *testing.T) {
	l := newLab(t)
	d := &disk{}
	l.must(os.WriteFile(l.path("file"), []byte("abc"), 0o644))
	l.must(os.Symlink("circle", l.path("circle")))
	l.must(os.MkdirAll(l.path("broken", "variables"), 0o755))
	l.must(os.Symlink("nowhere", l.path("broken", "variables", "x")))
	l.must(os.MkdirAll(l.path("loops"), 0o755))
	l.must(os.Symlink(".", l.path("loops", "a")))
	l.must(os.Symlink(".", l.path("loops", "b")))
	read := func(path string) error { _, err := d.ReadFile(path); return err }
	list := func(path string) error { _, err := d.List(path); return err }
	size := func(path string) error { _, err := d.SizeBytes(path); return err }
	tests := []struct {
		name string
		got  error
		want env.RPCError
	}{
		{"no file", read(l.path("none")), env.RPCError{Code: rpcerrors.NotFound, Message: l.path("none") + "; No such file or directory"}},
		{"a file below a file", list(l.path("file", "x")), env.RPCError{Code: rpcerrors.FailedPrecondition, Message: l.path("file", "x") + "; Not a directory"}},
		{"a directory as a file", read(l.dir), env.RPCError{Code: rpcerrors.FailedPrecondition, Message: l.dir + "; Is a directory"}},
		{"a version that leads nowhere", size(l.path("circle")), env.RPCError{Code: rpcerrors.NotFound, Message: l.path("circle") + " not found"}},
		{"a version that is a file", size(l.path("file")), env.RPCError{Code: rpcerrors.FailedPrecondition, Message: l.path("file") + "; Not a directory"}},
		{"a link in it that leads nowhere", size(l.path("broken")), env.RPCError{Code: rpcerrors.NotFound, Message: l.path("broken", "variables", "x") + "; No such file or directory"}},
		{"links in it that lead to it", size("file://" + l.path("loops")),
			env.RPCError{Code: rpcerrors.Unknown, Message: "file://" + l.path("loops") + strings.Repeat("/a", 41) + "; Too many levels of symbolic links"}},
		{"a scheme that is not there", list("hdfs://a/b"), env.RPCError{Code: rpcerrors.Unimplemented,
			Message: "File system scheme 'hdfs' not implemented (file: 'hdfs://a/b')"}},
	}
	for _, test := range tests {
		var got *env.RPCError
		if !errors.As(test.got, &got) || *got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, test.got, &test.want)
		}
	}
	if got := diskError("/x", fs.ErrClosed); !errors.Is(got, fs.ErrClosed) {
		t.Errorf("an error without errno: got %v, want what it was", got)
	}
}

// Goal: a file without read permission gives the right error. The test is skipped for root, who may
// read everything.
func TestFilesWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	l := newLab(t)
	d := &disk{}
	l.must(os.WriteFile(l.path("secret"), nil, 0))
	l.must(os.MkdirAll(l.path("closed"), 0))
	want := env.RPCError{Code: rpcerrors.PermissionDenied, Message: l.path("secret") + "; Permission denied"}
	if _, err := d.ReadFile(l.path("secret")); err == nil || *err.(*env.RPCError) != want {
		t.Errorf("got %v, want %v", err, &want)
	}
	if d.Exists(l.path("closed", "x")) {
		t.Error("a file in a closed directory is there")
	}
}

// Goal: every errno is mapped to the right gRPC code.
func TestErrnoCodes(t *testing.T) {
	want := map[syscall.Errno]rpcerrors.Code{
		syscall.EINVAL: rpcerrors.InvalidArgument, syscall.ETIMEDOUT: rpcerrors.DeadlineExceeded, syscall.ENODEV: rpcerrors.NotFound,
		syscall.EEXIST: rpcerrors.AlreadyExists, syscall.EACCES: rpcerrors.PermissionDenied, syscall.ENOTEMPTY: rpcerrors.FailedPrecondition,
		syscall.EMFILE: rpcerrors.ResourceExhausted, syscall.EFBIG: rpcerrors.OutOfRange, syscall.ENOSYS: rpcerrors.Unimplemented,
		syscall.EAGAIN: rpcerrors.Unavailable, syscall.ESTALE: rpcerrors.Aborted, syscall.ECANCELED: rpcerrors.Canceled, syscall.EIO: rpcerrors.Unknown,
	}
	for errno, code := range want {
		if got := errnoCode(errno); got != code {
			t.Errorf("%v: got %s, want %s", errno, got, code)
		}
	}
}

// Goal: the files of a URI are read from the store directory. A symbolic link counts with the size
// of its target.
func TestDiskPaths(t *testing.T) {
	l := newLab(t)
	d := &disk{store: l.dir}
	l.must(os.MkdirAll(l.path("hdfs", "cluster", "m", "1"), 0o755))
	l.must(os.WriteFile(l.path("hdfs", "cluster", "m", "1", "saved_model.pb"), make([]byte, 1000), 0o644))
	l.must(os.Symlink(l.path("hdfs", "cluster", "m", "1"), l.path("hdfs", "cluster", "m", "2")))
	names, err := d.List("hdfs://cluster/m")
	slices.Sort(names)
	if err != nil || !slices.Equal(names, []string{"1", "2"}) {
		t.Errorf("list: got %v, %v, want 1 and 2", names, err)
	}
	if n, err := d.SizeBytes("hdfs://cluster/m"); n != 2000 || err != nil {
		t.Errorf("size: got %d, %v, want 2000", n, err)
	}
	if !d.Exists("file://"+l.path("hdfs")) || d.Exists("s3://cluster") {
		t.Error("existence of file:// and of what no store has is wrong")
	}
}

// Goal: for damaged or half-copied directories the server logs what upstream logs, and keeps what
// it has loaded. It recovers where upstream does (TFS-3.2, TFS-3.3, TFS-5.7).
func TestDamagedDirectories(t *testing.T) {
	l := newLab(t)
	l.version("good", 1)
	l.serve(tfserving.Profile24, func(o *Options) {
		o.Machine.MaxNumLoadRetries, o.Machine.LoadRetryIntervalMicros = 1000, 100_000
	})
	l.must(l.reloadError(reloadOf(l.modelConfig("good", ""))))
	l.must(os.MkdirAll(l.path("half", "1", "variables"), 0o755)) // saved_model.pb is still being copied
	l.must(os.MkdirAll(l.path("odd"), 0o755))
	for _, name := range []string{"x", "-", "1.5", "99999999999999999999", "2 3"} {
		l.must(os.MkdirAll(l.path("odd", name), 0o755))
	}
	l.must(os.WriteFile(l.path("odd", "7"), []byte("a file is no version, but has a number"), 0o644))
	healed := make(chan error, 1)
	go func() { healed <- l.reloadError(reloadOf(l.modelConfig("good", ""), l.modelConfig("half", ""))) }()
	l.await("half:1 LOADING")
	l.must(os.WriteFile(l.path("half", "1", "saved_model.pb"), []byte("{}"), 0o644))
	l.must(<-healed)
	l.await("half:1 AVAILABLE")

	l.must(os.WriteFile(l.path("file"), nil, 0o644)) // if a base path is a file, polls fail for all models
	stuck := make(chan error, 1)
	go func() {
		stuck <- l.reloadError(reloadOf(l.modelConfig("good", ""), l.modelConfig("half", ""), l.modelConfig("file", "")))
	}()
	l.awaitLog("FileSystemStoragePathSource encountered a filesystem access error: " + l.path("file") + "; Not a directory")
	l.must(os.Remove(l.path("file")))
	l.awaitLog("FileSystemStoragePathSource encountered a filesystem access error: Could not find base path " + l.path("file") + " for servable file")
	l.version("file", 3)
	l.must(<-stuck)
	l.await("file:3 AVAILABLE")
	wantStatus(t, l.statusError(specOf("odd")), codes.NotFound, "Could not find any versions of model odd")
}

// BenchmarkPolls measures one poll of 1,000 models in a real directory. A server polls once a
// second, so 50 ms would be 5 % of a core.
func BenchmarkPolls(b *testing.B) {
	l := newLab(b)
	d := &disk{}
	for i := range 1000 {
		l.must(os.MkdirAll(l.path(strconv.Itoa(i), "1"), 0o755))
	}
	for b.Loop() {
		for i := range 1000 {
			path := l.path(strconv.Itoa(i))
			if !d.Exists(path) {
				b.Fatal("gone: " + path)
			}
			if _, err := d.List(path); err != nil {
				b.Fatal(err)
			}
		}
	}
}
