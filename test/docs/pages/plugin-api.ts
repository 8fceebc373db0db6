import { contributions as known } from "../../../plugins/extensions/words.ts";
import { type Facts, rowsOf } from "../facts.ts";
import { code, fence, heading, table } from "../markdown.ts";
import { callsOf, filesOf, read } from "../source.ts";
import { displayPictures } from "./display-pictures.ts";
import { memberTable, typeText } from "./members.ts";
import type { Page } from "./page.ts";
import { pluginLinks } from "./page.ts";

/** Types that this page shows, so that other pages link to it. */
export const apiTypes: readonly string[] = [
  ...[
    "Session",
    "TreeView",
    "EventDefinition",
    "TransientDefinition",
    "LlmAction",
    "Message",
    "ConvertContext",
    "Envelope",
  ],
  ...[
    "StoredEvent",
    "InFlight",
    "ProjectionDefinition",
    "DisplayAction",
    "BaseContext",
    "Listener",
    "Missed",
    "SubscribeOptions",
  ],
];

export const pluginApi: Page = {
  file: "plugin-api.md",
  title: "The plugin API",
  about: `All that \`@scorel/kernel\` offers to a plugin, and the rules that hold for each one. An extension is a plugin in a file of a
user, and Scorel's own plugins are written with the same interface. Start with [Write an extension](../guide/write-an-extension.md);
the names that plugins open to each other are in [services](services.md), [contributions](contributions.md), [hooks](hooks.md),
[events](events.md) and [operations](operations.md).`,
  blocks: (facts) => [
    ...plugin(),
    ...context(),
    ...session(),
    ...events(),
    ...displayBlocks(),
    ...timing(facts),
    ...listening,
    ...surroundings,
  ],
};

/** Blocks that draw every form of a display action. */
let displayBlocks: () => string[] = () => [];

/** Draws the forms with the terminal's renderer; called before the page is made, since the renderer is asynchronous. */
export async function drawDisplays(): Promise<void> {
  const pictures = await displayPictures();
  displayBlocks = () => [
    heading(2, "Display actions"),
    `\`convertToDisplay\` of an event and \`display\` of a tool return a \`DisplayAction\`: data that every client can show. The terminal shows
each form like this. \`text\` always has to be usable by itself, since some clients show nothing else.`,
    fence("ts", typeText("plugins/messages/contract.ts", "DisplayAction")),
    ...pictures.flatMap(({ action, picture }, at) => [
      pictures[at - 1]?.action.display === action.display ? "" : heading(3, code(action.display)),
      fence(
        "ts",
        JSON.stringify(action)
          .replaceAll(/"(\w+)":/g, " $1: ")
          .replaceAll("}", " }")
          .replaceAll(",{", ", {"),
      ),
      picture === "" ? "Nothing is shown." : fence("text", picture),
    ]),
  ];
}

function plugin(): string[] {
  return [
    heading(2, "`definePlugin`"),
    `A plugin is an object. \`definePlugin\` returns it unchanged and infers the type of \`ctx\` from \`needs\` and \`config\`; a file exports the
result as its default. Only \`id\`, \`name\` and \`version\` are required.`,
    memberTable("kernel/plugin.ts", "PluginShape", "field"),
    `The other fields are [contributions](contributions.md): a function from \`ctx\` to the value, such as \`tools(ctx) { return [...] }\`.
A field that nobody knows is reported with the nearest known name.`,
    heading(3, "What `activate` may return"),
    "Nothing, a function that undoes its work, or an object of contributions that use its variables:",
    fence(
      "ts",
      `${typeText("kernel/contribution.ts", "Contributed", "Activated", "HookLayers")}\n\n${typeText("kernel/hook.ts", "Tap", "Level")}`,
    ),
  ];
}

function context(): string[] {
  return [
    heading(2, "`ctx`"),
    `Every function of a plugin gets a context, which is the same object for the life of the plugin. Services that are named in \`needs\` are
further members of it (\`ctx.agent\`). What is registered through it is removed when the plugin stops, so most undo functions need not be
called. In an extension, each call is counted, limited and attributed to it.`,
    memberTable("kernel/base-context.ts", "BaseContext", "member", { "when it may be called": whenOf }),
    fence(
      "ts",
      [
        typeText("kernel/hook.ts", "SubscribeOptions", "Missed", "Listener", "HookMode", "FoldMode"),
        typeText("kernel/base-context.ts", "Attempt"),
        typeText("kernel/contribution.ts", "Collected"),
      ].join("\n\n"),
    ),
  ];
}

