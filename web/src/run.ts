/** A run of a solver: what it found so far. */
import { Engine, EngineError } from "./engine";
import { cut, headOf, type Head, type Raw } from "./raw";

/** A solver with its parameters. */
export interface Choice { solver: string; param: Record<string, string> }

/** The solver as the command names it. */
export function named(choice: Choice): string {
  return [choice.solver, ...Object.entries(choice.param).map(([name, value]) => `${name}=${value}`)].join(":");
}

/** Where a run ends. */
export interface Limit { kind: "evaluations" | "time"; value: number }

/** What is to be run. */
export interface Task { instance: Raw; choice: Choice; seed: number; limit: Limit }

/** An improvement. */
export interface Point { elapsed: number; objective?: number; bound?: number; evaluations: number; left?: number }

export type State = "waiting" | "running" | "stopping" | "ended" | "failed";

export class Run {
  state: State = "waiting";
  points: Point[] = [];
  solution: Raw | null = null;
  head: Head = {};
  elapsed = 0;
  evaluations = 0;
  /** How the run ended: optimal, feasible, infeasible, unknown. */
  status = "";
  stopped = "";
  note = "";
  fault: EngineError | Error | null = null;
  private begun = 0;
  private id = 0;
  private watchdog = 0;
  private engine: Engine | undefined;

  constructor(readonly task: Task, readonly label: string, private readonly changed: () => void) {}

  get name(): string { return named(this.task.choice); }
  get over(): boolean { return this.state === "ended" || this.state === "failed"; }
  get objective(): number | undefined { return this.head.objective ?? this.points.at(-1)?.objective; }
  /** Jobs that the schedule leaves out although it owes them: fewer are better, whatever the objective. */
  get owed(): number { return this.points.at(-1)?.left ?? 0; }
  /** Jobs that every schedule owes at least, as far as is proved. */
  get leastOwed(): number { return this.head.owed ?? 0; }
  /** Seconds until the best schedule was found, by the engine's clock. */
  get found(): number | undefined {
    const best = this.points.findLast((p) => p.objective !== undefined)?.objective;
    return this.points.find((p) => p.objective === best && best !== undefined)?.elapsed;
  }
  get bound(): number | undefined {
    const bounds = [this.head.bound, ...this.points.map((p) => p.bound)].filter((b): b is number => b !== undefined);
    return bounds.length ? Math.max(...bounds) : undefined;
  }

  /** Runs to the end. It never fails: the run says what went wrong. */
  async start(engine: Engine): Promise<void> {
    const { instance, choice, seed, limit } = this.task;
    this.engine = engine;
    await engine.ready; // the time of a run is that of the solver
    if (this.over) return;
    this.begun = performance.now();
    this.enter("running");
    try {
      const text = await engine.ask("solve", {
        instance, solver: choice.solver, param: Object.keys(choice.param).length ? choice.param : undefined, seed, [limit.kind]: limit.value, schedules: true,
      }, (progress) => this.improve(progress), (id) => { this.id = id; });
      this.elapsed = (performance.now() - this.begun) / 1000;
      this.finish(text);
    } catch (fault) {
      this.elapsed = (performance.now() - this.begun) / 1000;
      if (this.state === "stopping" && this.solution) { // it did not end in time, so its worker was ended
        this.stopped = "cancelled";
        this.status = this.head.status ?? "feasible";
        this.enter("ended");
      } else {
        this.fault = fault as Error;
        this.enter("failed");
      }
    } finally {
      clearTimeout(this.watchdog);
    }
  }

  /** Asks for the best so far. A run that does not answer within seconds is ended, and the last schedule that it sent counts. One that waits never begins. */
  stop(): void {
    if (this.state === "waiting") {
      this.stopped = "cancelled";
      this.status = "stopped before it began";
      this.enter("ended");
    }
    if (this.state !== "running") return;
    this.enter("stopping");
    this.engine?.cancel(this.id);
    this.watchdog = window.setTimeout(() => this.engine?.close(), 3000);
  }

  /** Ends the run at once; nobody looks at it any more. */
  abandon(): void {
    if (this.over) return;
    this.engine?.close();
    this.state = "failed";
  }

  private enter(state: State): void {
    this.state = state;
    this.changed();
  }

  private improve(text: string): void {
    const { rest, member } = cut(text, "solution");
    const p = JSON.parse(rest) as Point;
    this.points.push(p);
    this.elapsed = p.elapsed;
    this.evaluations = p.evaluations;
    if (member) {
      this.solution = member;
      this.head = headOf(member);
    }
    this.changed();
  }

  private finish(text: string): void {
    const { rest, member } = cut(text, "solution");
    const result = JSON.parse(rest) as { status: string; stop: string; evaluations: number; left?: number; reason?: string; warning?: string };
    this.status = result.status;
    this.stopped = result.stop;
    this.evaluations = result.evaluations;
    this.note = [result.reason, result.warning].filter(Boolean).join(" ");
    if (member) {
      this.solution = member;
      this.head = headOf(member);
      const last: Point = { elapsed: this.elapsed, evaluations: result.evaluations, left: result.left ?? 0 };
      if (this.head.objective !== undefined) last.objective = this.head.objective;
      if (this.head.bound !== undefined) last.bound = this.head.bound;
      this.points.push(last);
    }
    this.enter("ended");
  }
}
