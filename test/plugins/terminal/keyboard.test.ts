import { expect, it } from "vitest";
import { Keyboard } from "../../../plugins/terminal/screen/keyboard.ts";
import { eventually } from "../../eventually.ts";

const ESC = "\u001b";

/** The keys that the application receives for some input. */
async function arrived(...inputs: readonly string[]) {
  const keys: string[] = [];
  const keyboard = new Keyboard({ key: (data) => void keys.push(data), wheel() {}, click() {}, background() {} });
  for (const input of inputs) keyboard.take(Buffer.from(input));
  keyboard.take(Buffer.from("!"));
  await eventually(() => expect(keys.at(-1)).toBe("!"));
  keyboard.close();
  return keys.slice(0, -1);
}

it("answers of the terminal are not keys", async () => {
  const answers = [
    `${ESC}]11;rgb:0/0/0${ESC}\\`,
    `${ESC}]4;1;x\u0007`,
    `${ESC}P>|xterm${ESC}\\`,
    `${ESC}[?62;4c`,
    `${ESC}[I`,
  ];
  for (const answer of answers) expect([answer, await arrived(answer)]).toEqual([answer, []]);
});

it.each(["]", "P", "_", "^"])("Alt with %s is a key, though answers begin like it", async (letter) => {
  const keys: string[] = [];
  const keyboard = new Keyboard({ key: (data) => void keys.push(data), wheel() {}, click() {}, background() {} });
  keyboard.take(Buffer.from(ESC + letter));
  await eventually(() => expect(keys).toEqual([ESC + letter]));
  keyboard.close();
});
