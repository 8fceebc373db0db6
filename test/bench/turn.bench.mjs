import { bin } from "./measure.mjs";

const turn = (model, ...more) => [bin, "--model", `local/${model}`, ...more, "--yes", "-p", "go"];
const answers = (text) => (stdout) => stdout === `${text}\n`;
const words = (count) => Array.from({ length: count }, (_, index) => ` w${index}`).join("");

/** Turns of the whole command, with the model server in a separate process. */
export default [
  { work: "turn with one tool", args: turn("one-tool"), check: answers("Done."), aim: 4 },
  { work: "turn with one tool, peak memory", args: turn("one-tool"), check: answers("Done."), megabytes: 95, runs: 5 },
  { work: "turn with 20,000 deltas", args: turn("deltas-20000"), check: answers(words(20_000)), aim: 11, runs: 7 },
  {
    work: "turn with 20,000 deltas, CPU",
    args: turn("deltas-20000"),
    check: answers(words(20_000)),
    cpu: 490,
    runs: 7,
    was: "700 ms",
  },
  {
    work: "turn with 20,000 deltas on --output events, CPU",
    args: turn("deltas-20000", "--output", "events"),
    check: (stdout) => stdout.split('"type":"text_delta"').length === 20_001,
    cpu: 900,
    runs: 5,
    was: "910 ms",
  },
  {
    work: "turn with 200 KB of arguments in 20-character deltas, CPU",
    args: turn("arguments-200000"),
    check: answers("Done."),
    cpu: 500,
    runs: 5,
    was: "35,070 ms",
  },
  {
    work: "turn with 5,000 calls in one reply, CPU",
    args: turn("calls-5000"),
    check: answers("Done."),
    cpu: 3_000,
    runs: 3,
    was: "16,220 ms for 2,000 calls",
  },
  {
    work: "turn with 5,000 calls in one reply, peak memory",
    args: turn("calls-5000"),
    check: answers("Done."),
    megabytes: 300,
    runs: 3,
    was: "841 MB for 2,000 calls",
  },
  { work: "turn with 40,000 deltas", args: turn("deltas-40000"), check: answers(words(40_000)), runs: 5 },
  { work: "turn with 50 rounds of a tool", args: turn("rounds-50"), check: answers("Done."), runs: 5 },
  {
    work: "resume after 50 rounds, against a new session",
    first: turn("rounds-50"),
    args: turn("plain", "--continue"),
    against: turn("plain"),
    check: answers("Done."),
  },
];
