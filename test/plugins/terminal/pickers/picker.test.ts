import { describe, expect, it } from "vitest";
import { ListPicker } from "../../../../plugins/terminal/pickers/picker.ts";
import type { PickerOptions } from "../../../../plugins/terminal/pickers/picker-parts.ts";
import { pickersEn, pickersZh } from "../../../../plugins/terminal/words/pickers.ts";
import { eventually } from "../../../eventually.ts";
import { emulator } from "../emulator.ts";
import { key, paste, press, surroundings } from "../input/desk.ts";

const fruits = ["apple pie", "banana bread", "cherry cake"];

/** A picker of fruits, and the chosen ones. */
function picking(options: Partial<PickerOptions<string>> = {}, rows = 10, pickerWords = pickersEn) {
  const at = { ...surroundings({ rows }), pickerWords };
  const picker = new ListPicker<string>(at, {
    title: () => "Fruits",
    empty: "There is no fruit.",
    load: () => fruits,
    row: (label) => ({ label }),
    id: (label) => label,
    ...options,
  });
  const chosen: string[] = [];
  let isCancelled = false;
  picker.onChoose = (item) => chosen.push(item);
  picker.onCancel = () => {
    isCancelled = true;
  };
  const shown = (width = 60) => picker.render(width);
  const ready = () => eventually(() => expect(picker.state.kind).not.toBe("loading"));
  return {
    picker,
    chosen,
    shown,
    ready,
    type: (...inputs: string[]) => press(picker, ...inputs),
    isCancelled: () => isCancelled,
  };
}

