import type { Listening } from "@scorel/gateway/contract";
import type { PluginContext } from "@scorel/kernel";
import type { Codes } from "./codes.ts";
import type {} from "./contract.ts";
import { removeLinkFiles } from "./link-file.ts";
import { startServer } from "./server.ts";
import { settingsOf } from "./settings.ts";
import { OWNER, storedTokens, tokenFile, writeToken } from "./tokens.ts";

type Context = PluginContext<{ names: string[]; origins: string[]; pages: string[] }, never>;

/** Starts the server if the options name a port, and makes the owner's token if there are no tokens yet. */
export async function listen(
  ctx: Context,
  options: Readonly<Record<string, unknown>>,
): Promise<(Listening & { codes: Codes }) | undefined> {
  const settings = settingsOf(options);
  if (!settings) return undefined;
  removeLinkFiles();
  const { names, origins, pages } = ctx.config;
  const routes = ctx.collect("webRoutes").flatMap(({ value }) => value);
  const [first = OWNER] = storedTokens().map(({ name }) => name);
  const path = storedTokens().length === 0 ? (await writeToken(OWNER, () => ["admin"])).path : tokenFile(first);
  const server = await startServer({ ...settings, routes, names, origins, pages, logger: ctx.logger });
  return { ...server, note: `token in ${path}` };
}
