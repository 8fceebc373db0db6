import { byLines, type Passage, searchable } from "./body-lines.ts";

const WRITTEN = '"type":"response.incomplete"';
const READ = '"type":"response.completed"';

/**
 * Renames `response.incomplete`, with which OpenAI ends a reply that is too long, to `response.completed`, the only
 * ending that pi-ai reads the status from. Everything else passes unchanged.
 */
export function renameIncompleteEnding(): Passage {
  return byLines(renamed);
}

/** Renames the ending, except for that of a filtered reply, which must not look like a reply that is too long. */
function renamed(bytes: Uint8Array): Uint8Array {
  const text = searchable(bytes);
  if (!text.includes(WRITTEN) || text.includes('"content_filter"')) return bytes;
  return Buffer.from(text.toString("utf8").replace(WRITTEN, READ));
}
