import { asObject } from "./event-text.ts";

/** Maximum plausible token count. A larger one would make the conversation look too long forever. */
const MOST_TOKENS = 1e10;

/**
 * Fixes the token counts of an event, because some servers send strings, negative numbers or null. Deletes invalid counts. Returns true if
 * anything changed.
 */
export function repairUsage(data: Record<string, unknown>): boolean {
  const choices = Array.isArray(data.choices) ? data.choices : [];
  const holders = [data, asObject(data.response), asObject(data.message), ...choices.map(asObject)];
  const changed = holders.map((holder) => holder !== undefined && repairIn(holder));
  return [requireUsage(data), ...changed].includes(true);
}

/** Adds empty usage to two anthropic events, in which the library reads it unchecked. */
function requireUsage(data: Record<string, unknown>): boolean {
  const holder =
    data.type === "message_start" ? asObject(data.message) : data.type === "message_delta" ? data : undefined;
  if (!holder || asObject(holder.usage)) return false;
  holder.usage = {};
  return true;
}

function repairIn(holder: Record<string, unknown>): boolean {
  return ["usage", "usageMetadata"].map((key) => key in holder && repairCounts(holder, key)).includes(true);
}

function repairCounts(holder: Record<string, unknown>, key: string): boolean {
  const counts = asObject(holder[key]);
  if (!counts) {
    if (holder[key] === null) return false;
    delete holder[key];
    return true;
  }
  return Object.entries(counts)
    .map(([name, value]) => repairCount(counts, name, value))
    .includes(true);
}

function repairCount(counts: Record<string, unknown>, name: string, value: unknown): boolean {
  if (asObject(value)) return repairCounts(counts, name);
  // Skip other values, such as the service tier or details by kind.
  if (!/token|count/i.test(name) || /details$/i.test(name)) return false;
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const isCount = typeof count === "number" && count >= 0 && count <= MOST_TOKENS;
  if (isCount && count === value) return false;
  if (isCount) counts[name] = count;
  else delete counts[name];
  return true;
}
