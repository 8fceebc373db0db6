import { setKittyProtocolActive } from "@mariozechner/pi-tui/dist/keys.js";
import { createDecoder, type Decoder } from "../input/decoder.ts";

const ESC = "\u001b";
const WHEEL_LINES = 3;
/** A mouse report: `ESC [ < button ; column ; row`, and `M` for a press. */
const MOUSE = new RegExp(`^${ESC}\\[<(\\d+);(\\d+);(\\d+)([Mm])$`);
/** The answer to the query of the background colour: each part has 1 to 4 hexadecimal digits. */
const BACKGROUND = new RegExp(`^${ESC}\\]11;rgba?:([0-9a-f]+)/([0-9a-f]+)/([0-9a-f]+)`, "i");
const KITTY = new RegExp(`^${ESC}\\[\\?(\\d+)u$`);
/** Other answers and reports of the terminal: strings, device attributes, focus. Alone, `ESC ]` is the key Alt-]. */
const REPORT = new RegExp(`^${ESC}(?:[\\]P_^][\\s\\S]|\\[\\?[\\d;]*[a-z]$|\\[[IO]$)`);

/** The events in the terminal's input. */
interface Listener {
  key(data: string, isAlone: boolean): void;
  wheel(lines: number): void;
  click(at: { row: number; column: number }): void;
  background(color: { red: number; green: number; blue: number }): void;
}

/** Splits the terminal's input into keys, pastes, turns of the wheel, clicks and answers of the terminal. */
export class Keyboard {
  private readonly decoder: Decoder;
  private readonly listener: Listener;

  constructor(listener: Listener) {
    this.listener = listener;
    this.decoder = createDecoder({ onInput: (data, isAlone) => this.sort(data, isAlone) });
  }

  take(data: Buffer | string): void {
    this.decoder.write(typeof data === "string" ? Buffer.from(data) : data);
  }

  close(): void {
    this.decoder.end();
  }

  private sort(data: string, isAlone: boolean): void {
    const mouse = MOUSE.exec(data);
    const [, red, green, blue] = BACKGROUND.exec(data) ?? [];
    const [, kitty] = KITTY.exec(data) ?? [];
    if (mouse)
      this.mouse(Number(mouse[1]), { row: Number(mouse[3]) - 1, column: Number(mouse[2]) - 1 }, mouse[4] === "M");
    else if (red && green && blue) this.listener.background({ red: part(red), green: part(green), blue: part(blue) });
    else if (kitty !== undefined) setKittyProtocolActive(Number(kitty) > 0);
    else if (!REPORT.test(data)) this.listener.key(data, isAlone);
  }

  private mouse(button: number, at: { row: number; column: number }, isPress: boolean): void {
    if ((button & 0x43) === 0x40) this.listener.wheel(-WHEEL_LINES);
    else if ((button & 0x43) === 0x41) this.listener.wheel(WHEEL_LINES);
    else if (button === 0 && isPress) this.listener.click(at);
  }
}

function part(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1);
}
