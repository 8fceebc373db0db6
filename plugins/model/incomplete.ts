import { byLines, type Passage, searchable } from "./body-lines.ts";

const WRITTEN = '"type":"response.incomplete"';
const READ = '"type":"response.completed"';

/**
 * OpenAI ends a reply that grew too long with `response.incomplete`, which the library does not know: it reads the
 * status from `response.completed`. Passes everything else on as it came, line by line.
 */
export function knownEnding(): Passage {
  return byLines(renamed);
}

/** A filtered reply is no reply that grew too long; it stays without an ending that the library knows. */
function renamed(bytes: Uint8Array): Uint8Array {
  const text = searchable(bytes);
  if (!text.includes(WRITTEN) || text.includes('"content_filter"')) return bytes;
  return Buffer.from(text.toString("utf8").replace(WRITTEN, READ));
}
