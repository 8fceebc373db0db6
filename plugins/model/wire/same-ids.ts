import { byLines, type Passage, searchable } from "./body-lines.ts";

interface CallDelta {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown };
}

/**
 * If an openai-completions server gives two calls of a reply the same id, removes the second one, since pi-ai would treat them as a single
 * call. The agent then assigns a new id. Everything else passes unchanged.
 */
export function removeRepeatedIds(): Passage {
  const withdraw = createWithdrawal();
  return byLines((bytes) => {
    const found = searchable(bytes);
    if (!found.includes('"tool_calls"')) return bytes;
    const lines = found.toString("utf8").split("\n");
    const changed = lines.map((line) => (namesCall(line) ? withOwnIds(line, withdraw) : line));
    return changed.some((line, at) => line !== lines[at]) ? Buffer.from(changed.join("\n")) : bytes;
  });
}

/** True for a line with a call that has an id; most pieces have none. */
function namesCall(line: string): boolean {
  const at = line.indexOf('"tool_calls"');
  return at >= 0 && line.includes('"id"', at);
}

function withOwnIds(line: string, withdraw: (call: CallDelta) => boolean): string {
  const start = line.indexOf("{");
  try {
    const chunk = JSON.parse(line.slice(start)) as { choices: { delta: { tool_calls: CallDelta[] } }[] };
    const taken = (chunk.choices[0]?.delta.tool_calls ?? []).filter(withdraw);
    for (const call of taken) delete call.id;
    return taken.length === 0 ? line : line.slice(0, start) + JSON.stringify(chunk);
  } catch {
    // Not a chunk of a reply, or a broken one that the library reports.
    return line;
  }
}

/**
 * Returns true for a piece whose id belongs to another index. Only a piece with a name starts a call, since servers may
 * repeat an id at another index.
 */
function createWithdrawal(): (call: CallDelta) => boolean {
  const places = new Map<unknown, number>();
  const others = new Set<number>();
  return ({ index, id, function: called }) => {
    if (typeof index !== "number" || typeof id !== "string" || id === "") return false;
    const place = places.get(id);
    if (place === undefined) places.set(id, index);
    else if (place !== index && called?.name) others.add(index);
    return others.has(index);
  };
}
