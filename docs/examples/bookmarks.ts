/** Bookmarks places in a conversation: `/bookmark <name>` adds one, `/bookmarks` lists them; save it in `~/.scorel/extensions`. */
import { definePlugin, isEvent } from "@scorel/kernel";

interface Bookmark {
  name: string;
  at: string | null;
}

declare module "@scorel/kernel" {
  interface Projections {
    bookmarks: Bookmark[];
  }
}

export default definePlugin({
  id: "bookmarks",
  name: "Bookmarks",
  version: "1.0.0",
  projections: {
    bookmarks: {
      over: "log",
      init: (): Bookmark[] => [],
      update(state: Bookmark[], event) {
        if (!isEvent(event, "custom")) return state;
        const { kind, data } = event;
        return kind === "bookmark" ? [...state, data as Bookmark] : state;
      },
    },
  },
  commands: ({ session }) => ({
    bookmark: {
      summary: "Remember this place under a name",
      async run(name: string) {
        if (name.trim() === "") return "Say a name: /bookmark <name>";
        const data: Bookmark = { name: name.trim(), at: session.activeLeaf };
        await session.append("custom", { kind: "bookmark", data });
        return `Bookmarked as ${data.name}.`;
      },
    },
    bookmarks: {
      summary: "List the bookmarks of this session",
      run() {
        const rows = session.projection("bookmarks").map(({ name, at }) => `${name}  /rewind ${at}`);
        return rows.length > 0 ? rows.join("\n") : "No bookmarks yet.";
      },
    },
  }),
});