const starting = "in `activate`";
const times: Readonly<Record<string, string>> = {
  provide: starting,
  defineHook: starting,
  find: "at any time; the answer is complete when all plugins have started",
  collect: "at any time; complete when all plugins have started",
  subscribe: "at any time",
  hook: "at any time",
  contribute: "at any time",
  providerOf: "at any time",
  onContributed: "at any time",
  beforeStop: "until the session begins to stop",
  onDispose: "until the plugin has stopped",
  report: "at any time",
  attempt: "at any time",
  spend: "in a service that acts for other plugins",
  isolate: "in a service that calls functions of other plugins",
};

function whenOf(name: string, isFunction: boolean): string {
  if (!isFunction) return "";
  const when = times[name];
  if (when === undefined) throw new Error(`test/docs/pages/plugin-api.ts does not say when ctx.${name} may be called`);
  return when;
}

function session(): string[] {
  const file = "kernel/session.ts";
  return [
    heading(2, "`Session`"),
    `\`ctx.session\` is the log of the session, its tree and its projections. A plugin with \`scope: "host"\` has one, too: the host's own
log, which is in memory. Only \`append\`, \`appendAll\` and \`emit\` change anything. \`append\` resolves when the event is written; while
somebody else holds the path, as the agent does during a turn, it resolves at once with \`queued: true\`.`,
    memberTable(file, "Session", "member"),
    fence("ts", typeText(file, "AppendOptions", "AppendEntry", "Queued", "PathHold", "LogView")),
    heading(3, "The tree"),
    memberTable("kernel/tree-view.ts", "TreeView", "member"),
  ];
}

function events(): string[] {
  const file = "kernel/types.ts";
  return [
    heading(2, "Events"),
    `\`events\` in a plugin defines types of events. \`Events\` and \`Transients\` in \`@scorel/kernel\` are extended with their payloads, so that
\`append\` and \`emit\` check them; the schema checks them when they run. A persistent event is stored and has a place in the tree; a
transient one is only announced.`,
    memberTable(file, "EventDefinition", "field of a persistent event"),
    memberTable(file, "TransientDefinition", "field of a transient event"),
    heading(3, "How a model reads an event"),
    `\`merge_prev\` adds \`content\` to the message before, if that message can take it (a user message), and is \`otherwise\` a message of its
own. \`barrier\` is only for types that say \`barrier: true\`: everything before it is replaced by \`summary\`.`,
    fence("ts", typeText(file, "LlmAction", "Message", "ConvertContext")),
    heading(3, "The active leaf"),
    `Without \`leaf\`, an event is a *path event*: it becomes the active leaf, and a rewind before it undoes it. \`leaf: (_event, current) =>
current\` makes it a *side event*, which stays wherever the conversation goes. Another id makes it a jump.`,
    fence("ts", typeText(file, "Envelope", "StoredEvent", "InFlight")),
    heading(3, "`isEvent`"),
    `\`isEvent(event, type)\` says whether an event has a type, and TypeScript then knows its fields. \`event\` can be persistent, transient, what
a subscriber receives, or undefined; a type that is in neither \`Events\` nor \`Transients\` does not compile. Clients import it from \`@scorel/host/client\`.
Only the type is compared. The schema checked the fields when the event was appended, imported or emitted, not again when a log is
opened: if another program may have written the log, fields can be missing.`,
    heading(2, "Projections"),
    `A projection is state that pure functions compute from the log. It is read with \`ctx.session.projection(name)\`, extended in
\`Projections\`, and never written: append an event instead.`,
    memberTable(file, "ProjectionDefinition", "field"),
  ];
}

/** When a contribution is collected. */
const collected: Readonly<Record<string, string>> = {
  tools: "before each request to the model, if anything has changed",
  serviceWrappers: "when all plugins have started, and after each change",
  toolWrappers: "at the next call of a tool",
  commands: "each time a command is looked up or listed",
  markedWords: "each time a message of the user is read",
  backgroundWork: "when what runs in the background is listed or waited for",
  mentionSources: "for each mention of a message that a person sends",
  promptParts: "each time the system prompt is made",
  cliCommands: "when the command line is read",
  folderOptions: "when the command line is read",
  completionSources: "when a shell asks for completions",
  operations: "at each request of a client",
  sessionOptions: "each time flags are read or a session is opened",
  childLimits: "when a session is created for another one",
  providers: "when models are looked up, and after each change",
  displays: "at the next event that is shown",
  webRoutes: "when the web server starts",
  transports: "when a host starts to serve clients, or a client connects to one",
};

