/** Lets the model look up the terms that the extension glossary.ts provides; save both in the same folder. */
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const parameters = z.object({ term: z.string() });

export default definePlugin({
  id: "glossary-tool",
  name: "Glossary tool",
  version: "1.0.0",
  // Loaded after the provider of this service. Without a provider it is left out, with a notice.
  needs: ["glossary"],
  tools: ({ glossary }) => [
    {
      name: "Glossary",
      description: "Says what a term means in this project.",
      parameters,
      access: () => "read",
      async execute(_id, { term }: z.output<typeof parameters>) {
        const meaning = glossary.meaning(term);
        const text = meaning ?? `"${term}" is not in the glossary. It knows: ${glossary.terms().join(", ")}`;
        return { content: [{ type: "text", text }], isError: meaning === undefined };
      },
    },
  ],
});
