import type { JsonSchema, OperationDescription } from "@scorel/host/contract";
import { contractWith, type Facts, rowsOf } from "../facts.ts";
import { membersOf, typeText } from "../json-type.ts";
import { code, fence, heading, table } from "../markdown.ts";
import { type Page, pluginLink, sourceText, typesFor } from "./page.ts";

export const operations: Page = {
  file: "operations.md",
  title: "Operations",
  about: `An operation is a request of a client to the host: \`client.request("get_status", { sessionId })\`, with a client from
\`ctx.host.connect()\`. Every client uses the same ones, and plugins add theirs with the contribution
[\`operations\`](contributions.md#operations). \`list_operations\` answers this list with JSON Schemas, for the plugins of one session.
Params are checked: all mistakes are named at once (\`HOST_PARAMS_INVALID\`), and a key that is not listed is a mistake. What a
client may do can be limited by who opens its connection (\`HOST_FORBIDDEN\`); *reads* marks the operations that a client with
\`scope: { operations: "read" }\` may use. The options of sessions (\`model\`, \`permission\`, …) belong to the operations that open one;
a client that is limited to certain operations can give those that let a session do more (\`permission\`, \`allowWrite\`, \`sandbox\`) only if
\`scope.options\` names them.`,
  blocks: (facts) => [
    table(
      ["operation", "plugin", "reads", "what"],
      facts.operations.map(({ name, plugin, readOnly, summary }) => [
        `[${code(name)}](#${name})`,
        pluginLink(plugin),
        readOnly ? "reads" : "",
        summary,
      ]),
    ),
    ...facts.operations.flatMap((each) => operationBlocks(facts, each)),
    heading(2, "Types"),
    "Types of params and results that the host declares.",
    fence("ts", typesOf(facts)),
  ],
};

function operationBlocks(facts: Facts, { name, plugin, summary, readOnly, params, result }: OperationDescription) {
  const row = rowsOf(facts, "Operations").find((each) => each.name === name);
  if (!row) throw new Error(`no contract declares the operation "${name}"`);
  return [
    heading(2, code(name)),
    row.doc || summary,
    `Answered by ${pluginLink(plugin)}${readOnly ? "; it changes nothing" : ""}.`,
    members("param", params, "No params."),
    result ? members("result", result, "The result is an empty object.") : "",
  ];
}

function members(head: string, schema: JsonSchema, none: string): string {
  const all = membersOf(schema);
  if (all.length === 0) return schema.properties ? none : `The ${head} is ${code(typeText(schema))}.`;
  const rows = all.map(([key, each, isRequired]) => {
    const about = typeof each.description === "string" ? each.description : "";
    return [code(key), code(typeText(each)), [isRequired ? "" : "optional", about].filter(Boolean).join("; ")];
  });
  return table([head, "type", ""], rows);
}

function typesOf(facts: Facts): string {
  const rows = rowsOf(facts, "Operations");
  const host = rows.filter(({ owner }) => owner === "plugins/host");
  const { declarations } = contractWith(facts, host[0] as (typeof host)[number]);
  return sourceText(
    typesFor(
      rows.flatMap(({ mentions }) => mentions),
      declarations,
    ),
  );
}
