import type { Composed, Setting } from "@scorel/inspect/contract";
import { type CheckContext, type Part, thrownFindings } from "./check-context.ts";
import type { Finding } from "./contract.ts";

const DEFAULT_PRESET = "coding";

/** Checks the configuration, the origin of each setting, and settings without effect. */
export async function checkSettings({ layers, env, options }: CheckContext): Promise<Part> {
  const findings: Finding[] = [];
  const preset = typeof options.preset === "string" ? options.preset : DEFAULT_PRESET;
  const composed = await firstOf(findings, [
    () => layers.config(),
    // Without the user's own configuration, something can still be reported.
    () => layers.preset(preset),
    () => layers.preset(DEFAULT_PRESET),
  ]);
  if (!composed) return { findings };
  const { files, settings } = composed;
  if (findings.length === 0)
    findings.push({
      code: "CONFIG",
      severity: "ok",
      what: `${files.length} configuration files are valid.`,
      where: "",
      doNext: "",
    });
  findings.push(...aboutNotices(composed), ...aboutUnused(composed), ...aboutVariables(settings, env));
  return { config: { files, settings }, findings };
}

/**
 * Returns the first configuration that can be read. Only the first failure is reported, since it includes the others.
 */
async function firstOf(
  findings: Finding[],
  attempts: readonly (() => Promise<Composed>)[],
): Promise<Composed | undefined> {
  for (const attempt of attempts) {
    try {
      return await attempt();
    } catch (thrown) {
      if (findings.length > 0) continue;
      findings.push(...thrownFindings(thrown, "", "").map((finding) => ({ ...finding, ...adviceFor(finding) })));
    }
  }
  return undefined;
}

/** Finds the file and line in a message, at its start or in parentheses, and suggests a remedy. */
function adviceFor({ code, what }: Finding): Pick<Finding, "where" | "doNext"> {
  const where = /^(\/[^\s:]+(?::\d+)?)/.exec(what)?.[1] ?? /\(([^()]*:\d+)\)/.exec(what)?.[1] ?? "";
  const file = where === "" ? "it" : where;
  const doNext: Readonly<Record<string, string>> = {
    CONFIG_TOML: `Correct ${file}, or move the file away.`,
    CONFIG_UNREADABLE: `Make ${file} readable for yourself: ls -l shows whose it is.`,
    CONFIG_FILE_MISSING: "Correct the path of the preset, or name one of `scorel preset list`.",
    CONFIG_PRESET_UNKNOWN: "Name one of `scorel preset list`.",
    CONFIG_HOME: "Set HOME to the full path of a directory that you own.",
    TRUST_FILE: "Fix or remove that file, and trust what you need again: scorel trust add",
  };
  return { where, doNext: doNext[code] ?? `Correct ${file}; \`scorel config check\` tells whether it is valid then.` };
}

function aboutNotices({ notices }: Composed): Finding[] {
  return (
    notices
      // Untrusted projects are reported by the check of trust.
      .filter(({ code }) => code !== "TRUST")
      .map(({ text, where = "", severity = "note", doNext = "Remove it, or have what it is for loaded." }) => {
        return { code: "CONFIG_NO_EFFECT", severity, what: text.replace(` (${where})`, ""), where, doNext };
      })
  );
}

/** Reports tables of plugins that are not loaded, which nothing reads. */
function aboutUnused({ settings, plugins, notices }: Composed): Finding[] {
  const loaded = new Set(plugins.map(({ id }) => id));
  const tables = new Map<string, Setting[]>();
  for (const setting of settings.filter(({ origin }) => origin !== "default")) {
    const [, id = ""] = /^"?([^".]+)/.exec(setting.path) ?? [];
    if (!loaded.has(id) && !notices.some(({ table }) => table === id))
      tables.set(id, [...(tables.get(id) ?? []), setting]);
  }
  return [...tables].map(([id, rows]) => ({
    code: "CONFIG_TABLE_UNUSED",
    severity: "warning",
    what: `Nothing reads ${rows.map(({ path }) => path).join(", ")}: the plugin "${id}" is not loaded.`,
    where: rows[0]?.origin ?? "",
    doNext: `Add "${id}" to "use", or remove the table [${id}].`,
  }));
}

/** Reports key variables that are not set. */
function aboutVariables(settings: readonly Setting[], env: CheckContext["env"]): Finding[] {
  return settings
    .filter(({ path, value }) => /(^|\.)apiKeyEnv$/.test(path) && typeof value === "string" && !env[value])
    .map(({ path, value, origin }) => ({
      code: "CONFIG_VARIABLE_UNSET",
      // Only the variable of [model] is needed for every turn.
      severity: path === "model.apiKeyEnv" ? "error" : "warning",
      what: `${path} names the variable ${value}, which is not set.`,
      where: origin,
      doNext: `Set it where you start scorel: export ${value}=… ; or name another one there.`,
    }));
}
