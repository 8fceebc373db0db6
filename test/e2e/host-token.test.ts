import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { connectHost } from "@scorel/host/client";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type Scratch, scratch } from "./scorel.ts";

/** The content of all files below a folder, by path. */
function bytesBelow(folder: string): [path: string, bytes: string][] {
  return readdirSync(folder).flatMap((name): [string, string][] => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) return bytesBelow(path);
    return stat.isFile() ? [[path, readFileSync(path, "latin1")]] : [];
  });
}

async function serve(s: Scratch) {
  const host = s.start(["host", "serve", "--foreground", "--port", "0"]);
  const line = await host.line((each) => each.startsWith("web: "));
  await host.line((each) => each.startsWith("ws: "));
  const port = Number(/:(\d+) /.exec(line)?.[1]);
  const token = readFileSync(join(s.home, ".scorel/host/owner.token"), "utf8").trim();
  return { host, port, token };
}

/** Sends a request with a token, and returns the body of the answer. */
function post(port: number, token: string, path: string, body: object, method = "POST"): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const asking = request({ port, path, method, headers }, (response) => {
      let got = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        got += chunk;
      });
      response.on("end", () => resolve(got));
    });
    asking.on("error", reject).end(method === "POST" ? JSON.stringify(body) : "");
  });
}

it("a host's token is in no file but its own, in no output and in no request to the model, whatever is done with it", async () => {
  using s = scratch();
  await using server = await startModelServer((_, index) =>
    index % 2 === 0
      ? [
          toolCall("Bash", { command: "env; printf '%s' \"$SCOREL_HOST_TOKEN\" > stolen" }),
          toolCall("Bash", { command: "sh peek.sh | tr '\\0' '\\n'" }),
          toolCall("Read", { file_path: "paste.txt" }),
        ]
      : text("done"),
  );
  s.useModel(server.baseUrl);
  const { host, port, token } = await serve(s);
  const file = join(s.home, ".scorel/host/owner.token");
  const outputs: string[] = [];
  const env = { SCOREL_HOST_TOKEN: token };
  const run = async (args: string[], input = "") => {
    const { code, stdout, stderr } = await s.run(args, { env, input });
    outputs.push(`${args.join(" ")}\n${stdout}\n${stderr}`);
    return code;
  };
  s.file("paste.txt", "nothing");
  // Guards read commands, but not the contents of script files.
  s.file("peek.sh", `for each in $(grep -ls "HOME=${s.home}" /proc/[0-9]*/environ); do cat $each; done 2> /dev/null`);
  const address = `ws://127.0.0.1:${port}`;
  expect(await run(["-p", "look around", "--output", "events"])).toBe(0);
  expect(await run(["--preset", "none", "-p", "alone"])).toBe(0);
  expect(await run(["attach", "--url", address], "and here\n")).toBe(0);
  expect(await run(["attach", "--url", address, "--token-file", file], "and here\n")).toBe(0);
  expect(await run(["attach", "--url", `${address}/?token=${token.slice(0, 9)}`])).toBe(2);
  expect(await run(["attach", "--url", "ws://127.0.0.1:9", "--token-file", file])).toBe(1);
  for (const more of [["status"], ["status", "--json"], ["token", "list"], ["token", "list", "--json"], ["curlrc"]])
    expect(await run(["host", ...more])).toBe(0);
  // A host in the foreground has no log, and the command says so.
  await run(["host", "logs"]);
  await run(["doctor"]);
  await run(["session", "list"]);
  // Valid and invalid requests, including some that the host writes to its log.
  const { sessionId } = JSON.parse(await post(port, token, "/operations/create_session", { cwd: s.project }));
  for (const [path, body] of [
    ["/operations/send_message", { sessionId, content: "over HTTP" }],
    ["/operations/send_message", { sessionId: [token.length], content: 5 }],
    ["/operations/nothing", {}],
    ["/sessions/none/events", {}],
    ["/elsewhere", {}],
  ] as const)
    outputs.push(await post(port, token, path, body));
  outputs.push(await post(port, token, "/openapi.json", {}, "GET"), await post(port, `${token}x`, "/ws", {}, "GET"));
  const socket = new WebSocket(`${address}/ws`);
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ type: "hello", protocol: 9, version: "1", token }));
  outputs.push(await new Promise((resolve) => socket.once("message", (data) => resolve(data.toString()))));
  socket.terminate();
  // No process has the token in its arguments.
  const lines = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1");
      } catch {
        return [];
      }
    });
  expect(await run(["host", "token", "rotate"])).toBe(0);
  const next = readFileSync(file, "utf8").trim();
  host.child.kill("SIGTERM");
  const { stdout, stderr } = await host.finished;
  outputs.push(stdout, stderr);
  expect(outputs.join("\n")).toContain("done");
  expect(readdirSync(s.project)).toContain("stolen");
  expect(server.requests.filter((each) => each.text.includes("PATH=")).length).toBeGreaterThan(0);
  for (const canary of [token, next]) {
    expect(canary).toMatch(/^scorel_[\w-]{43}$/);
    const secret = canary.slice("scorel_".length);
    const files = [...bytesBelow(s.home), ...bytesBelow(s.project)].filter(([, bytes]) => bytes.includes(secret));
    const expected = canary === next ? [file, join(dirname(file), "owner.curlrc")].sort() : [];
    expect(files.map(([path]) => path).sort()).toEqual(expected);
    expect([...outputs, ...lines].filter((each) => each.includes(secret))).toEqual([]);
    expect(server.requests.filter((each) => each.text.includes(secret))).toEqual([]);
  }
});

