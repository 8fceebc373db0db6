import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { LayersService } from "./contract.ts";

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** Operations that show presets, settings and prompts, and complete ids of sessions. */
export const operations = (layers: LayersService) =>
  ({
    list_presets: {
      summary: "Lists the presets of the user and of the project around a directory.",
      readOnly: true,
      confined: true,
      paths: { cwd: "directory" },
      size: "pages",
      params: () =>
        z.strictObject({ cwd: z.string().describe("Working directory: an absolute path on the host's machine.") }),
      result: async () => (await results()).list_presets,
      run: async ({ cwd }) => ({ presets: await layers.presets(cwd) }),
    },
    list_settings: {
      summary: "Lists the settings of a session: values without secrets, where each comes from, and what it does.",
      readOnly: true,
      size: "pages",
      params: () => z.strictObject({ sessionId: z.string() }),
      result: async () => (await results()).list_settings,
      run: async ({ sessionId }, context) => (await import("./settings.ts")).settingsOf(sessionId, layers, context),
    },
    get_prompt: {
      summary: "Returns the system prompt of a session, or of a new one in a directory, with its parts.",
      readOnly: true,
      // Used only for a new session, and checked as in `create_session`.
      paths: { cwd: "operation" },
      size: { bounded: "It names the parts of one prompt." },
      params: () => z.strictObject({ sessionId: z.string().optional(), cwd: z.string() }),
      result: async () => (await results()).get_prompt,
      run: async (params, context) => (await import("./prompt-view.ts")).readPrompt(params, context),
    },
    resolve_session: {
      summary: "Completes the beginning of a session's id.",
      readOnly: true,
      params: () => z.strictObject({ sessionId: z.string() }),
      result: async () => (await results()).resolve_session,
      run: ({ sessionId }, { resolve }) => ({ sessionId: resolve(sessionId) }),
    },
  }) satisfies Contributions["operations"];
