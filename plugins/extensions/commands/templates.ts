import type { Kind } from "./kinds.ts";

/** A new extension: plain JavaScript without dependencies, and a test for `scorel plugin test`. */
interface Template {
  source: string;
  test: string;
  /** The arguments of `scorel` that try it out. */
  use: string;
}

const head = (id: string, about: string, plugin = "import('@scorel/kernel').Plugin") => `// @ts-check
/**
 * ${about}
 *
 * @type {${plugin}}
 */
export default {
  id: "${id}",
  name: "${titleOf(id)}",
  version: "0.1.0",
`;
const testHead = (names = "openSession") => `import assert from "node:assert/strict";
import { test } from "node:test";
import { ${names} } from "@scorel/kernel/testing";
import plugin from "./index.mjs";
`;

export const templates: Readonly<Record<Kind, (id: string) => Template>> = {
  tool: (id) => ({
    use: ` -p "Use the tool ${wordOf(id)} to greet Ann."`,
    source: `${head(id, "Gives the model a tool.")}
  tools: () => [
    {
      name: "${wordOf(id)}",
      description: "Greets somebody by name.",
      parameters: {
        type: "object",
        properties: { who: { type: "string", description: "Whom to greet" } },
        required: ["who"],
        additionalProperties: false,
      },
      // It changes nothing, so it may run beside other calls.
      access: () => "read",
      async execute(_id, { who }) {
        return { content: [{ type: "text", text: \`Hello \${who}!\` }] };
      },
    },
  ],
};
`,
    test: `${testHead("openSession, toolCall")}
test("it greets", async () => {
  const replies = [toolCall("${wordOf(id)}", { who: "Ann" }), "Done."];
  await using session = await openSession({ plugins: [plugin], replies });
  const { results } = await session.send("Greet Ann.");
  assert.deepEqual(results, [{ tool: "${wordOf(id)}", text: "Hello Ann!", isError: false }]);
});
`,
  }),
  guard: (id) => ({
    use: ` -p "Run: git push"`,
    source: `${head(id, "Refuses what the model must not do; it reads the reason.")}
  hooks: () => ({
    approveToolCall: {
      // Critical: if this guard fails, the call is refused.
      critical: true,
      handler({ toolCall, args }) {
        if (toolCall.name !== "Bash") return undefined;
        const { command } = /** @type {{ command: string }} */ (args);
        if (!/\\bgit\\s+push\\b/.test(command)) return undefined;
        return { block: true, reason: "Pushing is left to the user." };
      },
    },
  }),
};
`,
    test: `${testHead("openSession, toolCall")}
/** The result of a command that the model wants to run. */
async function resultOf(command) {
  const replies = [toolCall("Bash", { command }), "Done."];
  await using session = await openSession({ plugins: [plugin], use: ["local", "coding"], replies });
  return (await session.send("Go.")).results[0];
}

test("it refuses a push", async () => {
  const result = await resultOf("git push origin main");
  assert.deepEqual(result, { tool: "Bash", text: "Pushing is left to the user.", isError: true });
});

test("it lets everything else pass", async () => {
  assert.match((await resultOf("echo git status")).text, /git status/);
});
`,
  }),
  command: (id) => ({
    use: `\n          /${id} Ann`,
    source: `${head(id, "A slash command.")}
  commands: ({ session, ui }) => ({
    "${id}": {
      summary: "Greet somebody, and say how long this session is",
      async run(who) {
        // If nobody can be asked, the default is returned.
        const name = who || (await ui.input("Whom?", { default: "you" }));
        return \`Hello \${name}! This session has \${session.seq} events.\`;
      },
    },
  }),
};
`,
    test: `${testHead()}
test("it greets, and asks whom", async () => {
  await using session = await openSession({ plugins: [plugin], answer: () => "Bob" });
  assert.match((await session.command("/${id} Ann")).output, /^Hello Ann! This session has \\d+ events\\.$/);
  assert.match((await session.command("/${id}")).output, /^Hello Bob!/);
});

test("it greets you if nobody can be asked", async () => {
  await using session = await openSession({ plugins: [plugin] });
  assert.match((await session.command("/${id}")).output, /^Hello you!/);
});
`,
  }),
  projection: (id) => ({
    use: `\n          /${id}`,
    source: `${head(id, "Keeps a figure in addition to the log, here the count of tool results, and a slash command that shows it.")}
  projections: {
    "${id}": {
      // "log" sees every event; "path" only the events of the current branch.
      over: "log",
      init: () => 0,
      /** @param {number} count @param {any} event */
      update: (count, event) => (event.type === "message" && event.message.role === "tool_result" ? count + 1 : count),
    },
  },
  commands: ({ session }) => ({
    "${id}": {
      summary: "Count the tool results of this session",
      run: () => \`\${session.projection(/** @type {any} */ ("${id}"))} tool results\`,
    },
  }),
};
`,
    test: `${testHead("openSession, toolCall")}
test("it counts tool results", async () => {
  const replies = [[toolCall("Missing"), toolCall("Missing")], "Done."];
  await using session = await openSession({ plugins: [plugin], replies });
  await session.send("Go.");
  assert.equal((await session.command("/${id}")).output, "2 tool results");
});
`,
  }),
  service: (id) => ({
    use: ` plugin list`,
    source: `${head(id, `Offers a service: other extensions say needs: ["${camelOf(id)}"] and find it in their ctx.`, "any")}
  provides: ["${camelOf(id)}"],
  activate(ctx) {
    const met = new Set();
    ctx.provide("${camelOf(id)}", {
      greet(who) {
        const again = met.has(who);
        met.add(who);
        return again ? \`Hello again \${who}!\` : \`Hello \${who}!\`;
      },
    });
  },
};
`,
    test: `${testHead()}
/** An extension that uses the service. */
const user = {
  id: "user",
  name: "User",
  version: "0.1.0",
  needs: ["${camelOf(id)}"],
  commands: ({ ${camelOf(id)} }) => ({ hello: (who) => ${camelOf(id)}.greet(who) }),
};

test("it knows whom it has met", async () => {
  await using session = await openSession({ plugins: [plugin, user] });
  assert.equal((await session.command("/hello Ann")).output, "Hello Ann!");
  assert.equal((await session.command("/hello Ann")).output, "Hello again Ann!");
});
`,
  }),
};

/** `my-tool` -> `My tool`. */
function titleOf(id: string): string {
  const words = id.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `my-tool` -> `myTool`. */
function camelOf(id: string): string {
  return id.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** `my-tool` -> `MyTool`. */
function wordOf(id: string): string {
  const camel = camelOf(id);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
