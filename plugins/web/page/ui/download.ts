/** How long the browser may take to begin with a download, in milliseconds. */
const BEGIN_MS = 60_000;
/** Characters of a name that all systems take. */
const LONGEST_NAME = 60;

/** Saves a file where the browser keeps its downloads. `ending` follows the name, such as `.md`; without a usable name, `otherwise` stands for it. */
export function download(content: Blob, { name, ending, otherwise }: Record<"name" | "ending" | "otherwise", string>) {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = `${fileName(name) || otherwise}${ending}`;
  link.click();
  // The browser reads it after this task.
  setTimeout(() => URL.revokeObjectURL(address), BEGIN_MS);
}

/** A title as the name of a file on any system. */
export function fileName(title: string): string {
  const plain = title.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  return [...plain].slice(0, LONGEST_NAME).join("");
}
