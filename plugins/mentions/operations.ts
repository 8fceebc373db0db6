import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { Mentions } from "./mentions.ts";

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The operations with which clients complete names of files, and show the text of files. */
export function operations(mentions: Mentions) {
  return {
    find_files: {
      summary: "Searches for files and folders of the session's directory by parts of their paths, best first.",
      readOnly: true,
      size: { bounded: "It returns at most 200 files." },
      params: () =>
        z.strictObject({
          sessionId: z.string(),
          query: z.string().max(1_000),
          limit: z.int().min(1).max(200).optional(),
          partial: z.boolean().optional(),
        }),
      result: async () => (await results()).find_files,
      run: async (asked) => (await import("./find/find-files.ts")).findFiles(asked, mentions),
    },
    view_file: {
      summary: "Returns the text of a file of the project, as far as it may be read without a question.",
      // Not `readOnly`, although it changes nothing: a client that may only read sessions may not read all files.
      paths: { path: "operation" },
      params: () => z.strictObject({ sessionId: z.string(), path: z.string().min(1).max(4_096) }),
      result: async () => (await results()).view_file,
      run: async (asked) => (await import("./view/view-file.ts")).viewFile(asked, mentions),
    },
  } satisfies Contributions["operations"];
}
