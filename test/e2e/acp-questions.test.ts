import { fileURLToPath } from "node:url";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type EditorOptions, editor } from "./acp-editor.ts";
import { type Scratch, scratch } from "./scorel.ts";

const program = fileURLToPath(new URL("../fixtures/mcp-tools.mjs", import.meta.url));
const servers = [{ name: "test", command: process.execPath, args: [program, "--only=ask"], env: [] }];
const form = (properties: object, required: readonly string[]) => ({
  message: "Who are you?",
  requestedSchema: { type: "object", properties, required },
});
const asks = (properties: object, required: readonly string[] = Object.keys(properties)) => [
  toolCall("mcp__test__ask", form(properties, required)),
  text("Done."),
];
const never = new Promise<never>(() => {});
const optionsOf = ({ options }: RequestPermissionRequest) => options.map(({ name }) => name);
/** Whether a request is neither a tool call to allow nor a yes-or-no question. */
const isOther = ({ options }: RequestPermissionRequest) => !options.some(({ optionId }) => optionId === "y");

/** An editor that chooses the first option, except in requests that `rest` answers. */
const agreeing =
  (rest: NonNullable<EditorOptions["choose"]>) =>
  (request: RequestPermissionRequest): ReturnType<typeof rest> =>
    isOther(request) ? rest(request) : "y";
const first = ({ options }: RequestPermissionRequest) => options[0]?.optionId ?? null;

/** An extension whose tool and whose command ask for a text. */
function addAsker(s: Scratch): void {
  s.file(
    "~/.scorel/extensions/asker.ts",
    `export default { id: "asker", name: "asker", version: "1.0.0", needs: ["ui"],
  tools: (ctx: any) => [{ name: "AskName", description: "Asks", parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: String(await ctx.ui.input("Name it")) }] }) }],
  commands: (ctx: any) => ({ ask: { run: async () => "Named " + (await ctx.ui.input("Name it")) } }) };\n`,
  );
}

it("in an editor without forms, a question for text can be declined or answered with its default, and never with empty text", async () => {
  using s = scratch();
  await using model = await startModelServer([
    ...asks({ name: { type: "string" } }),
    ...asks({ size: { enum: ["small", "large"], type: "string" }, name: { type: "string", default: "Ann" } }),
  ]);
  s.useModel(model.baseUrl);
  await using e = await editor(s, { choose: agreeing(first) });
  const session = await e.open(s.project, servers);
  expect(await e.prompt(session, "go")).toEqual({ stopReason: "end_turn" });
  expect(e.asked.filter(isOther).map(optionsOf)).toEqual([["Do not answer"]]);
  expect(JSON.stringify(e.asked.at(-1)?.toolCall.content)).toContain("This editor has no field for the answer.");
  expect(JSON.stringify(model.requests[1]?.body.messages.at(-1))).toContain("cancel");
  await e.prompt(session, "again");
  expect(e.asked.filter(isOther).slice(1).map(optionsOf)).toEqual([
    ["small", "large"],
    ["Answer: Ann", "Do not answer"],
  ]);
  const result = JSON.stringify(model.requests[3]?.body.messages.at(-1));
  expect(result).toContain("small");
  expect(result).toContain("Ann");
});

it("when a turn is cancelled, its open questions are withdrawn before the prompt is answered", async () => {
  using s = scratch();
  addAsker(s);
  await using model = await startModelServer([
    toolCall("AskName", {}),
    ...asks({ name: { type: "string" } }).slice(0, 1),
  ]);
  s.useModel(model.baseUrl);
  await using e = await editor(s, { choose: agreeing(() => never) });
  const session = await e.open(s.project, servers);
  for (const at of [1, 2]) {
    const answered = e.prompt(session, "go");
    await eventually(() => expect(e.asked.filter(isOther)).toHaveLength(at));
    await e.agent.notify("session/cancel", { sessionId: session });
    expect([await answered, e.withdrawn.length]).toEqual([{ stopReason: "cancelled" }, at]);
  }
});

it("a form is withdrawn, too, and a command that asks is cancelled", async () => {
  using s = scratch();
  addAsker(s);
  s.useModel("http://127.0.0.1:9/v1");
  let shown = 0;
  const fill = () => {
    shown++;
    return never;
  };
  await using e = await editor(s, { can: { elicitation: { form: {} } }, fill });
  const session = await e.open();
  const answered = e.prompt(session, "/ask");
  await eventually(() => expect(shown).toBe(1));
  await e.agent.notify("session/cancel", { sessionId: session });
  expect([await answered, e.withdrawn.length]).toEqual([{ stopReason: "cancelled" }, 1]);
});
