import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const provider = (baseUrl: string) => `export default {
  id: "acme", name: "Acme", version: "1.0.0",
  providers: () => ({
    acme: {
      baseUrl: ${JSON.stringify(baseUrl)},
      api: "openai-completions",
      models: [{ id: "large", contextWindow: 64000, maxTokens: 4000 }],
      async login({ show, ask, tell }) {
        show("https://acme.example/device", "Enter the code ABCD there.");
        const code = await ask("The answer", false);
        tell("Thank you.");
        if (code === "no") throw new Error("the answer is wrong");
        return "acme-" + code;
      },
    },
  }),
};
`;

it("a plugin's provider has its own login; its key is stored, sent only to it, and can be removed", async () => {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer(() => text("Yes."));
  s.file("~/.scorel/extensions/acme.ts", provider(server.baseUrl));
  const auth = join(s.home, ".scorel/auth.json");
  const login = (input: string) => s.run(["login", "acme", "--with", "subscription"], { input });

  const failed = await login("no\n");
  expect([failed.code === 0, failed.stderr, existsSync(auth)]).toEqual([
    false,
    expect.stringContaining("the answer is wrong"),
    false,
  ]);
  const done = await login("key-0123456789\n");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toContain("https://acme.example/device\n\nEnter the code ABCD there.\n");
  expect(done.stdout).toContain(`Stored the login to acme in ${auth}.`);
  expect(JSON.parse(readFileSync(auth, "utf8"))).toEqual({ version: 1, keys: { acme: "acme-key-0123456789" } });

  const said = await s.run(["--model", "acme/large", "-p", "Is acme-key-0123456789 my key?"]);
  expect(said).toMatchObject({ code: 0, stdout: "Yes.\n" });
  expect(server.requests[0]?.headers.authorization).toBe("Bearer acme-key-0123456789");
  expect(server.requests[0]?.text).not.toContain("acme-key-0123456789");
  const logs = s.logs().map((log) => readFileSync(log, "utf8"));
  expect([done.stdout, ...logs].some((words) => words.includes("acme-key-0123456789"))).toBe(false);

  expect(await s.run(["logout", "acme"])).toMatchObject({ code: 0 });
  expect(readFileSync(auth, "utf8")).not.toContain("acme-key");
  const after = await s.run(["--model", "acme/large", "-p", "hi"]);
  expect([after.code === 0, server.requests.length]).toEqual([false, 1]);
});
