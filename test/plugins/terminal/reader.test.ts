import { describe, expect, it } from "vitest";
import { Reader } from "../../../plugins/terminal/app/reader.ts";
import { eventually } from "../../eventually.ts";

type Parts = ConstructorParameters<typeof Reader>[0];

/** A session in which `missing` earlier events are not loaded; they are loaded when the test allows it. */
function stage(missing: number) {
  const asked: (number | undefined)[] = [];
  let place = "end";
  let give = () => {};
  const loaded: number[] = [];
  const view = {
    events: loaded,
    get more() {
      return missing > 0;
    },
  };
  const session = {
    view,
    earlier: (count?: number) => {
      asked.push(count);
      return new Promise<void>((resolve) => {
        give = () => {
          missing -= count ?? 300;
          loaded.length += count ?? 300;
          resolve();
        };
      });
    },
  };
  const transcript = {
    scroll: () => true,
    toStart: () => {
      place = `the first of all but ${Math.max(0, missing)}`;
    },
    toEnd: () => {
      place = "end";
    },
  };
  const reader = new Reader({
    ...({ session, transcript, looks: { look: {} } } as unknown as Parts),
    rows: () => 30,
    attempt: (work) => void work(),
    redraw() {},
  });
  return { reader, asked, place: () => place, give: () => give(), session };
}

describe("the way to the beginning of a long conversation", () => {
  it("goes on until everything is loaded, as much at a time as there is already", async () => {
    const t = stage(7_300);
    t.reader.toStart();
    expect([t.place(), t.reader.isGoingBack]).toEqual(["the first of all but 7300", true]);
    for (const left of [6_300, 5_300, 3_300, 0]) {
      t.give();
      await eventually(() => expect(t.place()).toBe(`the first of all but ${left}`));
    }
    await eventually(() => expect(t.reader.isGoingBack).toBe(false));
    expect(t.asked).toEqual([1_000, 1_000, 2_000, 4_000]);
  });

  it("ends where it is when the person stops it or scrolls, or another session is shown", async () => {
    const ways = {
      stop: (t: ReturnType<typeof stage>) => t.reader.stop(),
      scroll: (t: ReturnType<typeof stage>) => t.reader.scroll(3),
      end: (t: ReturnType<typeof stage>) => t.reader.toEnd(),
      session: (t: ReturnType<typeof stage>) => Object.assign(t.session, { view: { more: true, events: [] } }),
    };
    for (const [name, leave] of Object.entries(ways)) {
      const t = stage(5_000);
      t.reader.toStart();
      t.give();
      await eventually(() => expect(t.asked, name).toHaveLength(2));
      leave(t);
      t.give();
      await eventually(() => expect(t.reader.isGoingBack, name).toBe(false));
      expect([t.asked.length, t.place()], name).toEqual([2, name === "end" ? "end" : "the first of all but 4000"]);
    }
  });

  it("takes over when one page is being loaded already", async () => {
    const t = stage(1_000);
    t.reader.scroll(-3);
    t.reader.toStart();
    t.give();
    await eventually(() => expect(t.asked).toEqual([undefined, 1_000]));
    t.give();
    await eventually(() => expect(t.place()).toBe("the first of all but 0"));
  });
});
