import { PassThrough, Writable } from "node:stream";
import { printAnswer } from "@scorel/host/command-line";
import { describe, expect, it } from "vitest";
import { testHome, testHost } from "./home.ts";

/** The exit code and output of a command that prints the result of `work`. */
async function printed(work: () => Promise<string>, stdout: Writable & { isTTY?: boolean } = new PassThrough()) {
  using _home = testHome();
  await using t = await testHost();
  const said: string[] = [];
  const stderr = { write: (text: string) => said.push(text) };
  let closed = false;
  const connect = () => {
    const client = t.host.connect();
    const close = async () => {
      closed = true;
      await client.close();
    };
    return { ...client, request: client.request, close };
  };
  const host = { connect } as unknown as Parameters<typeof printAnswer>[0];
  const code = await printAnswer(host, { stdout, stderr }, work).catch(String);
  const shown = stdout instanceof PassThrough ? String(stdout.read() ?? "") : "";
  return { code, shown, said, closed };
}

const failing = (code: string) =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error("no room"), { code })) });

describe("the answer of a command", () => {
  it("is printed, and the client's sessions are released", async () => {
    expect(await printed(async () => "done\n")).toEqual({ code: 0, shown: "done\n", said: [], closed: true });
  });

  it("moves no cursor in a terminal, and is unchanged for a program", async () => {
    const words = "\u001b[2Jred\u0007\n";
    expect((await printed(async () => words, Object.assign(new PassThrough(), { isTTY: true }))).shown).toBe("red\n");
    expect((await printed(async () => words)).shown).toBe(words);
  });

  it("that cannot be written is a failure, unless the reader has left", async () => {
    expect(await printed(async () => "done\n", failing("ENOSPC"))).toMatchObject({
      code: 1,
      said: ["The output could not be written: no room\n"],
    });
    expect(await printed(async () => "done\n", failing("EPIPE"))).toMatchObject({ code: 0, said: [] });
  });

  it("that throws leaves nothing open", async () => {
    const thrown = await printed(() => Promise.reject(new Error("no answer")));
    expect(thrown).toEqual({ code: "Error: no answer", shown: "", said: [], closed: true });
  });
});
