import { fileURLToPath } from "node:url";

const scorel = [process.execPath, fileURLToPath(new URL("../../dist/bin.js", import.meta.url))];
const turn = (model, ...more) => [...scorel, "--model", `local/${model}`, ...more, "-p", "go"];
const answers = (text) => (stdout) => stdout === `${text}\n`;
const words = Array.from({ length: 20_000 }, (_, index) => ` w${index}`).join("");

/** Turns of the whole command against a model server in another process. */
export default [
  { work: "turn with one tool", argv: turn("one-tool"), check: answers("Done."), aim: 4 },
  { work: "turn with one tool, peak memory", argv: turn("one-tool"), check: answers("Done."), megabytes: 95, runs: 5 },
  { work: "turn with 20,000 deltas", argv: turn("deltas"), check: answers(words), aim: 11, runs: 7 },
  { work: "turn with 50 rounds of a tool", argv: turn("50-rounds"), check: answers("Done."), runs: 5 },
  {
    work: "resume after 50 rounds",
    first: turn("50-rounds"),
    argv: turn("plain", "--continue"),
    check: answers("Done."),
  },
];
