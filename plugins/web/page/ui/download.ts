/** Milliseconds that the browser has to start a download. */
const BEGIN_MS = 60_000;
/** Longest file name that all systems accept, in characters. */
const LONGEST_NAME = 60;

/** Downloads a file. `ending` is appended to the name, such as `.md`. Without a usable name, `otherwise` is used. */
export function download(content: Blob, { name, ending, otherwise }: Record<"name" | "ending" | "otherwise", string>) {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = `${fileName(name) || otherwise}${ending}`;
  link.click();
  // Not revoked at once, since the browser reads the URL later.
  setTimeout(() => URL.revokeObjectURL(address), BEGIN_MS);
}

/** Converts a title to a file name that is valid on all systems. */
export function fileName(title: string): string {
  const plain = title.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  return [...plain].slice(0, LONGEST_NAME).join("");
}
