import { lineOf } from "@scorel/kit/text/one-line";
import { isVisible } from "@scorel/kit/text/plain";
import { KIND } from "./completion.ts";
import type { Completion, CompletionSource, Invocation } from "./contract.ts";
import { errors } from "./errors.ts";
import { LATEST } from "./latest.ts";

/** A validator of contributed completion sources. Reports unusable ones and leaves them out. */
export function checkSources(value: unknown, _plugin: string, report: (flaw: unknown) => void): CompletionSource[] {
  const isSource = (each: unknown): each is CompletionSource => {
    const { kind, values } = Object(each) as Partial<CompletionSource>;
    return typeof kind === "string" && KIND.test(kind) && typeof values === "function";
  };
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  const usable = rows.filter(isSource);
  if (usable.length < rows.length) report(new TypeError("completionSources must be a list of { kind, values }"));
  return usable;
}

/** Prints `completion values`: each value on a line, followed by a tab and its description if it has one. */
export async function printValues(
  collected: readonly { value: readonly CompletionSource[] }[],
  { args: [kind = ""], cwd, interrupt, stdout }: Pick<Invocation, "args" | "cwd" | "interrupt" | "stdout">,
): Promise<number> {
  const sources = collected.flatMap(({ value }) => value);
  const named = sources.filter((source) => source.kind === kind);
  if (named.length === 0) throw errors.CLI_COMPLETION_KIND({ kind, kinds: sources.map((source) => source.kind) });
  for (const { values, latest } of named) {
    const completions = await values({ cwd, interrupt });
    for (const completion of completions) stdout.write(rowOf(completion));
    if (latest && completions.length > 0) stdout.write(rowOf({ value: LATEST, description: "The latest one" }));
  }
  return 0;
}

/** A value with a line break or a control character could not be typed, or would change what the shell shows. */
function rowOf({ value, description = "" }: Completion): string {
  if (!isVisible(value) || /[\t\n]/.test(value)) return "";
  return description === "" ? `${value}\n` : `${value}\t${lineOf(description)}\n`;
}
