const WRITTEN = '"type":"response.incomplete"';
const READ = '"type":"response.completed"';

/**
 * OpenAI ends a reply that grew too long with `response.incomplete`, which the library does not know: it reads the
 * status from `response.completed`. Passes everything else on as it came, line by line.
 */
export function knownEnding(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let held: Uint8Array = new Uint8Array();
  const lines = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(10) + 1;
      if (end > 0) controller.enqueue(renamed(joined(held, chunk.subarray(0, end))));
      held = end > 0 ? chunk.slice(end) : joined(held, chunk);
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(renamed(held));
    },
  });
  return body.pipeThrough(lines);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  return head.length === 0 ? tail : Buffer.concat([head, tail]);
}

/** A filtered reply is no reply that grew too long; it stays without an ending that the library knows. */
function renamed(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes(WRITTEN) || text.includes('"content_filter"')) return bytes;
  return Buffer.from(text.toString("utf8").replace(WRITTEN, READ));
}
