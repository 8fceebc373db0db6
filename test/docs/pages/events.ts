import type { AnyEventDefinition } from "../../../kernel/types.ts";
import { type Facts, rowsOf } from "../facts.ts";
import { code, fence, heading, table } from "../markdown.ts";
import type { Row } from "../source.ts";
import { ownerOf, type Page, sourceText, typesFor } from "./page.ts";

export const events: Page = {
  file: "events.md",
  title: "Events",
  about: `An event is a fact of a session. *Persistent* events are lines of the log and nodes of its tree; *transient* ones
are numbered from the same sequence, heard by whoever listens, and never written. Beside its payload every event bears
\`type\`, \`seq\`, \`sessionId\`, \`clientId\` and \`ts\` (milliseconds since the epoch); a persistent one also \`id\` and \`parentId\`.
A *path* event becomes the active leaf, a *side* event hangs at it without moving it, a *jump* moves it elsewhere. A
plugin adds types with its \`events\`; a type that no loaded plugin knows is kept, shown as a generic row, and skipped for
the model.`,
  blocks: (facts) => {
    const known = definitions(facts);
    const persistent = rowsOf(facts, "Events");
    const transient = rowsOf(facts, "Transients");
    return [
      heading(2, "Persistent"),
      table(
        ["type", "owner", "leaf", "read by the model", "durable", "what"],
        persistent.map((row) => [code(row.name), ownerOf(row.owner), ...persistentCells(known, row), row.doc]),
      ),
      ...persistent.flatMap((row) => [heading(3, code(row.name)), fence("ts", row.text)]),
      heading(2, "Transient"),
      table(
        ["type", "owner", "what"],
        transient.map((row) => [code(row.name), ownerOf(row.owner), row.doc]),
      ),
      ...transient.flatMap((row) => [heading(3, code(row.name)), fence("ts", row.text)]),
      heading(2, "Types"),
      'What payloads are made of. "Durable" above means: announced only when it survives a power loss.',
      fence("ts", sourceText(payloadTypes(facts, [...persistent, ...transient]))),
    ];
  },
};

function definitions(facts: Facts): Record<string, AnyEventDefinition> {
  return Object.assign({}, facts.kernel.events, ...facts.plugins.map(({ plugin }) => plugin.events ?? {}));
}

function persistentCells(known: Record<string, AnyEventDefinition>, row: Row): string[] {
  const definition = known[row.name];
  if (!definition || definition.transient) throw new Error(`no plugin defines the persistent event "${row.name}"`);
  const read = definition.barrier ? "replaces what is above it" : definition.convertToLlm ? "yes" : "no";
  const durable = typeof definition.durable === "function" ? "at times" : definition.durable ? "yes" : "no";
  return [leafOf(definition), read, durable];
}

/** Calls the definition with an event whose fields are all ids of other events. */
function leafOf({ leaf }: Exclude<AnyEventDefinition, { transient: true }>): string {
  if (!leaf) return "path";
  const elsewhere = new Proxy({}, { get: () => "elsewhere" });
  return leaf(elsewhere, "current") === "current" ? "side" : "jump";
}

function payloadTypes(facts: Facts, rows: readonly Row[]) {
  const names = rows.flatMap(({ mentions }) => mentions);
  return facts.plugins.flatMap(({ contract }) => typesFor(names, contract.declarations));
}
