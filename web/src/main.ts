/** The page: what happens when, and who tells whom. */
import { Board } from "./board";
import { CheckView } from "./checking";
import { part, say } from "./dom";
import { arrived } from "./engine";
import { copy } from "./exports";
import { keepDrops, onDrop } from "./files";
import { InstanceView } from "./instance";
import { SetupView } from "./setup";
import { decode, encode, isLink, LinkError, longLink } from "./share";
import { bytes } from "./figures";
import { startTabs } from "./tabs";
import { startTheme } from "./theme";
import { TraceView } from "./trace";

startTheme();
const instance: InstanceView = new InstanceView(() => refresh(), () => void run());
const setup = new SetupView(() => refresh());
const board: Board = new Board(() => refresh());
const checking = new CheckView(() => instance.raw(), () => board.runs);
new TraceView();
let known = ""; // the state of the runs that the part Check knows

function refresh(): void {
  const fault = setup.fault();
  part<HTMLButtonElement>("run").disabled = fault !== "";
  part("run").hidden = board.busy;
  part("stop").hidden = !board.busy;
  part("setup-fault").textContent = fault;
  part("stale").hidden = board.busy || board.belongs(instance.editor.text());
  const state = board.runs.map((one) => one.label + one.state).join();
  if (state !== known) {
    known = state;
    if (!board.busy) checking.refresh();
  }
}

async function run(): Promise<void> {
  if (setup.fault()) return say(setup.fault());
  const { solvers, seed, limit } = setup.get(), raw = instance.raw(), text = instance.editor.text();
  const hadFocus = document.activeElement === part("run");
  const ended = board.start(solvers.map((choice) => ({ instance: raw, choice, seed, limit })), text);
  refresh();
  say(`${solvers.map((s) => s.solver).join(", ")} ${solvers.length === 1 ? "runs" : "run"}`);
  if (hadFocus) part("stop").focus();
  await ended;
  refresh();
  if (hadFocus && (document.activeElement === document.body || document.activeElement === part("stop"))) part("run").focus({ preventScroll: true });
}

async function share(): Promise<void> {
  const said = part("link-said"), fault = setup.fault();
  said.hidden = false;
  if (fault) {
    said.textContent = `There is no link yet. ${fault}`;
    return;
  }
  try {
    const link = `${location.origin}${location.pathname}#${await encode({ instance: instance.editor.text(), setup: setup.get() })}`;
    history.replaceState(null, "", link);
    const long = link.length > longLink ? ` It is long (${bytes(link.length)}): some mail programs cut such links.` : "";
    try {
      await copy(link);
      said.textContent = "Link copied. It holds the instance, the solvers, the seed and the limit; nothing was sent." + long;
    } catch {
      said.textContent = "The link is in the address bar: copy it there." + long;
    }
  } catch (fault) {
    said.textContent = (fault as Error).message;
  }
}

/** Opens what the link says, or the first example. */
async function open(): Promise<void> {
  try {
    const shared = await decode(location.hash);
    if (shared) {
      setup.set(shared.setup);
      instance.put(shared.instance, "");
      return void run();
    }
  } catch (fault) {
    const said = part("link-said");
    said.hidden = false;
    said.textContent = (fault instanceof LinkError ? fault.message : `The link cannot be read: ${(fault as Error).message}`) + " The page shows an example instead.";
  }
  if (await instance.example("four.json")) await run();
}

startTabs(part("tasks"), (name) => { if (name === "check") checking.refresh(); });
part("run").addEventListener("click", () => void run());
part("stop").addEventListener("click", () => board.stop());
part("share").addEventListener("click", () => void share());
part("again").addEventListener("click", () => void run());
const file = part<HTMLInputElement>("file");
const opened = async (files: File[]): Promise<void> => { if (files.length && await instance.open(files)) await run(); };
file.addEventListener("change", () => { void opened([...(file.files ?? [])]).then(() => { file.value = ""; }); });
onDrop(part("solve"), (files) => void opened(files));
keepDrops();
document.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !board.busy && !part("solve").hidden) {
    e.preventDefault();
    void run();
  }
});
addEventListener("hashchange", () => { if (isLink(location.hash)) void open(); }); // another place of the page is no reason to lose what is there
arrived().catch((fault: Error) => {
  part("link-said").hidden = false;
  part("link-said").textContent = `The engine cannot be loaded: ${fault.message}. This page needs a browser with WebAssembly and its file allot.wasm beside it.`;
});
void open();
