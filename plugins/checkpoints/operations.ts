import type { Operations } from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";
import type { Files } from "./restore/file-access.ts";
import type { KeptLists } from "./restore/kept-lists.ts";

type Asked<O extends keyof Operations> = Operations[O]["params"];

const sessionId = z.string();
const targetEventId = z.string();

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The operations by which clients look at changed files and restore them. */
export function operations(settled: () => Promise<Files>, lists: KeptLists) {
  return {
    preview_files: {
      summary: "Returns what `restore_files` would do.",
      readOnly: true,
      size: "pages",
      params: () => z.strictObject({ sessionId, targetEventId }),
      result: async () => (await results()).preview_files,
      run: ({ targetEventId, skip = 0 }: Asked<"preview_files">, { clientId }) =>
        lists.of(`${clientId} ${targetEventId}`, skip, async () => (await settled()).preview(targetEventId)),
    },
    restore_files: {
      summary: "Restores the files that this session's tools changed, to an earlier or later event.",
      size: "cut",
      params: () => z.strictObject({ sessionId, targetEventId, overwrite: z.boolean().optional() }),
      result: async () => (await results()).restore_files,
      run: async (asked) => (await settled()).restore(asked.targetEventId, asked.overwrite ?? false),
    },
    list_changes: {
      summary: "Returns how the files differ from their state before this session's tools changed them.",
      readOnly: true,
      size: "pages",
      params: () => z.strictObject({ sessionId }),
      result: async () => (await results()).list_changes,
      run: ({ skip = 0 }: Asked<"list_changes">, { clientId }) =>
        lists.of(clientId, skip, async () => (await settled()).changes()),
    },
  } satisfies Contributions["operations"];
}
