import { isAbsolute } from "node:path";
import { z } from "zod";

/**
 * Names of servers: letters and digits, with single dashes and underscores between them. In the name of a tool, two underscores end the
 * server's name, so that a rule such as `mcp__git__*` matches one server.
 */
const SERVER_NAME = /^(?=.{1,32}$)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/;

/** Whether an address is valid when each variable in it has its default, or some value. */
function isAddress(text: string): boolean {
  const url = text.replace(/\$\{[A-Za-z_]\w*(?::-([^}]*))?\}/g, (_, otherwise?: string) => otherwise || "x");
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: /^\$\{/.test(text) ? "https:" : "" };
  return /^https?:$/.test(protocol);
}

/** The schema of a server. It is made when the first server is read, so that a session without servers starts faster. */
export const serverTable = z.lazy(() => (made ??= makeTable()));

let made: ReturnType<typeof makeTable> | undefined;

function makeTable() {
  const texts = z.record(z.string(), z.string());
  return z
    .strictObject({
      name: z
        .string()
        .regex(SERVER_NAME, "must be up to 32 letters and digits, with single - or _ between them")
        .describe("the name of the server, which the names of its tools contain"),
      command: z.string().min(1).optional().describe("the program of a server on this computer"),
      args: z.array(z.string()).optional().describe("the arguments of the program"),
      env: texts
        .optional()
        .describe("variables for the program, besides PATH, HOME and the like; values may refer to variables"),
      cwd: z.string().optional().describe("the folder that the program starts in (default: that of the session)"),
      url: z
        .string()
        .refine(isAddress, "Invalid URL")
        .optional()
        .describe("the address of a server that is reached over HTTP; may refer to variables"),
      headers: texts.optional().describe("headers of each request to the address; values may refer to variables"),
      oauth: z
        .strictObject({
          clientId: z.string().min(1).optional().describe("id of a client that you have registered there"),
          clientSecret: z.string().min(1).optional().describe("its secret, if it has one; may refer to variables"),
          callbackPort: z
            .int()
            .min(1_024)
            .max(65_535)
            .optional()
            .describe("the port on which the browser comes back, if the registration names one"),
        })
        .optional()
        .describe("for `scorel mcp login` at a server that does not register programs by itself"),
      enabled: z.boolean().optional().describe("`false`: the server is not used"),
      timeout: z
        .number()
        .positive()
        .max(3_600)
        .optional()
        .describe("seconds that a call may take without an answer or progress (default: 60)"),
      tools: z.array(z.string()).optional().describe("the only tools of the server to offer, such as `search_*`"),
      projects: z
        .array(z.string().refine(isAbsolute, "must be an absolute path"))
        .optional()
        .describe("the only folders whose sessions, and those of folders in them, have the server (default: all)"),
      ofProject: z.boolean().optional().describe("set by Scorel for the servers of a project"),
      ofPreset: z.string().optional().describe("set by Scorel for the servers of a preset in a folder: this folder"),
    })
    .refine(({ command, url }) => (command === undefined) !== (url === undefined), "needs either a command or a url")
    .refine(({ oauth, url }) => oauth === undefined || url !== undefined, "oauth is only for a server with a url");
}

export const config = z.strictObject({
  servers: z
    .array(serverTable)
    .default([])
    .describe("the MCP servers whose tools the model is offered")
    .meta({
      layers: "join",
      marked: "ofProject",
      placed: "ofPreset",
      trust: {
        kind: "code",
        could: "its program runs with your rights, or what the model passes on goes to its address",
      },
    }),
  variables: z
    .array(z.string())
    .default([])
    .describe("variables that servers of projects may refer to, besides PATH, HOME and the like")
    .meta({ layers: "own" }),
  sampling: z
    .boolean()
    .default(false)
    .describe("servers may have the session's model answer them; a person is asked about each time")
    .meta({ layers: "own" }),
  toolBudget: z
    .number()
    .min(0)
    .default(0.1)
    .describe(
      "how long the descriptions of all tools may be, as a share of the context window up to 1, else in tokens, before the model has to find tools with `ToolSearch`; 0: it never has to",
    ),
  wait: z
    .number()
    .min(0)
    .max(60)
    .default(5)
    .describe("seconds that the first message waits for servers that are still starting"),
});

export type McpConfig = z.output<typeof config>;
/** A server as written in `[[mcp.servers]]` or in the file `.mcp.json`. */
export type ServerTable = z.output<typeof serverTable>;
