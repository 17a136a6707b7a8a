// Package question declares what allot can be asked: a struct for each question, whose fields are its settings. From the tags of a field come the flag of the command, the member of
// the request to the service, its place in the OpenAPI document and the types of the Python package, and what is said where its value is wrong. Whoever adds a setting adds a field.
//
// # Tags
//
//	json    name in a request; the flag has it with - for _
//	flag    another name of the flag; -: the command has no such flag, as the request asks for what a command writes to a file
//	doc     what the setting is, in the words of the help; a word of capitals in quotes is the placeholder of the value
//	absent  what holds where the setting is absent and its default says it badly
//	enum    the values that there are, separated by commas
//	check   the range, see package model
//
// A text that is the name of a file on the command line, with the placeholder FILE, is the text of the file in a request.
//
// The names of flags in a text, such as --rolling, are those of the members in a request.
package question
