/** The instance: one text that the editor and the table of jobs both show and change, with one history. */
import { defaultKeymap, history, historyKeymap, redo, undo } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Transaction, type TransactionSpec } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Edit } from "./edits";
import type { Fault } from "./engine";
import { locate, steps } from "./locate";

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--green)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--violet)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--paper)", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "'Liberation Mono', Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--shade)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--chosen)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", borderColor: "var(--rule)" },
  ".cm-tooltip": { maxWidth: "min(30rem, 90vw)" },
  ".cm-textfield, .cm-button": { backgroundColor: "var(--paper)", backgroundImage: "none", color: "var(--ink)", borderColor: "var(--rule)" },
  ".cm-searchMatch": { backgroundColor: "var(--chosen)" },
});

/** A longer text has neither colours nor parts to fold: reading it as JSON would take the page's time again and again. */
const mostRead = 5e5;

export class Editor {
  private state: EditorState; // while nobody sees the text
  private view: EditorView | null = null; // while somebody does
  private readonly box = document.createElement("div");
  private readonly root: ShadowRoot;
  private readonly language = new Compartment();
  private isRead = true;
  private kept: { doc: unknown; text: string } | undefined;
  private readonly listeners: (() => void)[] = [];

  constructor(host: HTMLElement) {
    // Inside a shadow root CodeMirror brings its styles without a style element, which the page's policy would refuse.
    this.root = host.attachShadow({ mode: "open" });
    this.box.style.height = "100%";
    this.root.append(this.box);
    this.state = EditorState.create({
      extensions: [
        lineNumbers(), foldGutter(), history(), drawSelection(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches(), this.language.of(json()), lintGutter(),
        syntaxHighlighting(colours), theme,
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "Instance as JSON", tabindex: "0" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) this.tell(); }),
      ],
    });
  }

  /** Shows the text, or hides it: what nobody sees is not drawn. */
  appear(isShown: boolean): void {
    if (isShown === (this.view !== null)) return;
    if (isShown) {
      this.view = new EditorView({ root: this.root, parent: this.box, state: this.state });
      return;
    }
    this.state = this.now();
    this.view?.destroy();
    this.view = null;
  }

  private now(): EditorState { return this.view?.state ?? this.state; }

  private tell(): void {
    this.listeners.forEach((tell) => tell());
  }

  private change(spec: Transaction | TransactionSpec): void {
    if (this.view) return this.view.dispatch(spec as Transaction); // it tells by its listener
    const made = spec instanceof Transaction ? spec : this.state.update(spec);
    this.state = made.state;
    if (made.docChanged) this.tell();
  }

  /** Calls back after each change. */
  onChange(tell: () => void): void {
    this.listeners.push(tell);
  }

  text(): string {
    const { doc } = this.now();
    if (this.kept?.doc !== doc) this.kept = { doc, text: doc.toString() };
    return this.kept.text;
  }

  /** Puts another text in place of all. Undo brings the old one back. */
  replace(text: string): void {
    const isRead = text.length <= mostRead;
    if (isRead !== this.isRead) this.change({ effects: this.language.reconfigure(isRead ? json() : []) });
    this.isRead = isRead;
    this.change({ changes: { from: 0, to: this.now().doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  /** Makes a change; whether there was one to make. */
  edit(change: Edit | null): boolean {
    if (change) this.change({ changes: change, userEvent: "input" });
    return change !== null;
  }

  undo(): boolean { return undo({ state: this.now(), dispatch: (made) => this.change(made) }); }
  redo(): boolean { return redo({ state: this.now(), dispatch: (made) => this.change(made) }); }

  /** Marks faults at their places. */
  mark(faults: Fault[]): void {
    const text = this.text();
    const list = faults.slice(0, 200).map((fault): Diagnostic => ({ ...placeOf(text, fault), severity: "error", message: fault.message }));
    this.change(setDiagnostics(this.now(), list));
  }

  /** Shows the place of a fault. */
  show(fault: Fault): void {
    const { from, to } = placeOf(this.text(), fault);
    this.change({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view?.focus();
  }
}

/** Where a fault is. What is no JSON has its byte in the message. */
function placeOf(text: string, fault: Fault): { from: number; to: number } {
  const byte = /at byte (\d+)/.exec(fault.message);
  if (byte) {
    const from = Math.min(indexOfByte(text, Number(byte[1])), text.length);
    return { from: Math.max(0, Math.min(from, text.length - 1)), to: Math.min(from + 1, text.length) };
  }
  const place = locate(text, steps(fault.path));
  const from = Math.min(place.exact && place.name >= 0 ? place.name : place.from, text.length);
  const to = Math.min(place.exact ? place.to : place.from + 1, text.length);
  const end = text.indexOf("\n", from); // not the whole of a long document
  return { from, to: to - from > 400 && end > from ? Math.min(end, to) : to };
}

function indexOfByte(text: string, byte: number): number {
  let bytes = 0;
  for (let k = 0; k < text.length; k++) {
    if (bytes >= byte) return k;
    const c = text.charCodeAt(k);
    bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c >= 0xd800 && c < 0xe000 ? 2 : 3;
  }
  return text.length;
}
