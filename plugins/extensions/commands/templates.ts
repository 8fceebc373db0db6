import type { Kind } from "./kinds.ts";

/** A new extension. It is plain JavaScript without dependencies, so that its test runs in an empty folder. */
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
const testHead = `import assert from "node:assert/strict";
import { test } from "node:test";
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
    test: `${testHead}
test("it greets", async () => {
  const [tool] = plugin.tools();
  assert.deepEqual(await tool.execute("1", { who: "Ann" }), { content: [{ type: "text", text: "Hello Ann!" }] });
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
    test: `${testHead}
const ask = (command) => plugin.hooks().approveToolCall.handler({ toolCall: { name: "Bash" }, args: { command } });

test("it refuses a push", () => {
  assert.deepEqual(ask("git push origin main"), { block: true, reason: "Pushing is left to the user." });
});

test("it lets everything else pass", () => {
  assert.equal(ask("git status"), undefined);
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
    test: `${testHead}
const ui = { input: async (_title, { default: name }) => name };

test("it greets", async () => {
  const { "${id}": command } = plugin.commands({ session: { seq: 7 }, ui });
  assert.equal(await command.run("Ann"), "Hello Ann! This session has 7 events.");
  assert.equal(await command.run(""), "Hello you! This session has 7 events.");
});
`,
  }),
  projection: (id) => ({
    use: `\n          /${id}`,
    source: `${head(id, "Keeps a figure beside the log, here the count of tool results, and a slash command that shows it.")}
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
    test: `${testHead}
test("it counts tool results", () => {
  const { init, update } = plugin.projections["${id}"];
  const events = ["user", "assistant", "tool_result", "tool_result"].map((role) => ({ type: "message", message: { role } }));
  assert.equal(events.reduce(update, init()), 2);
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
    test: `${testHead}
test("it knows whom it has met", () => {
  const services = {};
  plugin.activate({ provide: (name, service) => Object.assign(services, { [name]: service }) });
  const { greet } = services["${camelOf(id)}"];
  assert.deepEqual([greet("Ann"), greet("Ann")], ["Hello Ann!", "Hello again Ann!"]);
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