describe("a picker", () => {
  it("moves with the mouse wheel, but not while it asks", async () => {
    const { shown, ready, picker } = picking();
    await ready();
    picker.scroll(3);
    expect(shown().at(-1)).toBe("Enter chooses · Esc closes · 3/3");
    picker.scroll(-3);
    expect(shown().at(-1)).toBe("Enter chooses · Esc closes · 1/3");
    picker.ask({ label: "New name", text: "", done() {} } as never);
    picker.scroll(3);
    expect(picker.list.chosen).toBe("apple pie");
  });

  it("shows its items, and finds them by any of their letters", async () => {
    const { shown, ready, type, chosen, picker } = picking();
    await ready();
    expect(shown()).toEqual([
      "Fruits",
      "Search: ",
      "",
      "› apple pie",
      "  banana bread",
      "  cherry cake",
      "",
      "",
      "",
      "Enter chooses · Esc closes · 1/3",
    ]);
    type(key.down);
    expect(shown().at(-1)).toBe("Enter chooses · Esc closes · 2/3");
    type("chc");
    expect(shown().slice(1, 5)).toEqual(["Search: chc", "", "› cherry cake", ""]);
    expect(picker.cursor).toEqual({ row: 1, column: 11 });
    type(key.backspace, key.backspace, key.backspace, paste("an\nb"));
    expect(shown().slice(1, 5)).toEqual(["Search: an b", "", "› banana bread", ""]);
    type(key.enter);
    expect(chosen).toEqual(["banana bread"]);
  });

  it("leaves out what has the letters only far apart, and shows what contains the word first", async () => {
    const noise = "c?l§e[a{n…u~p, spread over much text: ".replace(/(.)/gu, "$1 .. ");
    const load = () => [noise, "clean the update", "a long story about what was done before the cleanup"];
    const { ready, type, picker } = picking({ load });
    await ready();
    type("cleanup");
    expect(picker.list.items).toEqual(["a long story about what was done before the cleanup", "clean the update"]);
  });

  it("cancels the search for more items when one goes on typing, and keeps the chosen item when they are found", async () => {
    const asked: { query: string; signal: AbortSignal; give(items: string[]): void }[] = [];
    const findMore = (query: string, signal: AbortSignal) =>
      new Promise<string[]>((give) => asked.push({ query, signal, give }));
    const { ready, type, picker } = picking({ findMore });
    await ready();
    type("an");
    await eventually(() => expect(asked).toHaveLength(1));
    type("a");
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.give(["late"]);
    await eventually(() => expect(asked).toHaveLength(2));
    asked[1]?.give(["a basket"]);
    await eventually(() => expect(picker.isFindingMore).toBe(false));
    expect([asked[1]?.query, picker.list.items, picker.list.chosen]).toEqual([
      "ana",
      ["banana bread", "a basket"],
      "banana bread",
    ]);
    type("s");
    expect(picker.list.items).toEqual([]);
  });

  it("moves by lines and pages, and to the ends", async () => {
    const many = Array.from({ length: 50 }, (_, index) => `item ${index}`);
    const { picker, ready, type, shown } = picking({ load: () => many });
    await ready();
    const at = (...inputs: string[]) => {
      type(...inputs);
      return picker.list.chosen;
    };
    expect([
      at(key.up),
      at(key.down),
      at(key.down),
      at(key.pageDown),
      at(key.pageDown),
      at(key.pageUp),
      at("\x1b[1;5F"),
      at(key.pageDown),
      at("\x1b[1;5H"),
      at(key.end),
      at(key.home),
    ]).toEqual([
      ...["item 49", "item 0", "item 1", "item 5", "item 9", "item 5"],
      ...["item 49", "item 49", "item 0", "item 49", "item 0"],
    ]);
    type(...Array(20).fill("\x0e"));
    expect(shown().slice(3, 8)).toEqual(["  item 18", "  item 19", "› item 20", "  item 21", "  item 22"]);
  });

  it("says that it loads, that there is nothing, that nothing matches, and what failed", async () => {
    let tries = 0;
    const failing = picking({
      load: async () => {
        if (tries++ === 0) throw new Error("The host is gone");
        return [];
      },
    });
    expect(failing.shown()[3]).toBe("Loading…");
    await failing.ready();
    expect(failing.shown()[3]).toBe("The host is gone — Enter tries again");
    failing.type(key.enter);
    await eventually(() => expect(failing.shown()[3]).toBe("There is no fruit."));
    const { ready, shown, type, isCancelled } = picking();
    await ready();
    type("xyz");
    expect(shown()[3]).toBe('Nothing matches "xyz".');
    type(key.enter, key.escape);
    expect(isCancelled()).toBe(true);
  });

  it("shows more about the chosen item in a wide window, and never that of another", async () => {
    const waiting = new Map<string, (text: string) => void>();
    const preview = (item: string) => new Promise<string>((give) => waiting.set(item, give));
    const { shown, ready, type } = picking({ preview });
    await ready();
    expect(shown(99)[3]).toBe("› apple pie");
    expect(waiting.size).toBe(0);
    expect(shown(100)[3]).toMatch(/^› apple pie {35}│ Loading…$/);
    await eventually(() => expect(waiting.size).toBe(1));
    type(key.down);
    shown(100);
    await eventually(() => expect(waiting.size).toBe(2));
    waiting.get("apple pie")?.("late");
    waiting.get("banana bread")?.("yellow\n\u001b[31mand\u001b]0;t\u0007 long");
    await eventually(() => expect(shown(100)[3]).toMatch(/│ yellow$/));
    expect(shown(100)[4]).toMatch(/^› banana bread {32}│ and long$/);
    type(key.up);
    expect(shown(100)[3]).toMatch(/│ Loading…$/);
  });

  it("shows it below the list in a window that is high, where searching does not move it", async () => {
    const preview = (item: string) => [
      { text: `${item}:` },
      { markdown: "**ripe**" },
      { diff: "--- a/x\n+++ b/x\n@@ -3 +3 @@\n-green\n+red\n" },
    ];
    const { shown, ready, type } = picking({ preview }, 17);
    await ready();
    shown();
    const about = (item: string) => [`${item}:`, "", "ripe", "", "3 - green", "3 + red"];
    const screen = (rows: readonly string[], item: string, foot: string) => [
      ...["Fruits", expect.stringMatching(/^Search: /), ""],
      ...[...rows, "─".repeat(60), ...about(item)],
      ...["", "", "", foot],
    ];
    await eventually(() =>
      expect(shown()).toEqual(
        screen(["› apple pie", "  banana bread", "  cherry cake"], "apple pie", "Enter chooses · Esc closes · 1/3"),
      ),
    );
    type("chc");
    shown();
    await eventually(() =>
      expect(shown()).toEqual(screen(["› cherry cake", "", ""], "cherry cake", "Enter chooses · Esc closes · 1/1")),
    );
  });

  it("shows the end of what was said last, if it does not fit", async () => {
    const preview = () => [
      { text: "/work/shop" },
      { text: "> first\nquestion" },
      { text: "first\nanswer" },
      { text: "last" },
    ];
    const { shown, ready } = picking({ preview, previewsEnd: true }, 17);
    await ready();
    const about = () => shown().slice(7, -2);
    about();
    await eventually(() => expect(about()).toEqual(["/work/shop", "⋯", "question", "", "first", "answer", "", "last"]));
  });

  it("asks for a text or a yes within the list, which Esc takes back", async () => {
    const given: string[] = [];
    const { picker, ready, type, shown } = picking();
    await ready();
    picker.ask({ label: "New name", text: "old", give: (text) => given.push(text) });
    type("\x15", "new name", key.enter);
    picker.ask({ label: "Delete?", give: (text) => given.push(text) });
    expect(shown()[1]).toBe("Delete? y / n ");
    type("x", key.enter, "y");
    picker.ask({ label: "Delete?", give: (text) => given.push(text) });
    type("n");
    picker.ask({ label: "Delete?", give: (text) => given.push(text) });
    type(key.escape);
    expect([given, picker.asking, picker.list.query]).toEqual([["new name", "y"], undefined, ""]);
  });

  it("shows the end of a text that is longer than the line, where it is edited", async () => {
    const { picker, shown, ready, type } = picking();
    await ready();
    type("a search that is too long for the line");
    expect([shown(30)[1], picker.cursor]).toEqual(["Search: …oo long for the line", { row: 1, column: 29 }]);
    picker.ask({ label: "New name", text: "a name that is too long for 中文 ", give() {} });
    expect(shown(30)[1]).toBe("New name: …too long for 中文 ");
    type("x");
    expect([shown(30)[1], picker.cursor]).toEqual(["New name: …oo long for 中文 x", { row: 1, column: 29 }]);
  });

  it("searches for the beginning of a long paste only", async () => {
    const { picker, ready, type } = picking();
    await ready();
    const text = "pie ".repeat(100_000);
    type(paste(text));
    expect(picker.list.query).toBe(text.slice(0, 200));
  });

  it("shows the end of a long path, in time that grows with its length only", async () => {
    const place = `/${"folder/".repeat(8_000)}end`;
    const { shown, ready } = picking({ row: (label) => ({ label, place }) });
    await ready();
    expect(shown(60)[3]).toBe("› apple pie                   …lder/folder/folder/folder/end");
  });

  it("fits into narrow and low windows, with wide characters, in Chinese", async () => {
    const labels = ["写一个解析器并测试它,直到所有测试通过", "a\tb\u001b[2J\u202e"];
    const { ready, shown } = picking(
      { load: () => labels, row: (label) => ({ label, detail: "两小时前" }) },
      6,
      pickersZh,
    );
    await ready();
    using screen = emulator(24, 6);
    await screen.write(shown(24).join("\r\n"));
    expect(screen.lines()).toEqual(["Fruits", "搜索:", "", "› 写一个解析…   两小时前", "", "Enter 选择 · Esc 关闭"]);
  });
});
