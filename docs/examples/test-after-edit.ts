/** Runs a command after each edit and shows its failures to the model; set `[test-after-edit] command`, such as `["npm", "test"]`. */
import { execFile } from "node:child_process";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "test-after-edit",
  name: "Test after edit",
  version: "1.0.0",
  needs: ["workspace"],
  config: z.strictObject({ command: z.array(z.string()).min(1).default(["npm", "test"]) }),
  hooks: ({ workspace, config }) => ({
    afterToolCall: {
      limit: 120_000,
      async handler({ toolCall, result, isError }, signal) {
        if (isError || !["Edit", "Write"].includes(toolCall.name)) return undefined;
        const failure = await failureOf(config.command, workspace.root, signal);
        if (failure === undefined) return undefined;
        const text = `${config.command.join(" ")} fails now:\n${failure}`;
        return { content: [...result.content, { type: "text", text }] };
      },
    },
  }),
});

/** The end of the command's output if it fails. */
function failureOf([program = "", ...args]: string[], cwd: string, signal?: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, maxBuffer: 2 ** 26, ...(signal && { signal }) }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}`.slice(-4_000) || error.message : undefined),
    );
  });
}
