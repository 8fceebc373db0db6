import { createInterface } from "node:readline";
import type { Invocation } from "@scorel/cli/contract";
import { plainText } from "@scorel/host/client";
import type { TrustChange, TrustItem } from "@scorel/trust/contract";
import type { PresetReview } from "./contract.ts";

type Streams = Pick<Invocation, "stdin" | "stdout" | "interrupt">;

const titles: Readonly<Record<TrustItem["kind"], string>> = {
  weakens: "changes what keeps you safe",
  redirect: "sends your words and keys elsewhere",
  code: "runs code with your rights",
  preset: "chooses what is loaded",
  setting: "sets",
  command: "adds commands",
  instructions: "tells the model",
  skill: "adds skills",
  other: "also holds",
};

/** Shows a preset until it is answered with yes or no. Ctrl-C and an input that has ended are a no. */
export async function decide(review: PresetReview, title: string, streams: Streams): Promise<boolean> {
  const { stdout } = streams;
  stdout.write(plainText(`${describe(review, title)}\n`));
  for (;;) {
    const answer = await ask(streams, "Install it? [y]es, [N]o, [s]how: ");
    if (!/^\s*s(how)?\s*$/i.test(answer)) return /^\s*y(es)?\s*$/i.test(answer);
    for (const { path, text } of review.texts()) stdout.write(plainText(`--- ${path}\n${text.trimEnd()}\n\n`));
  }
}

/** What changes, what is in it and what that could do. */
export function describe({ items, changes = [] }: PresetReview, title: string): string {
  const lines = [title, ...changeLines(changes)];
  for (const [kind, words] of Object.entries(titles)) {
    const rows = items.filter((item) => item.kind === kind);
    if (rows.length > 0) lines.push(`${words}:`, ...rows.map(({ what, place }) => `  ${what}  (${place})`));
  }
  return lines.join("\n");
}

/** A line for each file, with the lines that went and came below it. */
export function changeLines(changes: readonly TrustChange[]): string[] {
  return changes.flatMap(({ path, how, diff }) => [
    `  ${how.padEnd(7)}  ${path}`,
    ...(diff === undefined ? [] : diff.split("\n").map((line) => `    ${line}`)),
  ]);
}

function ask({ stdin, stdout, interrupt }: Streams, question: string): Promise<string> {
  if (stdin.readableEnded || interrupt.aborted) return Promise.resolve("");
  const lines = createInterface({ input: stdin, output: stdout, terminal: stdout.isTTY === true });
  return new Promise((done) => {
    lines.on("close", () => done(""));
    lines.on("SIGINT", () => lines.close());
    interrupt.addEventListener("abort", () => lines.close(), { once: true });
    lines.question(question, (answer) => {
      done(answer);
      lines.close();
    });
  });
}
