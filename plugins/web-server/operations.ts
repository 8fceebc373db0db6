import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { Codes } from "./codes.ts";
import { errors } from "./errors.ts";
import { scopeNames } from "./scopes.ts";

/** Operations about who may connect. `running` is the web server while it listens. */
export function operations(running: () => { address: string; codes: Codes } | undefined) {
  return {
    create_access_code: {
      summary: "Makes a code that a page in the browser exchanges once, within a minute, for a token of its own.",
      params: () => z.strictObject({ scopes: z.array(z.enum(scopeNames)).min(1).optional() }),
      result: () => z.strictObject({ code: z.string(), address: z.string(), seconds: z.number() }),
      run: async ({ scopes = ["view", "prompt", "approve"] }) => {
        const server = running();
        if (!server) throw errors.WEB_NOT_RUNNING();
        const { CODE_MS } = await import("./codes.ts");
        return { code: server.codes.issue(scopes), address: server.address, seconds: CODE_MS / 1_000 };
      },
    },
  } satisfies Contributions["operations"];
}
