// Package userclass has the names of user classes that imports give and answers look for.
package userclass

// Running is the class of jobs that run already on nodes that have no room for them by the files.
const Running = "running"