function timing(facts: Facts): string[] {
  const hearers = (name: string) =>
    facts.plugins.filter(({ folder }) =>
      filesOf(folder).some((file) => callsOf(read(file), "onContributed").some(({ first }) => first === name)),
    );
  const rows = rowsOf(facts, "Contributions").map(({ name }) => {
    const when = collected[name];
    if (when === undefined) throw new Error(`test/docs/pages/plugin-api.ts does not say when "${name}" is collected`);
    const heard = pluginLinks(hearers(name));
    const gatherers = pluginLinks(facts.plugins.filter(({ collects }) => collects.includes(name)));
    return [`[${code(name)}](contributions.md#${name.toLowerCase()})`, gatherers || "the kernel", when, heard];
  });
  if (rows.length !== known.length) throw new Error("contributions and plugins/extensions/words.ts differ");
  return [
    heading(2, "When contributions are collected"),
    `A contribution is a value, or a function that is called whenever the contribution is collected. \`ctx.contribute(name, value)\` adds
one at any time and returns its undo. Nothing is pushed: the plugin that collects hears that a name has changed
(\`ctx.onContributed\`), and collects again when it needs the values. Without a change, the same objects are used, so that requests to
the model begin with the same bytes.`,
    table(["contribution", "collected by", "when", "changes are heard by"], rows),
    `Hooks are called with the layers of the moment; a layer that is added during a call takes part from the next call on. \`onEvent\`
gets the events that are announced after it was added.`,
  ];
}

const listening = [
  heading(2, "Which way of listening"),
  "All of them hear the same events, in the order of their `seq`. The first row that fits is the right one.",
  table(
    ["you want to", "use", "notes"],
    [
      [
        "change or refuse what is about to happen",
        "a [hook](hooks.md)",
        "waited for; `critical: true` makes it a guard",
      ],
      [
        "react to every event of the session",
        "`onEvent(event, ctx)`",
        "one queue for the plugin, told with the fields of `toListener`",
      ],
      [
        "listen for a while, or with a queue of its own",
        "`ctx.subscribe(listener)`",
        "returns its undo; slow listeners get `missed`",
      ],
      [
        "see the turns that this plugin starts",
        "`ctx.agent.subscribe`",
        "needs `agent`; the same events, for code that is written for the agent",
      ],
      ["know what the log says as a whole", "a projection", "also right for sessions that are opened later"],
      [
        "hear sessions from outside, as a face does",
        "`client.subscribe(sessionId, listener)`",
        "of `ctx.host.connect()`; resumes after its anchor",
      ],
      [
        "hear which sessions there are",
        "`client.watchSessions(listener)`",
        "each change with the whole row of the session",
      ],
      ["hear that contributions have changed", "`ctx.onContributed(name, changed)`", "collect again, when needed"],
    ],
  ),
];

const surroundings = [
  heading(2, "Scope"),
  `\`scope: "session"\` (the default): one instance for each open session, with that session's log. \`scope: "host"\`: one instance in the
process, for commands of the command line, faces and options of sessions. A session's plugin finds services of the host
(\`ctx.find("host")\`), and collectors get contributions of host plugins before those of the session; a host plugin sees no session but
through \`host\`. State that is outside of \`activate\` is shared by all sessions of the process.`,
  heading(2, "Needs"),
  `\`needs: ["agent"]\` starts the provider first, and puts the service on \`ctx\`. If nobody provides it, the plugin is not started, and the
report names the plugin to add. Reading a service that is not named is an error in an extension; \`ctx.find(name)\` answers
\`undefined\` instead. An extension without the field \`needs\` is started after the plugins of Scorel, as if it needed \`agent\`, so that it runs
only where there is an agent; \`needs: []\` says that it needs nothing. \`ctx.ui\`, \`ctx.session\`, \`ctx.config\` and \`ctx.logger\` are always there.`,
  heading(2, "npm packages of extensions"),
  `An extension may import Node's modules, \`@scorel/kernel\`, \`@scorel/host/client\`, \`@scorel/host/command-line\`, \`zod\`, \`typebox\`, \`@mariozechner/pi-ai\`, \`@mariozechner/pi-agent-core\` and
\`@opentelemetry/api\` with nothing installed: they are Scorel's own copies. \`@scorel/<plugin>/contract\` has types only (\`import type\`). Any
other package has to be in a \`node_modules\` folder beside the extension or above it; TypeScript is compiled when the file is loaded.
\`scorel plugin types\` writes the declarations of all of these for editors.`,
];
