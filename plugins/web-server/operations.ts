import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { scopeNames } from "@scorel/kit/values/scopes";
import { z } from "zod";
import type { Codes } from "./codes.ts";
import { errors } from "./errors.ts";

/** Operations about access to the host. `running` returns the web server while it listens. */
export function operations(running: () => { address: string; codes: Codes } | undefined) {
  return {
    create_access_code: {
      summary: "Makes a code that a page in the browser exchanges once, within a minute, for its own token.",
      params: () =>
        z.strictObject({
          scopes: z.array(z.enum(scopeNames)).min(1).optional(),
          asFile: z.boolean().optional(),
          directory: z.string().min(1).optional(),
        }),
      paths: { directory: "directory" },
      result: () =>
        z.strictObject({ code: z.string(), address: z.string(), seconds: z.number(), file: z.string().optional() }),
      run: async ({ scopes = ["view", "prompt", "approve"], asFile = false, directory }) => {
        const server = running();
        if (!server) throw errors.WEB_NOT_RUNNING();
        const { CODE_MS } = await import("./codes.ts");
        const { codes, address } = server;
        const made = { address, seconds: CODE_MS / 1_000 };
        const entry = { scopes, directory };
        if (!asFile) return { ...made, code: codes.issue(entry) };
        const { writeLinkFile } = await import("./link-file.ts");
        let file = "";
        const code = codes.issue(entry, (fresh) => {
          const { path, remove } = writeLinkFile(`${address}/#code=${fresh}`);
          file = path;
          return remove;
        });
        return { ...made, code, file };
      },
    },
    end_page: {
      summary: "Ends the token of a page in the browser that signs out, and the connections that use it.",
      params: () => z.strictObject({ page: z.string().regex(/^[\da-f]{16}$/) }),
      result: () => z.strictObject({ ended: z.boolean() }),
      run: async ({ page }) => ({ ended: await (await import("./pages.ts")).endPage(page) }),
    },
  } satisfies Contributions["operations"];
}
