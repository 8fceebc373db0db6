import { type FullScreen, fullScreen } from "../e2e/full-screen.ts";
import { modelTable, type Scratch, scratch } from "../e2e/scorel.ts";
import { startModelServer } from "../model-server.ts";
import { cartReplies, commitCart } from "./cart.ts";
import { terminalPicture } from "./terminal-picture.ts";

/** The pictures of the terminal in the guide; the first is in the README, too. */
export const terminalPictures = ["work", "question", "sessions", "help"].map((name) => `docs/terminal-${name}.svg`);

const COLUMNS = 100;
/** Works through a small task with the built command, and returns its pictures by file. */
export async function takePictures(): Promise<Map<string, string>> {
  using s = stage();
  await using server = await startModelServer(cartReplies);
  s.file(
    "~/.scorel/config.toml",
    modelTable(server.baseUrl).replace('"scripted"', '"local"').replace("scripted-model", "my-model"),
  );
  await s.run(["-p", "Why does the build fail?"]);
  await using t = fullScreen(s, [], { columns: COLUMNS, rows: 32 });
  const pictures = new Map<string, string>();
  const take = (index: number, title: string) =>
    pictures.set(terminalPictures[index] as string, terminalPicture(t.screen, title, { [s.project]: "~/shop" }));
  const sized = async (columns: number, rows: number) => {
    t.resize(columns, rows);
    // The application draws the last row once it knows the size of the terminal.
    await t.shows(new RegExp(`^(?:[^\n]*\n){${rows - 1}}[^\n]+$`));
  };
  await t.shows("my-model");
  await say(t, "The total of a cart is wrong. Repair it.");
  await allowed(t, "src/cart.js", "y");
  await t.shows("covers the first item now.");
  await t.hides("to interrupt");
  take(0, "Scorel has repaired a function, and shows what it did");
  await sized(116, 14);
  t.type("\u001br");
  await t.shows("› The total");
  await t.shows("│ The test covers the first item now.");
  take(2, "A list of sessions, with the last words of the chosen one");
  t.type("\u001b");
  await t.hides("Sessions of this project");
  await sized(COLUMNS, 40);
  t.type("?");
  await t.shows("Keys and commands");
  take(3, "The help, with all keys and commands");
  t.type("\u001b");
  await t.hides("Keys and commands");
  await sized(COLUMNS, 26);
  await say(t, "Is it used elsewhere?");
  await t.shows("Nothing else uses it.");
  await say(t, "Run the tests.");
  await t.shows("yes, this once");
  take(1, "Scorel asks before it runs a command");
  return pictures;
}

async function say(t: FullScreen, words: string) {
  t.type(words);
  await t.shows(`> ${words}`);
  t.type("\r");
}

/** Answers a question. Keys are accepted as answers only after a moment without typing. */
async function allowed(t: FullScreen, about: string, key: string) {
  await t.shows("yes, this once");
  await t.shows(about);
  await new Promise((resolve) => setTimeout(resolve, 750));
  t.type(key);
  await t.hides("yes, this once");
}

function stage(): Scratch {
  const s = scratch();
  commitCart(s.project);
  return s;
}
