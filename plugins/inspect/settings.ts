import type { OperationContext } from "@scorel/host/contract";
import type {} from "@scorel/model/contract";
import type { LayersService, Setting } from "./contract.ts";

/** The settings that a new session with the same preset and directory would have. */
export function settingsOf(
  sessionId: string,
  layers: LayersService,
  { look }: Pick<OperationContext, "look">,
): Promise<{ settings: Setting[] }> {
  return look(sessionId, async ({ workspace, kernel }) => {
    const { preset } = kernel.session.header.meta as { preset?: string };
    const { settings } = await layers.config({ cwd: workspace.cwd, preset });
    // Secrets in settings with known names are removed already. This finds known secrets in any other setting.
    const redact = (text: string) => kernel.find("secrets")?.redact(text) ?? text;
    return { settings: settings.map((setting) => ({ ...setting, value: redacted(setting.value, redact) })) };
  });
}

function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redacted(each, redact)]));
}
