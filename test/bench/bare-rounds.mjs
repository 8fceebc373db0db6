/**
 * The minimum that a round has to do: reads a reply of openai-completions, appends it to a file and waits until it is
 * on disk, runs the command in a shell, reads and appends its output, and sends the whole conversation. Arguments: base
 * URL, file.
 */
import { spawn } from "node:child_process";
import { fdatasync, openSync, writeSync } from "node:fs";
import { request } from "node:http";
import { promisify } from "node:util";

const [baseUrl, file] = process.argv.slice(2);
const log = openSync(file, "a");
const messages = [{ role: "user", content: "go" }];
for (;;) {
  const message = await ask();
  add(message);
  if (!message.tool_calls) break;
  await promisify(fdatasync)(log);
  for (const { id, function: called } of message.tool_calls)
    add({ role: "tool", tool_call_id: id, content: await shell(JSON.parse(called.arguments).command) });
}

function add(message) {
  messages.push(message);
  writeSync(log, `${JSON.stringify(message)}\n`);
}

function ask() {
  const body = JSON.stringify({ model: "bare", stream: true, messages });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/chat/completions`, { method: "POST", headers }, async (response) => {
      let text = "";
      for await (const piece of response.setEncoding("utf8")) text += piece;
      resolve(read(text));
    });
    sent.on("error", reject).end(body);
  });
}

function read(text) {
  const message = { role: "assistant", content: "" };
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const { delta = {} } = JSON.parse(line.slice(6)).choices[0] ?? {};
    message.content += delta.content ?? "";
    for (const { id, function: called } of delta.tool_calls ?? []) {
      message.tool_calls ??= [{ id, type: "function", function: { name: called.name, arguments: "" } }];
      message.tool_calls[0].function.arguments += called.arguments ?? "";
    }
  }
  return message;
}

function shell(command) {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", (text) => (said += text));
    child.on("error", reject).on("close", (code) => resolve(`${said}exit code ${code}`));
  });
}
