/**
 * Session files of other programs, written from public descriptions of their formats. Each contains the same small
 * conversation.
 */

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const lines = (...records: unknown[]) =>
  records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n");

const at = (second: number) => new Date(Date.UTC(2026, 1, 3, 4, 5, second)).toISOString();
/** The same time in milliseconds. */
export const time = (second: number) => Date.parse(at(second));

type Fields = Record<string, unknown>;

/** One line of Claude Code; `parent` is the uuid before it. */
export const claude = (uuid: string, parent: string | null, type: string, second: number, more: Fields = {}) => ({
  parentUuid: parent,
  isSidechain: false,
  userType: "external",
  cwd: "/home/ann/shop",
  sessionId: "0b9c1a52-77f3-4c55-9b1e-1f6f6f0f9a10",
  version: "2.1.12",
  gitBranch: "main",
  type,
  uuid,
  timestamp: at(second),
  ...more,
});
const reply = (id: string, content: unknown[], output = 7) => ({
  message: {
    id,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-5",
    content,
    stop_reason: null,
    usage: { input_tokens: 11, cache_creation_input_tokens: 5, cache_read_input_tokens: 100, output_tokens: output },
  },
});
const said = (content: unknown) => ({ message: { role: "user", content } });
const outcome = (id: string, content: unknown, isError = false) =>
  said([{ type: "tool_result", tool_use_id: id, content, is_error: isError }]);

/**
 * Two calls in one reply with their results between other records, a side chain, a branch, and records of other kinds.
 */
export const claudeFile = lines(
  { type: "summary", summary: "Totals of the shop", leafUuid: "u9" },
  { type: "file-history-snapshot", messageId: "u1", snapshot: { trackedFileBackups: {} }, isSnapshotUpdate: false },
  claude(
    "u1",
    null,
    "user",
    1,
    said([
      { type: "text", text: "What is the total?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
    ]),
  ),
  claude("u2", "u1", "assistant", 2, reply("m1", [{ type: "thinking", thinking: "Two files.", signature: "c2ln" }])),
  claude(
    "u3",
    "u2",
    "assistant",
    3,
    reply("m1", [{ type: "tool_use", id: "toolu_A", name: "Read", input: { file_path: "/home/ann/shop/a.js" } }]),
  ),
  claude("r1", "u3", "user", 4, outcome("toolu_A", "const a = 1;")),
  claude(
    "u4",
    "u3",
    "assistant",
    5,
    reply("m1", [{ type: "tool_use", id: "toolu_B", name: "Task", input: { prompt: "look" } }], 21),
  ),
  claude("s1", null, "user", 6, { ...said("look"), isSidechain: true }),
  claude("s2", "s1", "assistant", 7, { ...reply("m2", [{ type: "text", text: "I looked." }]), isSidechain: true }),
  claude("r2", "u4", "user", 8, outcome("toolu_B", [{ type: "text", text: "It was looked at." }])),
  claude("h1", "r2", "progress", 8, { data: { type: "hook_progress" } }),
  claude("u5", "h1", "assistant", 9, reply("m3", [{ type: "text", text: "The total is 3." }])),
  { type: "queue-operation", operation: "enqueue", timestamp: at(9), sessionId: "x", content: "run this later" },
  claude("u6", "u5", "user", 10, said("And with tax?")),
  claude("u7", "u6", "assistant", 11, reply("m4", [{ type: "text", text: "3.57" }])),
  claude("u8", "u5", "user", 12, said("And without discount?")),
  claude("u9", "u8", "assistant", 13, reply("m5", [{ type: "text", text: "4" }])),
);

const item = (second: number, payload: Fields) => ({ timestamp: at(second), type: "response_item", payload });
const event = (second: number, payload: Fields) => ({ timestamp: at(second), type: "event_msg", payload });

/** Two calls with results, an image, an approval, a repeated message, and a turn that was rolled back. */
export const codexFile = lines(
  {
    timestamp: at(0),
    type: "session_meta",
    payload: {
      id: "0199a213-81c0-7800-8aa1-bbab2a035a53",
      timestamp: at(0),
      cwd: "/home/ann/shop",
      originator: "codex_cli_rs",
      cli_version: "0.142.0",
      source: "cli",
      model_provider: "openai",
    },
  },
  item(1, {
    type: "message",
    role: "developer",
    content: [{ type: "input_text", text: "<permissions instructions>ask</permissions instructions>" }],
  }),
  item(1, {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "<environment_context>\n<cwd>/home/ann/shop</cwd>\n</environment_context>" }],
  }),
  {
    timestamp: at(1),
    type: "turn_context",
    payload: { cwd: "/home/ann/shop", approval_policy: "on-request", model: "gpt-6-codex", effort: "high" },
  },
  item(2, {
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: "What is the total?" },
      { type: "input_image", image_url: `data:image/png;base64,${PNG}` },
    ],
  }),
  event(2, { type: "user_message", message: "What is the total?" }),
  item(3, { type: "reasoning", summary: [{ type: "summary_text", text: "Two files." }], encrypted_content: "gAAAA" }),
  item(4, { type: "function_call", name: "exec_command", arguments: '{"cmd":"cat a.js"}', call_id: "call_A" }),
  item(4, {
    type: "custom_tool_call",
    name: "apply_patch",
    input: "*** Begin Patch",
    call_id: "call_B",
    status: "completed",
  }),
  event(4, { type: "exec_approval_request", call_id: "call_A", command: ["cat", "a.js"] }),
  event(5, {
    type: "token_count",
    info: { last_token_usage: { input_tokens: 120, cached_input_tokens: 100, output_tokens: 9, total_tokens: 129 } },
  }),
  item(5, {
    type: "function_call_output",
    call_id: "call_A",
    output: '{"output":"const a = 1;","metadata":{"exit_code":0}}',
  }),
  item(6, { type: "custom_tool_call_output", call_id: "call_B", output: [{ type: "input_text", text: "Done" }] }),
  item(7, { type: "message", role: "assistant", content: [{ type: "output_text", text: "The total is 3." }] }),
  event(7, { type: "agent_message", message: "The total is 3." }),
  item(8, { type: "message", role: "user", content: [{ type: "input_text", text: "And with tax?" }] }),
  item(9, { type: "message", role: "assistant", content: [{ type: "output_text", text: "3.57" }] }),
  event(10, { type: "thread_rolled_back", num_turns: 1 }),
  item(11, { type: "message", role: "user", content: [{ type: "input_text", text: "And without discount?" }] }),
  item(12, { type: "ghost_snapshot", ghost_commit: { id: "abc" } }),
  item(13, { type: "message", role: "assistant", content: [{ type: "output_text", text: "4" }] }),
);

