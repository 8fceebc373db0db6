import { mkdirSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errors as errorsOfDaemon } from "../../plugins/daemon/errors.ts";
import { errors } from "../../plugins/relay/errors.ts";
import { read } from "../docs/source.ts";
import { itWith } from "../optional.ts";
import { readQr } from "../plugins/relay/qr-reader.ts";
import { type Terminal, terminal } from "./pty.ts";
import { none, relayed } from "./relayed.ts";
import type { Scratch } from "./scorel.ts";

const name = hostname().split(".")[0] as string;

const told = ({ message }: Error) => `scorel: ${message}\n`;

it("a computer pairs with a host through a relay, talks there, and is shut out again", async () => {
  await using r = await relayed();
  const printed = await r.pair();
  const fingerprint = /This host is (\S+);/.exec(printed.host.join("\n"))?.[1] as string;
  expect(printed.host).toEqual([
    "Code: <code>",
    "It pairs one device within 5 minutes. On the other computer:",
    `  scorel pair <code> --relay ${r.address}`,
    'Or in a page of Scorel, as the code of "Add a device", or after the address of the page:',
    expect.stringMatching(
      new RegExp(`^  #pair=<code>&relay=${encodeURIComponent(r.address).replaceAll(".", "\\.")}&host=[\\w-]{43}$`),
    ),
    `This host is ${fingerprint}; the other computer shows the same.`,
    '"laptop" is paired, and may use this host (view, prompt, approve).',
  ]);
  expect(printed.laptop.split("\n")).toEqual([
    expect.stringMatching(
      /^The code is right\. Say yes on the other computer: it shows this one as \w{4}-\w{4}-\w{4}-\w{4}\.$/,
    ),
    `Paired with "${name}" (${fingerprint}; view, prompt, approve).`,
    `To talk there: scorel attach --device ${name}`,
    "",
  ]);
  await r.host.run([...none, "-p", "said at the host"]);
  expect(
    await r.laptop.run(["attach", "--device", name], { input: "said from afar\n", ownProcess: true }),
  ).toMatchObject({ code: 0 });
  expect(r.requests.at(-1)?.text).toMatch(/said at the host.*answer 0.*said from afar/);

  const { stdout } = await r.host.run(["device", "list", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    devices: [{ name: "laptop", scopes: ["view", "prompt", "approve"], connected: false }],
    relays: [{ address: r.address, state: "connected" }],
    hosts: [],
  });
  expect(await r.host.run(["device", "scopes", "laptop", "view"])).toMatchObject({
    stdout: '"laptop" may now: view.\n',
  });
  const looking = await r.laptop.run(["attach", "--device", name], { input: "not allowed\n" });
  expect(looking.stdout + looking.stderr).toContain("prompt");
  expect(await r.host.run(["device", "revoke", "laptop"])).toMatchObject({ stdout: '"laptop" is let in no more.\n' });
  expect(await r.laptop.run(["attach", "--device", name])).toMatchObject({
    stderr: told(errors.RELAY_NOT_PAIRED()),
  });
});

it("a paired computer goes on after the relay was killed, and after the host was replaced", async () => {
  await using r = await relayed();
  await r.pair();
  await r.host.run([...none, "-p", "first"]);
  const talking = r.laptop.start(["attach", "--device", name], { open: true });
  talking.child.stdin?.write("second\n");
  await talking.line((line) => line.includes("answer 1"));
  await r.serveAgain();
  talking.child.stdin?.write("third\n");
  await talking.line((line) => line.includes("answer 2"));
  await r.host.run(["host", "serve", "--replace", ...none]);
  talking.child.stdin?.write("fourth\n");
  await talking.line((line) => line.includes("answer 3"));
  talking.child.stdin?.end();
  expect((await talking.finished).code).toBe(0);
  expect(r.requests.at(-1)?.text).toMatch(/first.*second.*third.*fourth/);
  await r.host.run(["host", "stop"]);
});

