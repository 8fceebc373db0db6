import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { scratch } from "./scorel.ts";

/** A command that creates a session of the preset `team` with one message, and prints its id. */
const maker = `export default {
  id: "maker", name: "Maker", version: "1.0.0",
  needs: ["host", "workspace"],
  commands: ({ host, workspace }) => ({
    make: {
      summary: "Make a session",
      run: async () => {
        const client = host.connect();
        try {
          const { sessionId } = await client.request("create_session", { cwd: workspace.cwd, preset: "team" });
          const { id } = await client.request("send_message", { sessionId, content: "hello" });
          await client.request("wait_turn", { sessionId, id });
          return sessionId;
        } finally {
          await client.close();
        }
      },
    },
  }),
};
`;

it("a session whose preset was removed can be read and exported, but not continued", async () => {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer(() => text("Yes."));
  s.useModel(server.baseUrl);
  s.file("~/.scorel/extensions/maker.ts", maker);
  const preset = s.file("~/.scorel/presets/team.toml", 'extends = "coding"\n');
  await s.run(["-p", "begin"]);
  const made = await s.run([
    "session",
    "run",
    JSON.parse((await s.run(["session", "list", "--json"])).stdout)[0].sessionId,
    "/make",
  ]);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const id = made.stdout.trim();
  const shown = async (...argv: string[]) => {
    const { code, stdout, stderr } = await s.run(["session", ...argv]);
    return { code, stdout, stderr };
  };
  const views = [
    ["show", id],
    ["events", id],
    ["context", id],
    ["tree", id],
    ["export", id, "--format", "md"],
  ];
  const before = [];
  for (const view of views) before.push(await shown(...view));
  expect(before.map(({ code, stderr }) => [code, stderr])).toEqual(views.map(() => [0, ""]));
  expect(before[0]?.stdout).toBe("user: hello\n\nassistant: Yes.\n\n");
  rmSync(preset);

  const unknown = `There is no preset "team" (the session's preset). \`scorel preset list\` lists them all, and \`scorel preset add <source>\` installs one.`;
  const notice = `scorel: ${unknown} The session is shown as one of the preset "coding".\n`;
  const after = [];
  for (const view of views) after.push(await shown(...view));
  expect(after.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    before.map(({ code, stdout }) => ({ code, stdout })),
  );
  // `events` prints the log and needs no plugins.
  expect(after.map(({ stderr }) => stderr)).toEqual(views.map(([name]) => (name === "events" ? "" : notice)));
  for (const argv of [
    ["--session", id, "-p", "more"],
    ["session", "run", id, "/cost"],
  ])
    expect(await s.run(argv)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(unknown) });
});
