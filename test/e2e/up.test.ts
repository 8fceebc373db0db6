import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { itWith } from "../optional.ts";
import { hostClient } from "../programs/browser.ts";
import { scratch } from "./scorel.ts";

itWith(
  "linux",
  "`scorel up` opens a file that leads to the link, and that is deleted once the link was used",
  async () => {
    using s = scratch();
    const programs = join(s.home, "programs");
    const opened = join(s.home, "opened");
    mkdirSync(programs);
    const script = `#!/bin/sh\nprintf '%s' "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`;
    writeFileSync(join(programs, "xdg-open"), script, { mode: 0o755 });
    const env = { PATH: `${programs}:${process.env.PATH}`, DISPLAY: ":0" };
    try {
      const { code, stdout } = await s.run(["up", "--port", "0"], { env });
      const [, address = "", secret = ""] = /(http\S+)\/#code=(\S+)/.exec(stdout) ?? [];
      expect([code, stdout]).toEqual([0, expect.stringContaining("Your browser was asked to open the page.")]);
      await eventually(() => expect(existsSync(opened)).toBe(true));
      const file = readFileSync(opened, "utf8");
      expect(file).not.toContain(secret);
      expect(readFileSync(file, "utf8")).toContain(`0;url=${address}/#code=${secret}`);
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify({ code: secret });
      expect((await fetch(`${address}/access`, { method: "POST", headers, body })).status).toBe(200);
      expect(existsSync(file)).toBe(false);
    } finally {
      await s.run(["host", "stop"]);
    }
  },
);

it("`scorel up` uses the port of the page before, unless another one is given", async () => {
  using s = scratch();
  const up = async (...more: string[]) => {
    const { stdout } = await s.run(["up", "--no-open", ...more]);
    return /(http\S+)\/#code=/.exec(stdout)?.[1] ?? stdout;
  };
  try {
    const first = await up("--port", "0");
    await s.run(["host", "stop"]);
    expect(await up()).toBe(first);
    await s.run(["host", "stop"]);
    expect(await up("--port", "0")).not.toBe(first);
  } finally {
    await s.run(["host", "stop"]);
  }
});

it("`scorel up` twice at the same moment starts one host, whose page both lead to", async () => {
  using s = scratch();
  try {
    const ran = await Promise.all([1, 2].map(() => s.run(["up", "--no-open", "--port", "0"])));
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    const pages = ran.map(({ stdout }) => /(http\S+)\/#code=/.exec(stdout)?.[1]);
    expect([pages[0], pages[1]]).toEqual([expect.stringMatching(/^http/), pages[0]]);
  } finally {
    await s.run(["host", "stop"]);
  }
});

it("`scorel up` refuses what is not a port, whether a host runs or not", async () => {
  using s = scratch();
  const wrong = async () => {
    const { code, stdout, stderr } = await s.run(["up", "--no-open", "--port", "99999"]);
    return { code, stdout, stderr };
  };
  const refused = {
    code: 2,
    stdout: "",
    stderr: 'scorel: "99999" is not a port. Use a number from 0 (any free one) to 65535.\n',
  };
  expect(await wrong()).toEqual(refused);
  await s.run(["host", "serve"]);
  try {
    expect(await wrong()).toEqual(refused);
  } finally {
    await s.run(["host", "stop"]);
  }
});

it("`scorel up` makes a running host open a port, while others use it", async () => {
  using s = scratch();
  const status = async () => JSON.parse((await s.run(["host", "status", "--json"])).stdout);
  const web = ({ addresses }: { addresses: { transport: string; address: string }[] }) =>
    addresses.flatMap(({ transport, address }) => (transport === "web" ? address : []));
  const up = async () => {
    const { stdout, stderr } = await s.run(["up", "--no-open", "--port", "0"]);
    const [, address = "", secret = ""] = /(http\S+)\/#code=(\S+)/.exec(stdout) ?? [];
    return { address, secret, stderr };
  };
  try {
    expect((await s.run(["host", "serve"])).code).toBe(0);
    const before = (await status()).state;
    expect(web(before)).toEqual([]);
    const user = await hostClient(s.home, "laptop");

    const { address, secret, stderr } = await up();
    expect([stderr, (await fetch(address)).status]).toEqual(["", 200]);
    const after = (await status()).state;
    expect([after.pid, web(after)]).toEqual([before.pid, [address]]);
    expect((await up()).address).toBe(address);
    // The host that replaces it also has a port.
    expect(after.words).toEqual(expect.arrayContaining(["--port", "0"]));
    await user.close();

    const headers = { "Content-Type": "application/json" };
    const letIn = await fetch(`${address}/access`, { method: "POST", headers, body: JSON.stringify({ code: secret }) });
    const { token } = (await letIn.json()) as { token: string };
    const asked = await fetch(`${address}/operations/open_port`, {
      method: "POST",
      headers: { ...headers, Authorization: `Bearer ${token}` },
      body: JSON.stringify({ port: 0 }),
    });
    expect(await asked.json()).toMatchObject({ error: { code: "DAEMON_OWN_USER" } });
  } finally {
    await s.run(["host", "stop"]);
  }
});

it("`scorel up` says why a running host cannot open the port", async () => {
  using s = scratch();
  using other = scratch();
  try {
    const { stdout } = await other.run(["up", "--no-open", "--port", "0"]);
    const [, port = ""] = /127\.0\.0\.1:(\d+)/.exec(stdout) ?? [];
    await s.run(["host", "serve"]);
    const { code, stderr } = await s.run(["up", "--no-open", "--port", port]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`127.0.0.1:${port}`)]);
    expect((await s.run(["up", "--no-open", "--port", "0"])).stdout).toContain("#code=");
  } finally {
    await Promise.all([s, other].map((each) => each.run(["host", "stop"])));
  }
});
