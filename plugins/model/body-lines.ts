/** A body in which whole lines can be changed: `change` gets one or more of them at a time, with their breaks. */
export function byLines(
  body: ReadableStream<Uint8Array>,
  change: (lines: Uint8Array) => Uint8Array,
): ReadableStream<Uint8Array> {
  let held: Uint8Array = new Uint8Array();
  const lines = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(10) + 1;
      if (end > 0) controller.enqueue(change(joined(held, chunk.subarray(0, end))));
      held = end > 0 ? chunk.slice(end) : joined(held, chunk);
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(change(held));
    },
  });
  return body.pipeThrough(lines);
}

/** The same bytes, as what can be searched. */
export function searchable(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  return head.length === 0 ? tail : Buffer.concat([head, tail]);
}
