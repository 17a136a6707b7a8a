// The chart: one function, made of the parts that the file parts lists. root holds the elements of body.html: a document or a shadow root.
// Options, all absent on a page of its own: tallest (pixels), state (of a chart that this one replaces), choosing (is called with the id of
// each job that is chosen, "" for none), signal (ends the chart).
const gantt = (root, data, options = {}) => {
