/** The instance on the page: examples, files, the table and the text, and what is wrong with it. */
import { ask, askText } from "./assistant";
import { h, part, pause, say } from "./dom";
import { Editor } from "./editor";
import { EngineError, type Fault } from "./engine";
import { examples } from "./examples";
import { described, importFiles, openFile, type Opened } from "./files";
import { JobTable } from "./jobs";
import { layOut, Raw } from "./raw";
import { startTabs } from "./tabs";

export class InstanceView {
  readonly editor: Editor;
  private readonly table: JobTable;
  private timer = 0;
  private asked = 0; // examples and files, so that the last one asked for wins
  private kept: { text: string; raw: Raw } | undefined;
  private readonly select = part<HTMLSelectElement>("example");

  /** Others are told of each change, a moment after it, and may be asked to run at once. */
  constructor(private readonly changed: () => void, private readonly run: () => void) {
    this.editor = new Editor(part("editor"));
    this.table = new JobTable(part("jobs"), this.editor);
    this.editor.onChange(() => this.later());
    this.select.replaceChildren(h("option", { value: "" }, "Choose an example…"), ...examples.map((e) => h("option", { value: e.file }, e.title)));
    this.select.addEventListener("change", () => { if (this.select.value) void this.example(this.select.value).then((ok) => { if (ok) this.run(); }); });
    startTabs(part("views"), (name) => this.editor.appear(name === "text"));
  }

  /** The text as a document of a request. */
  raw(): Raw {
    const text = this.editor.text();
    if (this.kept?.text !== text) this.kept = { text, raw: new Raw(JSON.stringify(text)) };
    return this.kept.raw;
  }

  /** Puts a text in place of the instance. */
  put(text: string, from: string): void {
    this.editor.replace(text);
    this.select.value = examples.some((e) => e.file === from) ? from : "";
    this.soon();
  }

  /** Fetches an example; whether it is now the instance: not if it failed, or something else was asked for since. */
  async example(file: string): Promise<boolean> {
    const mine = ++this.asked;
    try {
      const response = await fetch(`examples/${file}`);
      if (!response.ok) throw new Error(`the host answers with status ${response.status}`);
      const text = await response.text();
      if (mine !== this.asked) return false;
      this.put(text, file);
      return true;
    } catch (fault) {
      this.complain([{ path: "", message: `The example ${file} cannot be fetched: ${(fault as Error).message}` }]);
      return false;
    }
  }

  /** Opens a file: an instance, or one of a format that import reads. Several files are together one instance of such a format. Whether it is now the instance. */
  async open(files: File[]): Promise<boolean> {
    const mine = ++this.asked;
    try {
      const opened: Opened[] = [];
      for (const file of files) opened.push(await openFile(file));
      return await this.take(opened, mine);
    } catch (fault) {
      if (mine === this.asked) this.complain([{ path: "", message: (fault as Error).message }]);
      return false;
    }
  }

  private async take(files: Opened[], mine: number): Promise<boolean> {
    const [opened] = files, own = files.find((one) => one.kind !== "foreign" && one.kind !== "swf");
    if (!opened || mine !== this.asked) return false;
    if (own && own.kind !== "instance") throw new Error(`${own.name} is a ${own.kind}: open it under Check.`);
    if (own && files.length > 1) throw new Error(`${own.name} is an instance: open it alone, not with ${files.length - 1} more.`);
    if (own) {
      this.put(own.text!, "");
      say(`opened ${described(own)}`);
      return true;
    }
    say(`reading ${files.map(described).join("; ")}`);
    const { instance, report } = await importFiles(files, askText);
    if (mine !== this.asked) return false;
    await pause();
    const text = layOut(instance);
    await pause();
    if (mine !== this.asked) return false;
    this.put(text, "");
    part("imported").hidden = false;
    part("imported").textContent = report;
    return true;
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.soon(), 300);
  }

  private soon(): void {
    clearTimeout(this.timer);
    part("imported").hidden = true;
    this.changed();
    void this.look(); // in tasks of their own, so that the page answers in between
  }

  /** Shows the jobs, and what is wrong with the instance. */
  private async look(): Promise<void> {
    await pause();
    this.table.draw();
    await pause();
    await this.check();
  }

  /** Asks the engine what is wrong with the instance: it checks an empty schedule, for which it reads the instance first. */
  private async check(): Promise<void> {
    const text = this.editor.text();
    let faults: Fault[] = [];
    try {
      await ask("check", { instance: this.raw(), solution: { schema: "allot/solution/1", jobs: [] } });
    } catch (fault) {
      if (fault instanceof EngineError && fault.faults.length) faults = fault.faults.map((f) => ({ path: f.path.replace(/^instance\.?/, ""), message: f.message }));
      else faults = [{ path: "", message: (fault as Error).message }];
    }
    if (text !== this.editor.text()) return;
    this.complain(faults);
  }

  /** Lists what is wrong, and marks it in the text. */
  complain(faults: Fault[]): void {
    this.editor.mark(faults.filter((f) => f.path !== "" || f.message.includes("at byte")));
    const host = part("faults");
    host.hidden = !faults.length;
    host.replaceChildren(...faults.slice(0, 20).map((fault) => h("li", {}, fault.path === "" ? fault.message
      : h("button", { type: "button", class: "link", onclick: () => { part("tab-text").click(); this.editor.show(fault); } }, h("code", {}, fault.path), ": ", fault.message))),
      ...(faults.length > 20 ? [h("li", {}, `and ${faults.length - 20} more`)] : []));
    document.querySelectorAll<HTMLInputElement>("#jobs input[data-job]").forEach((field) => {
      const at = `jobs[${field.dataset.job}].${field.dataset.field}`, fault = faults.find((f) => f.path === at || f.path.startsWith(at + ".") || f.path.startsWith(at + "["));
      if (fault) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
      field.title = fault?.message ?? "";
    });
  }
}
