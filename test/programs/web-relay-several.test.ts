import { hostname } from "node:os";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, startModelServer, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { browserStage } from "./browser.ts";

const desk = hostname().split(".")[0] as string;

/** A relay with an address of its own, since the browser's connections to 127.0.0.1 go to the host of its page. */
async function relayAt(bind: string) {
  const s = scratch();
  const running = s.start(["relay", "serve", "--port", "0", "--bind", bind], { open: true });
  const kill = async () => {
    running.child.kill("SIGKILL");
    await running.finished;
  };
  onTestFinished(async () => {
    await kill();
    s[Symbol.dispose]();
  });
  const line = await running.line((each) => each.startsWith("The relay listens at "));
  return { address: line.split(" at ")[1] as string, kill };
}

/** A host that knows these relays and uses the model at `baseUrl`. */
async function hostBehind(relays: readonly string[], baseUrl: string) {
  const s = scratch();
  onTestFinished(async () => {
    await s.run(["host", "stop"]);
    s[Symbol.dispose]();
  });
  s.useModel(baseUrl, `\n[relay]\nurl = ${JSON.stringify(relays)}\n`);
  await s.run(["host", "serve"]);
  return {
    run: s.run,
    /** The relay with which the host is connected. */
    relay: async () => {
      const { relays } = JSON.parse((await s.run(["device", "list", "--json"])).stdout);
      return relays.find(({ state }: { state: string }) => state === "connected")?.address;
    },
    /** Pairs a page with the host. */
    pair: async (page: Page) => {
      const offering = s.start(["--preset", "none", "pair", "--yes"], { open: true });
      const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
      await page.getByRole("button", { name: "More" }).first().click();
      await page.getByRole("menuitem", { name: "Add a device" }).click();
      await page.getByRole("button", { name: "Pair with a code instead" }).click();
      const dialog = page.getByRole("dialog", { name: "Add a device" });
      await dialog.getByLabel("Code, or the whole link").fill(code);
      await dialog.getByLabel("Relay").fill(relays.join());
      await dialog.getByRole("button", { name: "Pair", exact: true }).click();
      await offering.finished;
    },
  };
}

itWith("chromium", "a page whose relay is killed during a reply gets the rest through another relay", async () => {
  await using t = await browserStage([]);
  const [a, b] = [await relayAt("127.0.0.2"), await relayAt("127.0.0.3")];
  const rest = gate();
  const model = await startModelServer([
    text("The answer there."),
    [text("The first half, "), delayUntil(rest.promise), text("and the second half.")],
    text("The last answer."),
  ]);
  onTestFinished(() => model.close());
  const host = await hostBehind([a.address, b.address], model.baseUrl);
  await host.run(["-p", "a question there"]);
  const page = await t.open();
  await host.pair(page);
  const row = page.getByRole("region", { name: "Devices" }).getByRole("link", { name: desk });
  await row.getByText("connected").waitFor();
  await page.getByRole("link", { name: "a question there" }).click();

  const log = page.getByRole("log");
  const say = async (words: string) => {
    await page.getByRole("textbox", { name: "Message" }).fill(words);
    await page.keyboard.press("Control+Enter");
  };
  await log.getByText("The answer there.").waitFor();
  await say("Tell me both halves.");
  await log.getByText("The first half,").waitFor();
  expect(await host.relay()).toBe(a.address);
  await a.kill();
  await eventually(async () => expect(await host.relay()).toBe(b.address));
  rest.open();
  await log.getByText("The first half, and the second half.").waitFor();
  await say("And now?");
  await log.getByText("The last answer.").waitFor();

  for (const words of ["a question there", "The answer there.", "Tell me both", "The first half,", "And now?"])
    expect([words, await log.getByText(words).count()]).toEqual([words, 1]);
  // No message was sent twice, either.
  expect(model.requests).toHaveLength(3);
});
