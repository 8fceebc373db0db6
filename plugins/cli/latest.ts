import type { CliCommand, CompletionSource, Invocation } from "./contract.ts";
import { readOption } from "./option.ts";

/** The word for the latest value of a kind, such as the latest session of this directory. */
export const LATEST = "latest";

/**
 * Replaces the word `latest`, as the first argument of a command or as the value of an option, by the value for which it stands, such as
 * the id of the latest session of this directory.
 */
export async function withLatest(
  invocation: Invocation,
  command: CliCommand,
  sources: () => Promise<readonly CompletionSource[]>,
): Promise<Invocation> {
  const latestOf = async (kind: string) => {
    const source = (await sources()).find((each) => each.kind === kind && each.latest);
    return source?.latest ? await source.latest(invocation) : LATEST;
  };
  const { completes, options: own = [] } = command;
  const [first, ...others] = invocation.args;
  const args = first === LATEST && completes !== undefined ? [await latestOf(completes), ...others] : invocation.args;
  const options = { ...invocation.options };
  for (const option of own) {
    const { key, completes } = readOption(option);
    if (options[key] === LATEST && completes !== undefined) options[key] = await latestOf(completes);
  }
  return { ...invocation, args, options };
}
