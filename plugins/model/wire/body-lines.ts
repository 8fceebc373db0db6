/** Transforms the bytes of a body as they arrive. `piece` returns the bytes to pass on, `end` those that were held back. */
export interface Passage {
  piece(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** Creates a Passage that changes whole lines. `change` gets one or more complete lines, with their line breaks. */
export function byLines(change: (lines: Uint8Array) => Uint8Array): Passage {
  let held: Uint8Array = new Uint8Array();
  return {
    piece(bytes) {
      const end = bytes.lastIndexOf(10) + 1;
      const lines = end > 0 ? joined(held, bytes.subarray(0, end)) : undefined;
      held = lines ? bytes.slice(end) : joined(held, bytes);
      return lines ? change(lines) : new Uint8Array();
    },
    end: () => (held.length > 0 ? change(held) : held),
  };
}

/** Views the bytes as a Buffer, which can be searched. */
export function searchable(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  return head.length === 0 ? tail : Buffer.concat([head, tail]);
}
