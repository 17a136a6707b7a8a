/** Tabs: one of several parts is shown. Arrow keys go from tab to tab, as screen readers say. */

/** Starts the tabs of a list; each names the part that it controls. */
export function startTabs(list: HTMLElement, chosen: (name: string) => void): void {
  const tabs = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
  const choose = (tab: HTMLElement, focus: boolean): void => {
    for (const one of tabs) {
      one.setAttribute("aria-selected", String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")!)!.hidden = one !== tab;
    }
    if (focus) tab.focus();
    chosen(tab.dataset.name ?? "");
  };
  tabs.forEach((tab, k) => {
    tab.addEventListener("click", () => choose(tab, false));
    tab.addEventListener("keydown", (e) => {
      const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
      if (!by) return;
      e.preventDefault();
      choose(tabs[(k + by + tabs.length) % tabs.length]!, true);
    });
  });
}
