module engines/synctest

go 1.26.0
