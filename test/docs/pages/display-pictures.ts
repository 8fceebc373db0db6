import type { Delivered } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/messages/contract";
import { Screen } from "../../../plugins/chat/screen.ts";

const diff = "--- a/price.js\n+++ b/price.js\n@@ -1 +1 @@\n-const vat = 19;\n+const vat = 7;";

/** One display action of each form, and of those that look different by their state. */
const samples: DisplayAction[] = [
  { display: "bubble", role: "user", text: "Lower the tax." },
  { display: "bubble", role: "assistant", text: "The tax is 7 % now." },
  { display: "notice", level: "warning", text: "The disk is nearly full." },
  { display: "marker", text: "Went back to here" },
  { display: "card", title: "Deploy staging", status: "running", text: "" },
  { display: "card", title: "Deploy staging", status: "done", text: "It runs as build 7." },
  {
    display: "card",
    title: "Deploy live",
    status: "error",
    text: "The window is closed.",
    body: [{ display: "diff", path: "price.js", text: diff }],
  },
  { display: "badge", text: "from the queue" },
  { display: "fold", title: "Log of the build", text: "compiled 12 files\nno warnings" },
  { display: "diff", path: "price.js", text: diff },
  {
    display: "list",
    title: "Plan",
    items: [
      { text: "Bake", state: "done" },
      { text: "Eat", state: "open" },
    ],
    text: "[x] Bake\n[ ] Eat",
  },
  { display: "hidden" },
];

/** Each sample, as the terminal shows it. */
export async function displayPictures(): Promise<{ action: DisplayAction; picture: string }[]> {
  const pictures: { action: DisplayAction; picture: string }[] = [];
  for (const action of samples) pictures.push({ action, picture: await pictureOf(action) });
  return pictures;
}

async function pictureOf(display: DisplayAction): Promise<string> {
  let shown = "";
  const output = {
    write: async (text: string) => {
      shown += text;
    },
  };
  const screen = new Screen(output as ConstructorParameters<typeof Screen>[0], { clientId: "docs" }, () => 80);
  const event = { type: "custom", seq: 1, sessionId: "s", clientId: "other", ts: 0 };
  await screen.hear({ event, display } as Delivered);
  return shown.trimEnd();
}
