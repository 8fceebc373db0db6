import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { found } from "./process-memory.ts";
import { type Scratch, scratch } from "./scorel.ts";

const none = ["--preset", "none"];
const CANARY = "canary of plaintext 5f1c";

itWith("linux", "a relay keeps nothing of the carried messages in its memory, its folder or its output", async () => {
  const scratches = [scratch(), scratch(), scratch()] as [Scratch, Scratch, Scratch];
  const [relay, host, laptop] = scratches;
  const server = await startModelServer((_request, index) => [text(`${CANARY} answered ${index}`)]);
  try {
    host.useModel(server.baseUrl);
    const serving = relay.start(["relay", "serve", "--port", "0"], { open: true });
    const address = (await serving.line((line) => line.startsWith("The relay listens at "))).split(" at ")[1] as string;
    const offering = host.start([...none, "pair", "--relay", address, "--yes"], { open: true });
    const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
    expect(await laptop.run(["pair", code, "--relay", address, "--name", "laptop of canary"])).toMatchObject({
      code: 0,
    });
    await offering.finished;
    await host.run([...none, "-p", "begin"]);
    const name = hostname().split(".")[0] as string;
    const talking = laptop.start(["attach", "--device", name], { open: true });
    talking.child.stdin?.write(`${CANARY} asked\n`);
    await talking.line((line) => line.includes(`${CANARY} answered 1`));

    const [place, ...secret] = code.split("-");
    const { devices } = JSON.parse((await host.run([...none, "device", "list", "--json"])).stdout);
    const canaries = [CANARY, secret.join(""), secret.join("-"), "laptop of canary"];
    // The search finds values that the relay must know, so it works.
    const { held, none: missing } = found(serving.pid, [devices[0].id, address], canaries);
    expect({ held, missing }).toEqual({ held: [devices[0].id, address], missing: canaries });
    // The sender has the text in memory, so the search would find it in the relay, too.
    expect(found(talking.pid, [CANARY], []).held).toEqual([CANARY]);

    talking.child.stdin?.end();
    await talking.finished;
    serving.child.kill("SIGTERM");
    const { stdout, stderr } = await serving.finished;
    const folder = join(relay.home, ".scorel/relay-server");
    const files = readdirSync(folder).map((each) => readFileSync(join(folder, each), "utf8"));
    for (const canary of [...canaries, `${place}-`])
      expect([stdout, stderr, ...files].join("\n")).not.toContain(canary);
    await host.run(["host", "stop"]);
  } finally {
    for (const each of scratches) each[Symbol.dispose]();
    await server.close();
  }
});
