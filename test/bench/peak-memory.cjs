/** Preloaded into a measured process: leaves its peak resident memory, in bytes, in the file that BENCH_MEMORY names. */
const { writeFileSync } = require("node:fs");

const file = process.env.BENCH_MEMORY;
delete process.env.BENCH_MEMORY;
delete process.env.NODE_OPTIONS;
if (file) process.on("exit", () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)));
