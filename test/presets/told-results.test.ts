import { expect, it } from "vitest";
import { modelTable } from "../e2e/scorel.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { place } from "./place.ts";
import { desk } from "./session-desk.ts";

const extension = `import { z } from "zod";
export default {
  id: "odd", name: "Odd", version: "1.0.0", needs: ["tools"],
  commands: () => ({ typo: { run: () => ({ ouput: "hi" }) }, number: { run: () => 7 }, silent: { run: () => {} } }),
  tools: () => [{
    name: "Odd", description: "None.", parameters: z.object({}), access: () => "read",
    execute: async () => ({ content: "no", is_error: true }),
  }, {
    name: "Nothing", description: "None.", parameters: z.object({}), access: () => "read", execute: async () => {},
  }, {
    name: "Txt", description: "None.", parameters: z.object({}), access: () => "read",
    execute: async () => ({ content: [{ type: "txt", text: "no" }] }),
  }],
};`;

it("meaningless results of extensions are reported, with what was probably meant", async () => {
  using at = place();
  await using server = await startModelServer((request) =>
    request.body.messages.at(-1).role === "tool"
      ? text("ok")
      : ["Odd", "Nothing", "Txt"].map((name) => toolCall(name, {})),
  );
  at.file("~/.scorel/config.toml", modelTable(server.baseUrl));
  at.file("~/.scorel/extensions/odd.ts", extension);
  await using d = await desk(at);
  const { sessionId } = await d.client.request("create_session", { cwd: at.project });
  for (const name of ["typo", "number", "silent"]) await d.client.request("run_command", { sessionId, name, args: "" });
  const { id } = await d.client.request("send_message", { sessionId, content: "Go." });
  await d.client.request("wait_turn", { sessionId, id });
  const { notices } = await d.client.request("get_status", { sessionId });
  expect(
    notices.map(({ code, message }) => [
      code,
      message.replace(/^Plugin "odd"[^:]*: |, which (is not supported|the model cannot use).*$/g, ""),
    ]),
  ).toEqual([
    ["COMMAND_RESULT", 'The command "/typo" of plugin "odd" returned "ouput" (did you mean "output"?)'],
    ["COMMAND_RESULT", 'The command "/number" of plugin "odd" returned a number'],
    ["TOOL_RESULT_FIELDS", 'A result of tool "Odd" has "is_error" (did you mean "isError"?)'],
    ["TOOL_RESULT_UNUSABLE", 'The tool "Nothing" returned nothing'],
    ["TOOL_RESULT_UNUSABLE", 'The tool "Txt" returned a block of type "txt"'],
  ]);
});
