/** The chart of allot gantt's page, draw/page. The bundler makes this module of its parts. */
declare module "allot:gantt" {
  export interface ChartState { colour: string; chosen: string; times: [number, number] | null }
  export interface Chart { state(): ChartState; isHeld(): boolean; choose(id: string): void; repaint(): void }
  export interface ChartOptions { tallest?: number; state?: ChartState; choosing?: (id: string) => void; signal?: AbortSignal }
  export function gantt(root: ShadowRoot, data: unknown, options?: ChartOptions): Chart;
  export const body: string;
  export const style: string;
}
