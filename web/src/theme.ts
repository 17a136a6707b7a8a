/** Light and dark: as the system says until the button is used. The choice stays in this browser. */
import { part } from "./dom";

const whole = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];

export const isDark = (): boolean => whole.dataset.theme ? whole.dataset.theme === "dark" : system.matches;

/** Calls back when the colours have changed. */
export function onTheme(tell: () => void): void {
  listeners.push(tell);
}

export function startTheme(): void {
  const button = part("theme");
  const tell = (): void => {
    button.textContent = isDark() ? "Light" : "Dark";
    listeners.forEach((one) => one());
  };
  const kept = stored();
  if (kept === "light" || kept === "dark") whole.dataset.theme = kept;
  button.addEventListener("click", () => {
    whole.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("theme", whole.dataset.theme); } catch { /* the browser keeps nothing */ }
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}

function stored(): string | null {
  try { return localStorage.getItem("theme"); } catch { return null; }
}
