import type { ToolCallDecision } from "@scorel/agent/contract";
import { ownNameOf } from "../offer.ts";
import type { Servers } from "../servers/servers.ts";
import { shownChange } from "../servers/words.ts";

/**
 * Asks a person about a call of a tool that has changed since it was accepted, even if a rule allows the tool. Undefined if it has not
 * changed. What the decision is about is recorded: if the server changes the tool before the call runs, the call is not made.
 */
export async function objectionTo(
  { id, name: tool }: { id: string; name: string },
  servers: Servers,
): Promise<ToolCallDecision | undefined> {
  const before = servers.enabled.find((server) => ownNameOf(server, tool) !== undefined);
  if (!before) return undefined;
  await before.confirmed();
  const own = ownNameOf(before, tool);
  if (own === undefined) return undefined;
  before.pins.judge(id, own);
  const change = before.pins.changeOf(own);
  if (!change) return undefined;
  const ask =
    change.was === undefined
      ? `the server ${before.name} has added this tool since you first used the server`
      : "its description has changed since you allowed it";
  return { ask, details: shownChange(change, before.redact) };
}
