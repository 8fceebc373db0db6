import type { Tool, ToolOutput } from "@scorel/tools/contract";
import type { RunnerContext } from "../config.ts";
import type { RunRequest } from "../contract.ts";
import type { InteractiveRuns } from "../interactive/interactive-runs.ts";
import { output, shown, shownRun, waiting } from "../interactive/session-tool.ts";
import { shownList } from "./command.ts";

/** How many characters of output are shown while the program runs. */
const WATCHED = 4_096;

const text = { type: "string" };
const texts = { type: "array", items: text };
const flag = { type: "boolean" };
const whole = { type: "integer", minimum: 1 };

const input = {
  type: "object",
  properties: {
    from: {
      type: "string",
      description: "artifact://name[@version], host:///path, workspace://path or skill://name/path",
    },
    to: { type: "string", description: "default work/inputs/<name>" },
    mode: { type: "string", enum: ["copy", "link"] },
    pin: flag,
  },
  required: ["from"],
  additionalProperties: false,
};
const outputs = {
  type: "object",
  properties: {
    globs: texts,
    inline: flag,
    save: flag,
    name_template: text,
    max_files: whole,
    max_file_bytes: whole,
    max_total_bytes: whole,
  },
  required: ["globs"],
  additionalProperties: false,
};

/** The parameters that the model sees. The tool accepts more, for callers that know them. */
const advertised = {
  type: "object",
  properties: {
    skill: text,
    command: text,
    cwd: { ...text, description: "below it, or $WORK_DIR or $OUTPUT_DIR" },
    inputs: {
      type: "array",
      items: {
        type: "object",
        properties: {
          from: { ...text, description: "host:///absolute, skill://name/path, workspace://path or artifact://name" },
          to: { ...text, description: "default work/inputs/<name>" },
        },
        required: ["from"],
      },
    },
    output_files: { ...texts, description: "globs of files to answer, at most 100" },
    save_as_artifacts: flag,
    timeout: { type: "integer", description: "seconds, default 300" },
    interactive: { ...flag, description: "answer at once; then skill_session" },
  },
  required: ["skill", "command"],
};

/** The tool `skill_run`. */
export function skillRun(ctx: RunnerContext, runs: () => Promise<InteractiveRuns>): Tool<RunRequest> {
  const { allow } = ctx.config;
  const only = allow.length === 0 ? "" : ` Only these programs, without a shell: ${shownList(allow)}.`;
  return {
    name: "skill_run",
    description: `Run a command that a skill's instructions give, in its read-only folder, in a sandbox. Results go to out/.${only}`,
    advertised,
    parameters: {
      type: "object",
      properties: {
        skill: text,
        command: text,
        cwd: {
          type: "string",
          description: "default: the skill's folder; or begins with $WORK_DIR, $OUTPUT_DIR, $RUN_DIR",
        },
        env: { type: "object", additionalProperties: text },
        stdin: text,
        output_files: { ...texts, description: "globs, as out/*.txt" },
        inputs: { type: "array", items: input },
        outputs,
        timeout: { type: "integer", description: "seconds, default 300" },
        save_as_artifacts: flag,
        omit_inline_content: flag,
        artifact_prefix: text,
        interactive: { ...flag, description: "answer while it runs; then skill_session" },
      },
      required: ["skill", "command"],
      additionalProperties: false,
    },
    prepareArguments: withPlainNames,
    execute: async (id, request, signal, onUpdate) => {
      if (request.interactive)
        return output(await (await runs()).start(request, waiting(signal, onUpdate), id), request);
      const { runSkill } = await import("./run.ts");
      const result = await runSkill(ctx, request, id, { signal, ...(onUpdate && { onText: latest(onUpdate) }) });
      return { content: [{ type: "text", text: JSON.stringify(result) }], details: { skill: request.skill } };
    },
    display: ({ skill, command, interactive }, result) => ({
      display: "card",
      title: `${skill} $ ${command}`,
      status: result === undefined ? "running" : result.isError ? "error" : "done",
      text: interactive ? shown(result) : shownRun(result),
    }),
  };
}

/** Passes on the last part of the output as it arrives. */
function latest(onUpdate: (partial: ToolOutput) => void): (text: string) => void {
  let said = "";
  return (text) => {
    said = (said + text).slice(-WATCHED);
    onUpdate({ content: [{ type: "text", text: said }] });
  };
}

/** Accepts the older spelling `MaxFiles` for `max_files`; the newer one wins. */
function withPlainNames(raw: unknown): unknown {
  const { outputs: given, ...rest } = (raw ?? {}) as Record<string, unknown>;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return raw;
  const plain = Object.entries(given).filter(([name]) => name === name.toLowerCase());
  const older = Object.entries(given)
    .filter(([name]) => name !== name.toLowerCase())
    .map(([name, value]) => [name.replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase(), value] as const);
  return { ...rest, outputs: { ...Object.fromEntries(older), ...Object.fromEntries(plain) } };
}
