module github.com/allot-opt/allot

go 1.26
