/** Numbers and times for people, as the command writes them. */

/** Six figures, with commas from 10,000 on. */
export function number(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-4 || size >= 1e15) return x.toExponential(5).replace(/\.?0+e/, "e");
  const [whole = "", part = ""] = x.toFixed(Math.min(100, Math.max(0, 5 - Math.floor(Math.log10(size))))).split(".");
  const rest = part.replace(/0+$/, "");
  return (size >= 1e4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole).replace("-", "−") + (rest ? "." + rest : "");
}

export function percent(x: number | null | undefined): string {
  return x === null || x === undefined ? "–" : number(Number(x.toPrecision(3))) + " %";
}

export function counted(n: number, word: string): string {
  return `${number(n)} ${word}${n === 1 ? "" : "s"}`;
}

export function bytes(n: number): string {
  return n < 1000 ? counted(n, "byte") : n < 1e6 ? `${Math.round(n / 1000)} kB` : `${number(Math.round(n / 1e5) / 10)} MB`;
}

const seconds: Record<string, number> = { ms: 0.001, s: 1, sec: 1, second: 1, seconds: 1, min: 60, minute: 60, minutes: 60, h: 3600, hour: 3600, hours: 3600, d: 86400, day: 86400, days: 86400 };
const scales: [number, number, number, string, string][] = [[48 * 3600 - 30, 86400, 3600, "d", "h"], [3600, 3600, 60, "h", "min"], [0, 60, 1, "min", "s"]];

/** A length of time in a unit, in two units from a minute on. */
export function length(x: number, unit: string): string {
  const total = x * (seconds[unit] ?? NaN);
  if (total <= -59.95) return "−" + length(-x, unit);
  if (!(total >= 59.95 && total < 1e15)) return (number(x) + " " + unit).trim();
  const whole = Math.round(total);
  const [, large, small, a, b] = scales.find((scale) => whole >= scale[0])!;
  const n = Math.round(whole / small), per = large / small;
  return n % per ? `${Math.floor(n / per)} ${a} ${n % per} ${b}` : `${n / per} ${a}`;
}

/** How far an objective may be from the best, in per cent, as the command states it: of the objective. */
export function gap(objective: number | null | undefined, bound: number | null | undefined): number | null {
  if (objective === null || objective === undefined || bound === null || bound === undefined) return null;
  const size = Math.abs(objective), difference = objective - bound;
  if (!(difference > 1e-9 * size)) return 0; // equal but for rounding
  return size > 0 ? 100 * difference / size : null;
}
