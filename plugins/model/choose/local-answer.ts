/** Maximum size of an answer in bytes. Descriptions of models with their whole vocabulary have a few million. */
const LARGEST = 16_000_000;

/** Reads the answer of a server as JSON. Throws for a larger one, since anything may listen at the port of a local server. */
export async function jsonOf({ body }: Response): Promise<unknown> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    length += read.value.length;
    if (length > LARGEST) {
      await reader?.cancel();
      throw new Error(`The answer has more than ${LARGEST} bytes.`);
    }
    pieces.push(read.value);
  }
  return JSON.parse(Buffer.concat(pieces).toString("utf8"));
}
