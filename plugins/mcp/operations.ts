import type {} from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type { McpService } from "./contract.ts";
import { errors } from "./errors.ts";

const row = () =>
  z.strictObject({
    name: z.string(),
    state: z.enum(["disabled", "off", "starting", "up", "restarting", "failed"]).describe("What the server is doing."),
    place: z.string().describe("The file that names it."),
    target: z.string().describe("Its program with the arguments, or its address, without what may be a key."),
    env: z.array(z.string()).optional().describe("The names of the variables that its program gets."),
    headers: z.array(z.string()).optional().describe("The names of the headers that its address gets."),
    version: z.string().optional().describe("Its own name and version."),
    tools: z.array(z.string()).describe("The names under which the model is offered its tools."),
    prompts: z.array(z.string()).optional().describe("The commands that its prompts are."),
    hasResources: z.literal(true).optional().describe("It has resources, which messages can name as `@server:uri`."),
    deferred: z
      .array(z.string())
      .optional()
      .describe("Those of its tools that the model has to find with `ToolSearch`."),
    toolSearch: z
      .string()
      .optional()
      .describe("Before that is decided: when its tools would have to be found with `ToolSearch`, in words."),
    login: z
      .enum(["kept", "none", "unknown"])
      .optional()
      .describe("Of a server with an address and without a key: whether a login is kept."),
    asked: z
      .array(z.enum(["folder", "answers", "address", "model"]))
      .optional()
      .describe(
        "What it has asked for since the session began: the project's folder, answers of a person, that a person opens an address, answers of the model.",
      ),
    problem: z.string().optional().describe("Why it is not up, or what is left out."),
  });

/** Operations about the MCP servers of a session. */
export function operations(service: McpService) {
  return {
    list_mcp_servers: {
      summary: "Lists the MCP servers of a session, with their states and tools.",
      readOnly: true,
      size: "pages",
      params: () => z.strictObject({ sessionId: z.string() }),
      result: async () => z.strictObject({ servers: z.array(row()) }),
      run: () => ({ servers: service.servers() }),
    },
    restart_mcp_server: {
      summary: "Restarts an MCP server of a session, and waits until it is running.",
      size: { bounded: "It is one server." },
      params: () => z.strictObject({ sessionId: z.string(), name: z.string() }),
      result: async () => row(),
      run({ name }) {
        // Its tools would not be offered.
        if (service.named(name).state === "disabled") throw errors.MCP_DISABLED({ server: name });
        return service.restart(name);
      },
    },
  } satisfies Contributions["operations"];
}
