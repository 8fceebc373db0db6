import type { SessionView } from "@scorel/host/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Activity } from "../../../plugins/terminal/app/activity.ts";
import { callFor, type NotifySetting } from "../../../plugins/terminal/screen/notification.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { zh } from "../../../plugins/terminal/words/zh.ts";
import { emulator } from "./emulator.ts";

const bell = "\u0007";
const osc9 = `${bell}\u001b]9;Scorel: Done.${bell}`;
const osc777 = `${bell}\u001b]777;notify;Scorel;Done.${bell}`;

describe("a notification for a person who looks elsewhere", () => {
  it.each<[string, NotifySetting, Record<string, string>, string]>([
    ["nothing when it is off", false, { TERM_PROGRAM: "iTerm.app" }, ""],
    ["only the bell when that is chosen", "bell", { TERM_PROGRAM: "iTerm.app" }, bell],
    ["the bell in a terminal that is not known", true, { TERM: "xterm-256color" }, bell],
    ["a notification in iTerm2", true, { TERM_PROGRAM: "iTerm.app" }, osc9],
    ["one in kitty", true, { TERM: "xterm-kitty" }, osc9],
    ["one over SSH from iTerm2", true, { TERM: "xterm-256color", LC_TERMINAL: "iTerm2" }, osc9],
    ["one in Ghostty", true, { TERM_PROGRAM: "ghostty" }, osc777],
    ["one in foot", true, { TERM: "foot-extra" }, osc777],
    ["one in a terminal of GNOME", true, { TERM: "xterm-256color", VTE_VERSION: "7600" }, osc777],
    ["the one that is chosen", "osc777", { TERM: "xterm-256color" }, osc777],
    ["the bell in screen", true, { TERM: "screen-256color", STY: "1.pts", KITTY_WINDOW_ID: "1" }, bell],
    ["the bell in tmux in a terminal that is not known", true, { TERM: "tmux-256color", TMUX: "/tmp/t,1,0" }, bell],
    [
      "one that passes through tmux",
      true,
      { TERM: "tmux-256color", TMUX: "/tmp/t,1,0", KITTY_WINDOW_ID: "1" },
      `${bell}\u001bPtmux;\u001b\u001b]9;Scorel: Done.${bell}\u001b\\`,
    ],
  ])("is %s", (_what, setting, env, expected) => {
    expect(callFor("Done.", setting, env)).toBe(expected);
  });

  it("carries no control character and no separator, whatever the text is", () => {
    for (const setting of ["osc9", "osc777"] as const) {
      const sent = callFor(`a\u001b]52;c;eA==\u0007b\n;c\u009d\u202e`, setting, {});
      expect(sent.match(/\p{C}/gu)).toEqual([bell, "\u001b", bell]);
      expect(sent.split(";").length).toBe(setting === "osc9" ? 2 : 4);
    }
  });

  it.each(["osc9", "osc777"] as const)("draws nothing as %s, with and without tmux", async (setting) => {
    using screen = emulator(40, 5);
    for (const env of [{}, { TMUX: "/tmp/t,1,0" }])
      for (const { callEnded, callAsks } of [en, zh])
        for (const text of [callEnded, callAsks]) await screen.write(callFor(text, setting, env));
    expect([screen.text(), screen.cursor()]).toMatchObject(["", { row: 0, column: 0 }]);
  });
});

describe("a person is notified", () => {
  afterEach(() => void vi.useRealTimers());
  const view = (running: boolean, asked = 0) =>
    ({ status: { running }, live: [], requests: Array(asked).fill({}) }) as unknown as SessionView;

  it.each<[string, number, readonly SessionView[], string[]]>([
    ["when a long turn ends", 11_000, [view(false)], ["ended"]],
    ["when a long turn asks something, once for each question", 11_000, [view(true, 1), view(true, 1)], ["asks"]],
    ["not when a short turn ends", 9_000, [view(false)], []],
    ["not when nothing ran", 11_000, [], []],
  ])("%s", (_what, after, then, expected) => {
    vi.useFakeTimers();
    const called: string[] = [];
    const activity = new Activity({ passed: () => {}, calls: (what) => void called.push(what) });
    activity.update(view(true));
    vi.setSystemTime(Date.now() + after);
    for (const each of then) activity.update(each);
    activity.end();
    expect(called).toEqual(expected);
  });
});
