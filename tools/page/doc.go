// Package page tries the page of web/ out in a headless browser: every task, at two widths, light and dark, by pointer and by keys alone.
package page
