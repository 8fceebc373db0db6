/**
 * A model server in a separate process, so that its cost is not measured. The id of the model selects the scenario.
 * Replies are encoded before the first request. Prints its address, and ends when stdin does.
 */
import { createServer } from "node:http";

const event = (data) => `data: ${JSON.stringify(data)}\n\n`;
const envelope = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1, model: "bench" };
const chunk = (delta, finish_reason = null) => event({ ...envelope, choices: [{ index: 0, delta, finish_reason }] });
const tokens = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const reply = (body, finish) =>
  Buffer.from(
    `${chunk({ role: "assistant", content: "" })}${body}${chunk({}, finish)}${event({ ...envelope, choices: [], usage: tokens })}data: [DONE]\n\n`,
  );
const call = (round, name, args) => {
  const fn = { name, arguments: JSON.stringify(args) };
  return reply(
    chunk({ tool_calls: [{ index: 0, id: `call_${round}`, type: "function", function: fn }] }),
    "tool_calls",
  );
};

const words = (count) => Array.from({ length: count }, (_, index) => chunk({ content: ` w${index}` })).join("");
const done = reply(chunk({ content: "Done." }), "stop");
const deltas = [20_000, 40_000].map((count) => [`deltas-${count}`, reply(words(count), "stop")]);
const rounds = Array.from({ length: 50 }, (_, round) => call(round, "Bash", { command: `true ${round}` }));
const read = call(0, "Read", { file_path: "note.txt" });

/** A call that writes a file of `size` characters, in deltas of 20 characters. */
function longCall(size) {
  const json = JSON.stringify({ file_path: "long.txt", content: "a line of twenty-five ch\n".repeat(size / 25) });
  const piece = (index) => ({ index: 0, function: { arguments: json.slice(index * 20, index * 20 + 20) } });
  const first = { index: 0, id: "call_0", type: "function", function: { name: "Write", arguments: "" } };
  const pieces = Array.from({ length: Math.ceil(json.length / 20) }, (_, index) =>
    chunk({ tool_calls: [piece(index)] }),
  );
  return reply(`${chunk({ tool_calls: [first] })}${pieces.join("")}`, "tool_calls");
}
const written = longCall(200_000);

/** A reply with `count` tool calls. */
function manyCalls(count) {
  const fn = { name: "Read", arguments: JSON.stringify({ file_path: "note.txt" }) };
  const calls = Array.from({ length: count }, (_, index) =>
    chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: fn }] }),
  );
  return reply(calls.join(""), "tool_calls");
}
const fiveThousand = manyCalls(5_000);

/** The reply of each scenario, by the number of tool results in the turn so far. */
const scenarios = {
  plain: () => done,
  "arguments-200000": (answered) => (answered === 0 ? written : done),
  "calls-5000": (answered) => (answered === 0 ? fiveThousand : done),
  "one-tool": (answered) => (answered === 0 ? read : done),
  "rounds-50": (answered) => rounds[answered] ?? done,
  ...Object.fromEntries(deltas.map(([name, bytes]) => [name, () => bytes])),
};

/** Sends `perSecond` words a second, in paragraphs, until the client disconnects. */
function sendPaced(response, perSecond) {
  let sent = 0;
  const start = performance.now();
  response.write(chunk({ role: "assistant", content: "" }));
  const timer = setInterval(() => {
    const due = ((performance.now() - start) / 1000) * perSecond;
    for (; sent < due; sent++) response.write(chunk({ content: `w${sent}${sent % 40 === 39 ? ".\n\n" : " "}` }));
  }, 1000 / perSecond);
  response.on("close", () => clearInterval(timer));
}

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { model, messages } = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  const last = messages.findLastIndex(({ role }) => role === "user");
  const answered = messages.slice(last).filter(({ role }) => role === "tool").length;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const [, paced] = /^paced-(\d+)$/.exec(model) ?? [];
  if (paced === undefined) response.end(scenarios[model](answered));
  else sendPaced(response, Number(paced));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
process.stdin.resume().on("end", () => process.exit(0));
