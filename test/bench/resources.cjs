/**
 * Preloaded into a measured process: leaves its peak resident memory, in bytes, in the file that BENCH_MEMORY names, and its
 * processor time, in microseconds, in that of BENCH_CPU.
 */
const { writeFileSync } = require("node:fs");

const { BENCH_MEMORY: memory, BENCH_CPU: time } = process.env;
for (const name of ["BENCH_MEMORY", "BENCH_CPU", "NODE_OPTIONS"]) delete process.env[name];
if (memory) process.on("exit", () => writeFileSync(memory, String(process.resourceUsage().maxRSS * 1024)));
if (time) process.on("exit", () => writeFileSync(time, String(process.cpuUsage().user + process.cpuUsage().system)));
