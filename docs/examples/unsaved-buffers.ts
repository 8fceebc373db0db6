/** Shows the tools what an editor has not saved yet: `/unsaved <file> <text>` stands for the editor; save it in `~/.scorel/extensions`. */
import { resolve } from "node:path";
import { definePlugin } from "@scorel/kernel";

export default definePlugin({
  id: "unsaved-buffers",
  name: "Unsaved buffers",
  version: "1.0.0",
  needs: ["files"],

  activate(ctx) {
    /** Texts by the real path of their file. */
    const unsaved = new Map<string, Uint8Array>();
    return {
      serviceWrappers: {
        // All other methods stay those of the wrapped service.
        files: (files) => ({
          async read(path, options) {
            const file = await files.read(path, options);
            const bytes = unsaved.get(path) ?? file.bytes;
            return { ...file, bytes, size: bytes.length };
          },
          async write(path, bytes, options) {
            await files.write(path, bytes, options);
            unsaved.delete(path);
          },
          // ripgrep sees only what is saved. Without it, files are read, through the function above.
          get search() {
            return unsaved.size === 0 ? files.search : undefined;
          },
        }),
      },
      commands: {
        unsaved: {
          summary: "Set the unsaved text of a file",
          async run(args: string) {
            const [file = "", ...words] = args.split(" ");
            const cwd = ctx.find("workspace")?.cwd ?? process.cwd();
            const path = await ctx.files.realpath(resolve(cwd, file));
            unsaved.set(path, Buffer.from(`${words.join(" ")}\n`));
            return `${file} has unsaved text.`;
          },
        },
      },
    };
  },
});
