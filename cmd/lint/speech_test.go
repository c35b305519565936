package main

import "testing"

// Goal: the rule finds each phrase that is not allowed. The texts here are joined from parts,
// because the rule checks this file too.
func TestSpeech(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		want string // wanted finding; "" for none
	}{
		{"folder of a build machine", "see /" + "work/main/x.go", "a path of one machine"},
		{"home folder", `dir := "/` + `home/ada/monosim"`, "a path of one machine"},
		{"home of root", "cp /" + "root/x y", "a path of one machine"},
		{"folder at the start", "/" + "tmp/ref/x", "a path of one machine"},
		{"folder that is another's child", "repo/home/x and $WORK/work/x", ""},
		{"folder in an address", "https://example.com/home/index.html", ""},
		{"folder by itself", "znodes below /work and /home", ""},
		{"temporary folder", "cat > /tmp/x", ""},
		{"proxy of Go modules", "GOPROXY=https://proxy." + "golang.org,direct", "a registry host"},
		{"registry of Python", "--index-url https://pypi." + "org/simple", "a registry host"},
		{"registry of images", "FROM GHCR." + "io/x/y", "a registry host"},
		{"import path", `import "golang.org/x/tools/go/analysis"`, ""},
		{"longer name", "mypypi." + "organic", ""},
		{"binary", "\x00/" + "root/x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := checkSpeech("notes.txt", []byte("first line\n"+c.text+"\n"))
			if c.want == "" {
				if len(got) > 0 {
					t.Errorf("found %v, want nothing", got)
				}
				return
			}
			if len(got) != 1 || got[0].File != "notes.txt" || got[0].Line != 2 || got[0].Text[:len(c.want)] != c.want {
				t.Errorf("found %v, want %s in line 2 alone", got, c.want)
			}
		})
	}
}
