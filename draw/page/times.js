// Colours, and times and numbers for people.
const jobs = data.jobs, blocks = data.blocks, clusters = data.clusters;
const count = (jobs.id ?? []).length, blockCount = (blocks.job ?? []).length;
const element = id => root.getElementById(id);
const canvas = element("chart"), tip = element("tip"), says = element("says"), pen = canvas.getContext("2d");
const font = size => `${size}px "Liberation Sans", Arial, Helvetica, sans-serif`;

// Light and dark: as the system says until the button is used.
const whole = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => whole.dataset.theme ? whole.dataset.theme === "dark" : system.matches;
const inks = () => isDark()
  ? { paper: "#14171b", idle: "#20262d", line: "#39424c", ink: "#e4e7ea", quiet: "#a9b3bd", late: "#c4161c", edge: "#000000a0", mark: "#ffffff", closed: "#5b6773", price: "#ebb120", carbon: "#aab8ad" }
  : { paper: "#ffffff", idle: "#f1f3f5", line: "#d5dae0", ink: "#1c2128", quiet: "#5b6570", late: "#c4161c", edge: "#1c212890", mark: "#000000", closed: "#9aa5b1", price: "#d2780a", carbon: "#79857f" };

// Times and numbers for people, as the command writes them.
const number = x => {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-4 || size >= 1e15) return x.toExponential(5).replace(/\.?0+e/, "e");
  const text = x.toFixed(Math.max(0, 5 - Math.floor(Math.log10(size))));
  const [whole, part] = text.split(".");
  const rest = (part ?? "").replace(/0+$/, "");
  return (size >= 1e4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole) + (rest ? "." + rest : "");
};
const scales = [[48 * 3600 - 30, 86400, 3600, "d", "h"], [3600, 3600, 60, "h", "min"], [0, 60, 1, "min", "s"]];
const length = x => {
  const seconds = x * data.second;
  if (seconds <= -59.95) return "−" + length(-x);
  if (!(seconds >= 59.95 && seconds < 1e15)) return (number(x) + " " + data.unit).trim();
  const whole = Math.round(seconds);
  const [, large, small, a, b] = scales.find(scale => whole >= scale[0]);
  const n = Math.round(whole / small), per = large / small;
  return n % per ? `${Math.floor(n / per)} ${a} ${n % per} ${b}` : `${n / per} ${a}`;
};
const moment = t => length(t - data.zero);
const percent = share => `${Math.round(100 * share)} %`;
