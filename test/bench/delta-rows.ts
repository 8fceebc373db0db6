/**
 * The cost of thousands of deltas compared with a turn of one word, and the same for the library's loop alone. Also
 * checks that a reader of `--output events` gets each delta once and in order.
 */
// @ts-expect-error plain JavaScript, shared with the runner
import { bin, createHome, inTurn, megabytes, milliseconds } from "./measure.mjs";

const node = process.execPath;
const baseUrl = process.env.BENCH_MODEL as string;
const { home, remove } = createHome(baseUrl);
const turn = (model: string, ...more: string[]) => [bin, "--model", `local/${model}`, ...more, "--yes", "-p", "go"];
const bare = (model: string) => [process.env.BENCH_BESIDE as string, baseUrl, model];

/**
 * Describes how the events of a turn differ from `count` deltas, each once, in order and with a rising number; "" if
 * they do not.
 */
function differences(stdout: string, count: number): string {
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const numbers = events.flatMap(({ seq }) => (typeof seq === "number" ? [seq] : []));
  if (numbers.some((seq, at) => at > 0 && seq <= (numbers[at - 1] as number))) return "numbers do not rise";
  const deltas = events.flatMap(({ type, delta }) => (type === "text_delta" ? [delta as string] : []));
  const said = Array.from({ length: count }, (_, index) => ` w${index}`);
  if (deltas.length !== count) return `${deltas.length} deltas instead of ${count}`;
  return deltas.every((delta, at) => delta === said[at]) ? "" : "words are not those of the model";
}

function check(count: number): (stdout: string) => boolean {
  return (stdout) => {
    const wrong = differences(stdout, count);
    if (wrong) throw new Error(`--output events: ${wrong}`);
    return true;
  };
}

try {
  const rows: object[] = [];
  for (const count of [20_000, 40_000]) {
    const model = `deltas-${count}`;
    const time =
      (args: string[], options = {}) =>
      () =>
        milliseconds(node, args, { home, ...options }) as number;
    const events = turn(model, "--output", "events");
    const { ours, plain, theirs, theirPlain, told } = inTurn(5, {
      ours: time(turn(model)),
      plain: time(turn("plain")),
      theirs: time(bare(model)),
      theirPlain: time(bare("plain")),
      told: time(events, { check: check(count) }),
    });
    const deltas = `${count.toLocaleString("en")} deltas`;
    const baseline = theirs - theirPlain;
    rows.push(
      {
        work: `${deltas} above a turn with one, against the library's loop`,
        value: ours - plain,
        baseline,
        aim: 2,
        memory: megabytes(node, turn(model), { home }),
        memoryBaseline: megabytes(node, bare(model), { home }),
      },
      {
        work: `${deltas} above one on --output events, each once`,
        value: told - plain,
        baseline,
        memory: megabytes(node, events, { home }),
      },
    );
  }
  console.log(JSON.stringify(rows));
} finally {
  remove();
}
