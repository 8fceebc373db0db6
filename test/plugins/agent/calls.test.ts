import images from "@scorel/images";
import { expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { decode, png, quarters } from "../images/pictures.ts";
import { openAgent, says, tool } from "./setup.ts";

const SEES = { input: ["text", "image"] };
const wide = png(2500, 50, quarters(2500, 50)).toString("base64");
const picture = { type: "image" as const, data: wide, mimeType: "image/png" };

it("images in tool results and messages are fitted to the model", async () => {
  const camera = tool("camera", async () => ({ content: [picture] }));
  await using a = await openAgent([toolCall("camera", {}), text("ok")], {
    tools: [camera],
    plugins: [images],
    model: SEES,
  });
  await a.agent.prompt("Look", [picture]);
  const sent = a.stored().flatMap(({ message }: any) => (Array.isArray(message?.content) ? message.content : []));
  const sizes = sent
    .filter(({ type }) => type === "image")
    .map(({ data }) => decode(Buffer.from(data, "base64")))
    .map(({ width, height }) => [width, height]);
  expect(sizes).toEqual([
    [2000, 40],
    [2000, 40],
  ]);
});

it("a reply with any number of calls causes no listener warning from Node", async () => {
  const warnings: string[] = [];
  const hear = (warning: Error) => void warnings.push(warning.message);
  process.on("warning", hear);
  try {
    const quick = tool("quick", async () => says("done"), { access: () => "read" });
    const calls = Array.from({ length: 30 }, () => toolCall("quick", {}));
    await using a = await openAgent([calls, text("ok")], { tools: [quick] });
    await a.agent.prompt("go");
    expect(a.server.requests[1]?.body.messages.filter(({ role }: { role: string }) => role === "tool")).toHaveLength(
      30,
    );
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", hear);
  }
});
