import type { CliCommand, Invocation } from "@scorel/cli/contract";
import type { HostService } from "@scorel/host/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";
import type { Composed, LayersService } from "./contract.ts";
import { errors } from "./errors.ts";
import { describePreset, listFindings, listPresets, showSettings } from "./text.ts";

/** Creates the commands `scorel preset list|show|check`. */
export function presetCommands(layers: LayersService): CliCommand[] {
  return [
    {
      noun: "preset",
      action: "list",
      description: "List the presets",
      options: [outputOption],
      run: async ({ stdout, options }) => {
        const presets = await layers.presets();
        return say(stdout, options.output === "json" ? `${JSON.stringify(presets)}\n` : listPresets(presets));
      },
    },
    {
      noun: "preset",
      action: "show",
      args: "<name|path>",
      completes: "preset",
      description: "Show what a preset loads, sets, locks, requires and ships, and where each comes from",
      run: async (invocation) => {
        const composed = await layers.preset(invocation.args[0] as string);
        notify(invocation, composed);
        return say(invocation.stdout, describePreset(composed));
      },
    },
    {
      noun: "preset",
      action: "check",
      args: "<name|path>",
      completes: "preset",
      description: "Check a preset and what it brings without running any of it; exits 2 when something is wrong",
      run: async ({ args, stdout }) => {
        const findings = await layers.check(args[0] as string);
        say(stdout, listFindings(findings));
        if (findings.problems.length > 0) throw errors.INSPECT_PRESET({ problems: findings.problems });
        return 0;
      },
    },
  ];
}

/** Creates the commands `scorel config show|check|schema`. */
export function configCommands(layers: LayersService): CliCommand[] {
  return [
    {
      noun: "config",
      action: "show",
      description: "Print the configuration used in this folder",
      options: [{ flags: "--explain", description: "Show which layer set each value" }, outputOption],
      run: async (invocation) => {
        const composed = await layers.config();
        notify(invocation, composed);
        if (invocation.options.output === "json")
          return say(invocation.stdout, `${JSON.stringify(composed.settings)}\n`);
        return say(invocation.stdout, showSettings(composed, invocation.options.explain === true));
      },
    },
    {
      noun: "config",
      action: "check",
      description: "Check every layer; exits 2 when something is wrong",
      run: async (invocation) => {
        const composed = await layers.config();
        notify(invocation, composed);
        const problems = (composed.requires ?? []).flatMap(({ unmet, origin }) =>
          unmet ? `${unmet} (${origin})` : [],
        );
        problems.push(...(await layers.extensionTables()));
        if (problems.length > 0) throw errors.INSPECT_PRESET({ problems });
        return say(invocation.stdout, `${composed.files.map((file) => `ok  ${file}`).join("\n")}\n`);
      },
    },
    {
      noun: "config",
      action: "schema",
      description: "Print the JSON Schema of presets and config.toml",
      run: async ({ stdout }) => say(stdout, `${JSON.stringify(await layers.schema(), null, 2)}\n`),
    },
  ];
}

/** Creates the commands `scorel prompt show|refresh`. */
export function promptCommands(host: HostService): CliCommand[] {
  const work = () => import("./prompt-view.ts");
  return [
    {
      noun: "prompt",
      action: "show",
      description: "Print the system prompt with the sizes of its parts; without --session, that of a new session",
      options: [
        { flags: "--session <id>", description: "Print the prompt of this session", completes: "session" },
        outputOption,
      ],
      run: async (invocation) => (await work()).show(host, invocation),
    },
    {
      noun: "prompt",
      action: "refresh",
      args: "<id>",
      completes: "session",
      description: "Reload a session's instructions, such as AGENTS.md, for its next turn",
      run: async (invocation) => (await work()).refresh(host, invocation),
    },
  ];
}

function notify({ stderr }: Invocation, { notices }: Composed): void {
  for (const { text } of notices) stderr.write(`scorel: ${text}\n`);
}

function say(stdout: Invocation["stdout"], text: string): number {
  stdout.write(text);
  return 0;
}