itWith("root", "another user of the computer can neither read a host's files nor connect to it", async () => {
  using s = scratch();
  // Others may enter this home, so only the modes of Scorel's own files protect it.
  for (const path of [dirname(s.home), s.home]) chmodSync(path, 0o755);
  await using server = await startModelServer(() => text("done"));
  s.useModel(server.baseUrl);
  const { host, port } = await serve(s);
  await using client = await connected(s);
  const { sessionId } = await client.request("create_session", { cwd: s.project });
  const { id } = await client.request("send_message", { sessionId, content: "hello" });
  await client.request("wait_turn", { sessionId, id });
  const { addresses } = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
  const asOther = (code: string, ...args: string[]) => {
    const { stdout } = spawnSync(process.execPath, ["-e", code, ...args], {
      uid: 65_534,
      gid: 65_534,
      encoding: "utf8",
    });
    return stdout.trim();
  };
  const reading =
    "try { require('fs').readFileSync(process.argv[1]); console.log('read') } catch (e) { console.log(e.code) }";
  const isOurs = (path: string) => !path.endsWith("/config.toml") && !path.includes("/cache/code/");
  const paths = bytesBelow(join(s.home, ".scorel")).flatMap(([path]) => (isOurs(path) ? path : []));
  expect(paths.some((path) => path.includes(sessionId))).toBe(true);
  for (const path of paths) expect([path, asOther(reading, path)]).toEqual([path, "EACCES"]);
  const dialing =
    "require('net').connect(process.argv[1]).on('connect', () => console.log('in')).on('error', (e) => console.log(e.code))";
  expect(asOther(dialing, addresses[0].address)).toBe("EACCES");
  const asking = `fetch("http://127.0.0.1:${port}/operations/list_sessions", { method: "POST", body: "{}" }).then((r) => console.log(r.status))`;
  expect(asOther(asking)).toBe("401");
  host.child.kill("SIGTERM");
  await host.finished;
});

async function connected(s: Scratch) {
  const { dialSocket } = await import("../../plugins/socket/socket.ts");
  const { addresses } = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
  const client = await connectHost({ dial: () => dialSocket(addresses[0].address), version: "1.0.0" });
  return Object.assign(Object.create(client) as typeof client, { [Symbol.asyncDispose]: () => client.close() });
}
