/** Scripts that do their own measurements. */
export default [
  { script: "kernel-rows.ts" },
  { script: "long-rows.ts", beside: "open-long.ts" },
  { script: "long-context-rows.ts" },
  { script: "million-rows.mjs" },
  { script: "round-rows.ts" },
  { script: "wire-rate-rows.ts", beside: "wire-clients.ts" },
  { script: "wire-behind-rows.ts", beside: "wire-clients.ts" },
  { script: "relay-rows.ts", beside: "relay-process.ts" },
  { script: "host-rows.ts" },
  { script: "delta-rows.ts", beside: "bare-loop.ts" },
  { script: "prompt-rows.ts" },
  { script: "compaction-rows.ts" },
  { script: "tap-rows.ts" },
  { script: "judging-rows.ts" },
  { script: "skills-rows.ts" },
  { script: "skill-run-rows.ts" },
];
