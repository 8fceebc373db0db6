/**
 * Loaded into a measured process before its program. At exit, writes the peak resident memory in bytes to the file that
 * BENCH_MEMORY names, and the processor time in microseconds to the file that BENCH_CPU names.
 */
const { writeFileSync } = require("node:fs");

const { BENCH_MEMORY: memory, BENCH_CPU: time } = process.env;
for (const name of ["BENCH_MEMORY", "BENCH_CPU", "NODE_OPTIONS"]) delete process.env[name];
if (memory) process.on("exit", () => writeFileSync(memory, String(process.resourceUsage().maxRSS * 1024)));
if (time) process.on("exit", () => writeFileSync(time, String(process.cpuUsage().user + process.cpuUsage().system)));
