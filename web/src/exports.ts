/** What can be taken away: documents, pictures, and the lines that give the same elsewhere. */
import { ask } from "./assistant";
import { h, say } from "./dom";
import { save } from "./files";
import { layOut, type Raw } from "./raw";
import { named, type Run } from "./run";

/** The menu of exports of a run. */
export function exportMenu(run: Run, instance: () => string): HTMLElement {
  const button = (id: string, text: string, make: () => void | Promise<void>): HTMLElement => h("button", { type: "button", id, onclick: () => {
    Promise.resolve(make()).catch((fault: Error) => say(fault.message));
  } }, text);
  const name = run.label.replace(/[^\w.-]+/g, "-");
  return h("div", { class: "exports" },
    h("div", { class: "line" },
      button("save-instance", "Instance, JSON", () => save("instance.json", instance())),
      button("save-solution", "Schedule, JSON", () => save(`${name}.json`, layOut(run.solution!))),
      button("save-svg", "Picture, SVG", async () => save(`${name}.svg`, await picture(run.task.instance, run.solution!), "image/svg+xml")),
      button("save-png", "Picture, PNG", async () => save(`${name}.png`, await painted(await picture(run.task.instance, run.solution!))))),
    lines("The same on the command line", commandLine(run)), lines("The same in Python", pythonLines(run)));
}

export function commandLine(run: Run): string {
  const { choice, seed, limit } = run.task;
  return `allot solve --solver ${quoted(named(choice))} --seed ${seed} ${limit.kind === "time" ? `--time ${limit.value}s` : `--evals ${limit.value}`} -o plan.json instance.json`;
}

export function pythonLines(run: Run): string {
  const { choice, seed, limit } = run.task;
  return `import allot

inst = allot.Instance.read("instance.json")
sol = allot.solve(inst, ${JSON.stringify(named(choice))}, stop=allot.${limit.kind === "time" ? "MaxRuntime" : "MaxEvaluations"}(${limit.value}), seed=${seed})
sol.save("plan.json")`;
}

function quoted(text: string): string {
  return /^[\w.:=+-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

function lines(title: string, text: string): HTMLElement {
  const button = h("button", { type: "button", class: "quiet", onclick: () => { copy(text).then(() => say(`${title}: copied`), () => say("The browser does not let the page copy: mark the lines and copy them.")); } }, "Copy");
  return h("div", {}, h("div", { class: "line" }, h("h4", {}, title), button), h("pre", { tabindex: "0", role: "region", "aria-label": title }, text));
}

/** Copies a text. */
export async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

async function picture(instance: Raw, solution: Raw): Promise<string> {
  return (await ask<{ text: string }>("draw", { instance, solutions: [solution], format: "svg" })).text;
}

/** A picture in SVG, painted with two dots a pixel. */
function painted(text: string): Promise<Blob> {
  return new Promise((done, failed) => {
    const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas"), pen = canvas.getContext("2d")!;
      canvas.width = 2 * image.width;
      canvas.height = 2 * image.height;
      pen.fillStyle = "#ffffff";
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(url);
      canvas.toBlob((blob) => blob ? done(blob) : failed(new Error("the picture is too large for the browser")), "image/png");
    };
    image.onerror = () => failed(new Error("the browser cannot show the picture"));
    image.src = url;
  });
}
