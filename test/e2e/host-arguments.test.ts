import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Scratch, scratch } from "./scorel.ts";

/** Files with invalid tokens, by the problem. */
const tokenFiles = (s: Scratch) => {
  const path = (name: string, text: string, mode: number) => {
    const file = s.file(`~/${name}`, text);
    chmodSync(file, mode);
    return file;
  };
  return { missing: join(s.home, "none"), empty: path("empty", "", 0o600), open: path("open", "scorel_abc\n", 0o644) };
};

type Refused = [words: (files: ReturnType<typeof tokenFiles>) => string[], code: number, text: RegExp];
const url = ["attach", "--url"];
const dead = "ws://127.0.0.1:1";

const refused: Refused[] = [
  [() => ["host", "serv"], 2, /Did you mean "serve"/],
  [() => ["host", "logs"], 1, /There is no host log yet.*scorel host serve/],
  [() => ["host", "token", "lst"], 2, /Did you mean "list"/],
  [() => ["host", "token", "remove", "phone"], 2, /There is no token "phone".*creates the first/],
  [() => ["host", "curlrc", "../x"], 2, /not the name of a token/],
  [() => ["host", "serve", "--bind", "127.0.0.1"], 2, /--bind applies only to a port.*--port <n>/],
  [() => ["host", "serve", "--tls-cert", "/c", "--tls-key", "/k"], 2, /--tls-cert, --tls-key apply only to a port/],
  [() => ["attach"], 2, /no session yet/],
  [() => [...url, "localhost:7777"], 2, /Did you mean "ws:\/\/localhost:7777"/],
  [() => [...url, "foo://me:secret@host"], 2, /^scorel: "foo:\/\/…@host" is not the address/],
  [() => [...url, "foo://me:sec/r@et@host"], 2, /^scorel: "foo:\/\/…@host" is not the address/],
  [() => [...url, "http://127.0.0.1:1"], 1, /No host answers at ws:\/\/127\.0\.0\.1:1/],
  [() => [...url, dead, "--ssh", "you@there"], 2, /Several hosts were given/],
  [({ missing }) => ["attach", "--token-file", missing], 2, /--token-file applies only to a host at an address.*--url/],
  [({ missing }) => [...url, dead, "--token-file", missing], 2, /cannot be used: it does not exist\. .*show-path/],
  [({ empty }) => [...url, dead, "--token-file", empty], 2, /cannot be used: it contains no token/],
  [({ open }) => [...url, dead, "--token-file", open], 2, /other users can read it; chmod 600 it/],
  [() => ["-p", "hello", "--url", dead], 2, /"scorel" has no option "--url"\. `scorel --help`/],
];

it("wrong arguments of a newcomer are refused with what is wrong and what to do, and nothing is created", async () => {
  using s = scratch();
  const files = tokenFiles(s);
  const before = readdirSync(s.home);
  for (const [words, code, text] of refused) {
    const said = await s.run(words(files));
    expect(said, words(files).join(" ")).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(text) });
    expect(said.stderr.trimEnd().split("\n")).toHaveLength(1);
    for (const name of ["run", "host", "sessions"]) expect(existsSync(join(s.home, ".scorel", name))).toBe(false);
  }
  expect(readdirSync(s.home)).toEqual(before);
});