itWith("script", "a conversation that has lost its relay does not say that the host is gone", async () => {
  await using r = await relayed();
  await r.pair();
  await r.host.run([...none, "-p", "first"]);
  // The local folder is not used there, so nobody is asked to trust it.
  r.laptop.file(".scorel/config.toml", "[session]\n");
  await using t = terminal(r.laptop, ["attach", "--device", name]);
  await t.shows("answer 0");
  expect(t.screen()).not.toContain("trust");
  await r.kill();
  await t.shows("(no connection to the host:");
  await r.serveAgain();
  await t.shows("(the connection to the host is back)");
  expect(t.screen()).not.toContain("(the host is back)");
  t.type("/exit\r");
  await t.shows(`To continue: scorel attach --device ${name} `);
  expect(await t.code).toBe(0);
});

itWith(
  "script",
  "a terminal shows the link to a page as a QR code, too, and asks before it lets anybody in",
  async () => {
    await using r = await relayed();
    await using t = terminal(r.host, ["pair", ...none, "--relay", r.address, "--page", "https://page.example/"]);
    await t.shows("the other computer shows the same.");
    const lines = t.screen().split(/\r?\n/);
    const link = lines.find((line) => line.includes("#pair="))?.trim();
    expect(link).toMatch(/^https:\/\/page\.example\/#pair=[\w-]{13}&relay=\S+&host=[\w-]{43}$/);
    expect(readQr(lines.filter((line) => /^[ ▀▄█]{20,}$/.test(line)))).toBe(link);
    const [, code = ""] = /#pair=([\w-]+)/.exec(link ?? "") ?? [];
    const joining = r.laptop.run(["pair", code, "--relay", r.address, "--name", "laptop"]);
    await t.shows("has typed the code. Let it in (view, prompt, approve)? [y/N]");
    t.type("y\r");
    await t.shows('"laptop" is paired');
    expect((await joining).code).toBe(0);
  },
);

itWith("script", "does not let a device in because of a yes that was typed before the question", async () => {
  await using r = await relayed();
  await using t = terminal(r.host, ["pair", ...none, "--relay", r.address]);
  await t.shows("the other computer shows the same.");
  const [, code = ""] = /Code: ([\w-]+)/.exec(t.screen()) ?? [];
  t.type("y\ryes");
  await t.shows("yes");
  const joining = r.laptop.run(["pair", code, "--relay", r.address, "--name", "laptop"]);
  await t.shows("has typed the code. Let it in (view, prompt, approve)? [y/N]");
  t.type("\r");
  await t.shows("It was not let in.");
  expect([(await joining).code, await t.code]).toEqual([1, 1]);
});

itWith("script", "a paired computer lists the sessions there, and asks for no folder of the other one", async () => {
  await using r = await relayed();
  await r.pair();
  expect((await r.laptop.run(["attach", ...none])).stderr).toBe(
    told(errorsOfDaemon.DAEMON_NO_SESSION({ others: [`scorel attach --device ${name}`] })),
  );
  const there = ["attach", "--device", name];
  expect((await r.laptop.run(there)).stderr).toBe(told(errorsOfDaemon.DAEMON_NO_SESSION_THERE()));
  const gone = join(r.host.project, "gone");
  mkdirSync(gone);
  await r.host.run([...none, "-p", "said first"]);
  await r.host.run([...none, "-p", "said in a folder"], { cwd: gone });
  rmSync(gone, { recursive: true });
  // The old host still has the session open.
  await r.host.run(["host", "serve", "--replace", ...none]);
  await using t = terminal(r.laptop, there);
  await t.shows("which no longer exists on the computer of its host.");
  await t.shows("scorel attach SESSION");
  expect(await t.code).toBe(1);
  const { stdout } = await r.laptop.run([...there, "--list"]);
  const rows = stdout.trim().split("\n");
  expect(rows).toEqual([expect.stringContaining("said in a folder"), expect.stringContaining("said first")]);
  expect(rows[1]).toContain(`(${r.host.project})`);
  const [first = ""] = rows[1]?.split(" ") ?? [];
  expect(await r.laptop.run([...there, first], { input: "said from afar\n" })).toMatchObject({ code: 0 });
  expect(r.requests.at(-1)?.text).toMatch(/said first.*said from afar/);
  await r.host.run(["host", "stop"]);
});

it("says right after pairing that the relay does not accept the address as its name", async () => {
  await using r = await relayed();
  const { hostname: to, port } = new URL(r.address);
  const between = createServer((socket) => {
    const relay = connect(Number(port), to);
    for (const [one, other] of [[socket, relay] as const, [relay, socket] as const])
      one.on("error", () => other.destroy()).pipe(other);
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  const address = `ws://127.0.0.1:${(between.address() as AddressInfo).port}/relay`;
  const offering = r.host.start([...none, "pair", "--relay", r.address, "--yes"], { open: true });
  const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
  const { stdout, stderr, code: exit } = await r.laptop.run(["pair", code, "--relay", address]);
  await offering.finished;
  expect([exit, stdout]).toEqual([1, expect.stringContaining(`Paired with "${name}"`)]);
  expect(stdout).not.toContain("To talk there");
  expect(stderr).toMatch(/^scorel: The computers are paired, but this one cannot reach the host: .*with --name\. If /);
  await new Promise((resolve) => between.close(resolve));
});

it("says what is wrong with a code, a relay, and a host that is away", async () => {
  await using r = await relayed();
  const problem = async (...args: string[]) => (await r.laptop.run(args)).stderr;
  const refusedAt = (relay: string) => expect.stringContaining(`The relay ${relay} cannot be reached (`);
  expect(await problem("pair", "nonsense", "--relay", r.address)).toBe(told(errors.RELAY_CODE_FORM()));
  expect(await problem("pair", "7Q2-K9FV-0CXE")).toBe(told(errors.RELAY_NONE()));
  expect(await problem("pair", "7Q2-K9FV-0CXE", "--relay", r.address)).toBe(
    told(errors.RELAY_CODE_ENDED({ reason: "no host waits at it" })),
  );
  expect(await problem("pair", "7Q2-K9FV-0CXE", "--relay", "ws://relay.example")).toBe(
    told(errors.RELAY_PLAIN({ address: "ws://relay.example" })),
  );
  expect(await problem("pair", "7Q2-K9FV-0CXE", "--relay", "ws://127.0.0.1:1")).toEqual(
    refusedAt("ws://127.0.0.1:1/relay"),
  );
  expect(await problem("pair", "--page", "ftp://page.example", "--yes")).toBe(told(errors.RELAY_PAGE()));
  expect(await problem("pair")).toBe(told(errors.RELAY_NO_TERMINAL()));
  expect(await problem("attach", "--device", "nobody")).toBe(
    told(errors.RELAY_HOST_UNKNOWN({ host: "nobody", known: [] })),
  );
  const offering = r.host.start([...none, "pair", "--relay", r.address, "--yes"], { open: true });
  const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
  const wrong = code.slice(0, -1) + (code.endsWith("0") ? "1" : "0");
  expect(await problem("pair", wrong, "--relay", r.address)).toBe(told(errors.RELAY_CODE_WRONG()));
  expect((await r.laptop.run(["pair", code, "--relay", r.address])).code).toBe(0);
  await offering.finished;
  r.serving.child.kill("SIGTERM");
  await r.serving.finished;
  expect(await problem("attach", "--device", name)).toBe(told(errors.RELAY_AWAY({ host: name, relay: r.address })));
});

it("a code whose command was interrupted is withdrawn at once", async () => {
  await using r = await relayed();
  const offering = r.host.start([...none, "pair", "--relay", r.address, "--yes"], { open: true });
  const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
  offering.child.kill("SIGINT");
  await offering.finished;
  const { stderr } = await r.laptop.run(["pair", code, "--relay", r.address]);
  expect(stderr).toBe(told(errors.RELAY_CODE_ENDED({ reason: "no host waits at it" })));
});

it("the owner of a relay sees its connections, and blocks an identity", async () => {
  await using r = await relayed();
  await r.pair();
  const status = async () => JSON.parse((await r.relay.run(["relay", "status", "--json"])).stdout);
  // Waits until the connections of the pairing are closed.
  await expect.poll(status).toMatchObject({ running: true, address: r.address, hosts: 1, clients: 0, places: 0 });
  const { hosts } = JSON.parse((await r.laptop.run(["device", "list", "--json"])).stdout) as {
    hosts: { id: string }[];
  };
  const [{ id }] = hosts as [{ id: string }];
  expect(await r.relay.run(["relay", "revoke", id])).toMatchObject({ code: 0 });
  const stateOf = async () => JSON.parse((await r.host.run(["device", "list", "--json"])).stdout).relays[0].state;
  await expect.poll(stateOf).toContain("blocked");
  expect(await r.relay.run(["relay", "serve", "--port", "0"])).toMatchObject({
    stderr: expect.stringContaining("is already running (process "),
  });
});

itWith("script", "the outputs in the guide to relays are those of its commands", async () => {
  const shown = blocksOf("docs/guide/relay.md");
  await using r = await relayed();
  const seen: string[][] = [];
  const at = async (home: Scratch, command: string) => {
    const { stdout, stderr } = await home.run(command.split(" "));
    seen.push([`$ scorel ${command}`, ...(stdout + stderr).trimEnd().split("\n")]);
  };
  seen.push(["$ scorel relay serve", ...r.printed]);
  await r.host.run([...none, "-p", "What does total do?"]);
  await using asking = terminal(r.host, [
    "pair",
    "--relay",
    r.address.replace("/relay", ""),
    "--name",
    "desk",
    ...none,
  ]);
  await asking.shows("the other computer shows the same.");
  const code = /Code: (\S+)/.exec(asking.screen())?.[1] as string;
  const before = linesOn(asking);
  seen.push([`$ scorel pair --relay ${r.address.replace("/relay", "")}`, ...before]);
  const joining = r.laptop.start(["pair", code, "--relay", r.address, "--name", "laptop"], { open: true });
  const right = await joining.line((line) => line.startsWith("The code is right."));
  seen.push([`$ scorel pair ${code} --relay ${r.address} --name laptop`, right]);
  await asking.shows("[y/N]");
  asking.type("y\r");
  expect(await asking.code).toBe(0);
  seen.push(linesOn(asking).slice(before.length));
  seen.push((await joining.finished).stdout.trimEnd().split("\n").slice(1));
  await at(r.host, "device list");
  await at(r.host, "device scopes laptop view");
  await at(r.host, "device revoke laptop");
  await at(r.laptop, "attach --device desk");
  const talked = shown.find((block) => block[0] === "$ scorel attach --device desk" && block.length > 2);
  expect(seen.map(alike)).toEqual(shown.filter((block) => block !== talked).map(alike));
});

/** The lines of a terminal's screen, without empty lines at the end. */
function linesOn(shown: Terminal): string[] {
  return shown.rows().join("\n").trimEnd().split("\n");
}

/** The lines of each block of a guide that shows the output of commands. */
function blocksOf(path: string): string[][] {
  return [...read(path).matchAll(/```text\n([\s\S]*?)```/g)].map(([, block = ""]) => block.trimEnd().split("\n"));
}

/** Lines without values that differ between runs: codes, fingerprints and ports. */
function alike(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line
      .trimEnd()
      .replace(/(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/g, "<fingerprint>")
      .replace(/[0-9A-HJKMNP-TV-Z]{3}(?:-[0-9A-HJKMNP-TV-Z]{4}){2}/g, "<code>")
      .replace(/127\.0\.0\.1(:|%3A)\d+/g, "127.0.0.1$1<port>")
      .replace(/host=[\w-]{43}/g, "host=<id>"),
  );
}
