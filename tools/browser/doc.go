// Package browser looks at the sample pages of bench/report and of draw in a headless browser. It is in this module so that the library does not
// carry the driver of the browser among its dependencies.
package browser
