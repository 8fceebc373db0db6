import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";

/** The formats in which a session can be exported. */
export const FORMATS = ["md", "html", "jsonl"] as const;

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** Operations that write sessions into files and read them from files of other programs. */
export const operations = {
  export_session: {
    summary: "Exports a session to a file on the host's machine, or returns the text.",
    paths: { file: "project" },
    params: () =>
      z.strictObject({
        sessionId: z.string(),
        format: z.enum(FORMATS),
        file: z.string().min(1).optional(),
        force: z.boolean().optional(),
        path: z.boolean().optional(),
      }),
    result: async () => (await results()).export_session,
    run: async (params, context) => (await import("./export/export.ts")).exportSession(params, context),
  },
  import_session: {
    summary: "Creates a session from a session file of Scorel, Claude Code, Codex or pi.",
    paths: { file: "unlimited", cwd: "unlimited" },
    size: { bounded: "It names the first damaged lines, and counts all." },
    params: () =>
      z.strictObject({
        file: z.string().min(1),
        cwd: z.string(),
        format: z.enum(["scorel", "claude-code", "codex", "pi"]).optional(),
      }),
    result: async () => (await results()).import_session,
    run: async (params, context) => (await import("./import/import.ts")).importSession(params, context),
  },
} satisfies Contributions["operations"];
