/** The examples that the page offers: files of the folder examples, and what they are about. */
export const examples: { file: string; title: string }[] = [
  { file: "four.json", title: "40 jobs with deadlines, 4 clusters" },
  { file: "table1.json", title: "MUSCLE's case study: 6 jobs, 2 clusters" },
  { file: "multicluster.json", title: "40 parallel jobs, objective mcp" },
  { file: "tiny.json", title: "3 jobs: solve it by hand" },
  { file: "workflow.json", title: "A workflow: jobs wait for others" },
  { file: "moldable.json", title: "Jobs of variable width" },
  { file: "gpu.json", title: "A GPU cluster with gangs" },
  { file: "machines.json", title: "Grid machines, hard deadlines" },
  { file: "backfilling.json", title: "A queue where small jobs fill gaps" },
  { file: "etc.json", title: "12 tasks, unrelated machines" },
  { file: "ggone.json", title: "3 tasks on G/G/1 queues" },
  { file: "ggone-workflows.json", title: "Stochastic workflows" },
  { file: "twolevel.json", title: "A grid with user classes and licences" },
  { file: "spaceshare.json", title: "Moldable jobs that spread over clusters" },
  { file: "small-grid.json", title: "Nearly every field, in 5 jobs" },
];
