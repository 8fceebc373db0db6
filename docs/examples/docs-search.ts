/** Adds the paragraphs of `docs/*.md` that match a prompt before the model reads it; save it in `.scorel/extensions` of a project. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";

const KIND = "docs-search";

export default definePlugin({
  id: "docs-search",
  name: "Docs search",
  version: "1.0.0",
  needs: ["workspace"],
  hooks: ({ session, workspace }) => ({
    async transformContext(messages) {
      const last = session.activeLeaf ? session.tree.get(session.activeLeaf) : undefined;
      // Only once per prompt: after the first round the last event is a reply or a tool result.
      if (last?.type !== "message" || messages.at(-1)?.role !== "user") return messages;
      const { content } = messages.at(-1) as { content: unknown };
      const found = best(await paragraphs(join(workspace.root, "docs")), JSON.stringify(content));
      if (found.length === 0) return messages;
      const text = `From the project's documentation:\n\n${found.join("\n\n")}`;
      const message = { role: "user" as const, content: text, timestamp: Date.now() };
      await session.append("custom_message", { kind: KIND, message });
      return messages;
    },
  }),
});

async function paragraphs(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text, at) => text.split(/\n{2,}/).map((paragraph) => `${files[at]}: ${paragraph.trim()}`));
}

/** The three paragraphs that share the most words of at least four letters with the prompt. */
function best(all: readonly string[], prompt: string): string[] {
  const wanted = words(prompt);
  return all
    .map((paragraph) => ({ paragraph, shared: [...words(paragraph)].filter((word) => wanted.has(word)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, 3)
    .map(({ paragraph }) => paragraph);
}

function words(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{4,}/gu));
}
