import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { scratch } from "./scorel.ts";

const canary = "canary-7f3a9c1e5b";

/** Prints the environment of Scorel's own process. Guards read commands, but not the contents of script files. */
const peek = 'for pid in $PPID $(cut -d " " -f 4 /proc/$PPID/stat); do cat /proc/$pid/environ; done';

function everyByte(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? everyByte(path) : readFileSync(path, "latin1")))
    .join("\n");
}

it("a key is sent only in the header to its own server, even if the model prints every environment that it can", async () => {
  using s = scratch();
  await using server = await startModelServer([
    [
      toolCall("Bash", { command: "env; cat ../kept.txt" }),
      toolCall("Bash", { command: "sh peek.sh | tr '\\0' '\\n'" }),
    ],
    text(`I saw ${canary}`, 4),
  ]);
  s.useModel(server.baseUrl, 'apiKeyEnv = "SCRIPTED_KEY"\n');
  s.file("../kept.txt", `SCRIPTED_KEY=${canary}\0`);
  s.file("peek.sh", peek);
  const run = await s.run(["-p", "look around", "--output", "events"], {
    env: { SCRIPTED_KEY: canary, OPENAI_API_KEY: `${canary}-openai` },
  });
  expect(run).toMatchObject({ code: 0 });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${canary}`, `Bearer ${canary}`]);
  expect(
    [run.stdout, run.stderr, everyByte(s.home), ...server.requests.map((request) => request.text)].join("\n"),
  ).not.toContain(canary);
});

it("a key is sent only to its own server, also if background commands print it, in pieces, and more than fits into a result", async () => {
  using s = scratch();
  const commands = [
    "env; cat ../kept.txt; sh peek.sh | tr '\\0' '\\n'",
    "(cat ../kept.txt; sh peek.sh) | while read -r -d '' line; do printf %s \"$line\" | fold -w 3 | tr -d '\\n'; sleep 0.01; done",
    "seq 20000; cat ../kept.txt; sh peek.sh; seq 20000",
  ];
  await using server = await startModelServer((request, index) => {
    if (index === 0) return commands.map((command) => toolCall("Bash", { command, background: true }));
    const results = request.body.messages.filter((message: { role: string }) => message.role === "tool");
    const ids = results
      .slice(0, 3)
      .flatMap(({ content }: { content: string }) => /as (\w+)\]/.exec(content)?.[1] ?? []);
    if (index === 1) return toolCall("Bash", { command: "sleep 1" });
    return index === 2 ? ids.map((id: string) => toolCall("Bash", { poll: id })) : text("done");
  });
  s.useModel(server.baseUrl, 'apiKeyEnv = "SCRIPTED_KEY"\n');
  s.file("../kept.txt", `SCRIPTED_KEY=${canary}\0`);
  s.file("peek.sh", peek);
  const temp = s.file("tmp/.keep", "").replace(/\/\.keep$/, "");
  const run = await s.run(["-p", "look around", "--output", "events"], {
    env: { SCRIPTED_KEY: canary, OPENAI_API_KEY: `${canary}-openai`, TMPDIR: temp },
  });
  expect(run).toMatchObject({ code: 0 });
  const polled = server.requests[3]?.body.messages.slice(-3).map(({ content }: { content: string }) => content);
  expect(polled.map((content: string) => content.includes("SCRIPTED_KEY="))).toEqual([true, true, false]);
  expect(everyByte(temp)).toContain("SCRIPTED_KEY=");
  const kept = [everyByte(s.home), everyByte(temp), ...server.requests.map((request) => request.text)];
  expect([run.stdout, run.stderr, ...kept].join("\n")).not.toContain(canary);
});

itWith(
  "linux",
  "a key is sent only to its own server, also if a command writes the environment of its parent into a file",
  async () => {
    using s = scratch();
    s.file("peek.sh", peek);
    const command = "sh peek.sh > stolen; cp stolen again; wc -c < stolen";
    await using server = await startModelServer([toolCall("Bash", { command }), text("done")]);
    s.useModel(server.baseUrl, 'apiKeyEnv = "SCRIPTED_KEY"\n');
    const env = { SCRIPTED_KEY: canary, OPENAI_API_KEY: `${canary}-openai`, NOT_SECRET: "to be seen" };
    expect(await s.run(["-p", "steal it"], { env })).toMatchObject({ code: 0 });
    const stolen = readFileSync(join(s.project, "stolen"), "latin1").split("\0");
    expect(stolen).toContain("NOT_SECRET=to be seen");
    expect(stolen).toContain(`SCRIPTED_KEY=${"x".repeat(canary.length)}`);
    expect(stolen.join("\n")).not.toContain(canary);
    // The key itself is still sent to its own server.
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${canary}`,
      `Bearer ${canary}`,
    ]);
  },
);

it("a key in a prompt, in piped input or in an attached file is neither stored nor sent, and the user is told", async () => {
  using s = scratch();
  await using server = await startModelServer([text("seen")]);
  s.useModel(server.baseUrl, 'apiKeyEnv = "SCRIPTED_KEY"\n');
  s.file("notes.txt", `SCRIPTED_KEY=${canary}\n`);
  const run = await s.run(["-p", `is ${canary} right? @notes.txt`, "--output", "events"], {
    env: { SCRIPTED_KEY: canary },
    input: `piped ${canary}`,
  });
  expect(run.code).toBe(0);
  expect(server.requests[0]?.text.split("[redacted]")).toHaveLength(4);
  expect(run.stderr).toContain("Your message held a key that Scorel knows. It was replaced by [redacted]");
  const log = everyByte(join(s.home, ".scorel/sessions"));
  expect([run.stdout, run.stderr, log, ...server.requests.map((request) => request.text)].join("\n")).not.toContain(
    canary,
  );
});

it("a key is neither stored nor sent if it is pasted into a conversation and queued there", async () => {
  using s = scratch();
  await using server = await startModelServer(() => text("seen"));
  s.useModel(server.baseUrl, 'apiKeyEnv = "SCRIPTED_KEY"\n');
  const run = await s.run(["chat"], {
    env: { SCRIPTED_KEY: canary },
    input: `use ${canary}\nand ${canary} again\n`,
  });
  expect(run.stdout + run.stderr).toContain("It was replaced by [redacted]");
  expect(server.requests.length).toBeGreaterThan(0);
  const log = everyByte(join(s.home, ".scorel/sessions"));
  expect([log, ...server.requests.map((request) => request.text)].join("\n")).not.toContain(canary);
});