const entry = (type: string, id: string, parentId: string | null, second: number, more: Fields = {}) => ({
  type,
  id,
  parentId,
  timestamp: at(second),
  ...more,
});
const spent = {
  input: 11,
  output: 9,
  cacheRead: 100,
  cacheWrite: 0,
  totalTokens: 120,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};
const answer = (content: unknown[], stopReason = "stop") => ({
  message: {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    usage: spent,
    stopReason,
    timestamp: time(3),
  },
});

/**
 * A call with its result, a command of the user, a compaction, a branch with its summary, and entries of other kinds.
 */
export const piFile = lines(
  { type: "session", version: 3, id: "5d6f1f0c-0000-4000-8000-000000000001", timestamp: at(0), cwd: "/home/ann/shop" },
  entry("model_change", "a0", null, 0, { provider: "anthropic", modelId: "claude-sonnet-5-5" }),
  entry("message", "a1", "a0", 1, {
    message: {
      role: "user",
      content: [
        { type: "text", text: "What is the total?" },
        { type: "image", data: PNG, mimeType: "image/png" },
      ],
      timestamp: time(1),
    },
  }),
  entry(
    "message",
    "a2",
    "a1",
    3,
    answer(
      [
        { type: "thinking", thinking: "A file.", thinkingSignature: "c2ln" },
        { type: "toolCall", id: "toolu_A", name: "read", arguments: { path: "a.js" } },
      ],
      "toolUse",
    ),
  ),
  entry("message", "a3", "a2", 4, {
    message: {
      role: "toolResult",
      toolCallId: "toolu_A",
      toolName: "read",
      content: [{ type: "text", text: "const a = 1;" }],
      isError: false,
      timestamp: time(4),
    },
  }),
  entry("message", "a4", "a3", 5, answer([{ type: "text", text: "The total is 3." }])),
  entry("label", "l1", "a4", 5, { targetId: "a4", label: "good" }),
  entry("message", "a5", "l1", 6, {
    message: {
      role: "bashExecution",
      command: "ls",
      output: "a.js\n",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: time(6),
    },
  }),
  entry("message", "a6", "a5", 7, { message: { role: "user", content: "And with tax?", timestamp: time(7) } }),
  entry("message", "a7", "a6", 8, answer([{ type: "text", text: "3.57" }])),
  entry("branch_summary", "b1", "a5", 9, { fromId: "a7", summary: "Tax was looked at." }),
  entry("custom", "c1", "b1", 9, { customType: "todo", data: { open: 1 } }),
  entry("message", "a8", "c1", 10, {
    message: { role: "user", content: "And without discount?", timestamp: time(10) },
  }),
  entry("compaction", "k1", "a8", 11, { summary: "They want totals.", firstKeptEntryId: "a8", tokensBefore: 1234 }),
  entry("session_info", "n1", "k1", 12, { name: "Totals of the shop" }),
  entry("message", "a9", "n1", 13, answer([{ type: "text", text: "4" }])),
);
