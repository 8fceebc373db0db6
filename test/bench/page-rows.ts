/**
 * The cost of the page in a browser: time until it accepts input, time to open and scroll a long conversation, time for
 * each word that arrives, and memory.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserType, CDPSession, Page } from "playwright-core";
import { findChromium } from "../programs/chromium.ts";
// @ts-expect-error: a plain module without types
import { chromium as driver } from "./browser.mjs";
// @ts-expect-error: a plain module without types
import { bin, createHome, run } from "./measure.mjs";
import { writeSession } from "./terminal-stage.ts";

const chromium: BrowserType = driver;
const RUNS = 5;
/** The factor by which the processor is slowed down, to be like a slow computer. */
const SLOWER = 4;
/** Words a second, and the milliseconds during which frames are measured. */
const PER_SECOND = 100;
const COUNTED_MS = 4_000;
const OPENED = 10;
/** Milliseconds; longer than the page waits before it saves changes. */
const KEPT_AFTER_MS = 3_000;
const model = process.env.BENCH_MODEL ?? "";

const least = (values: readonly number[]) => Math.min(...values);
const share = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] as number;

/** A host with a page, in a home with one session for each number of turns. */
class Stage implements AsyncDisposable {
  readonly sessions: readonly string[];
  private readonly home: { home: string; remove(): void };
  private readonly browser: Browser;

  private constructor(home: Stage["home"], browser: Browser, turns: readonly number[]) {
    this.home = home;
    this.browser = browser;
    this.sessions = turns.map((count) => writeSession(home.home, count));
    this.command("host", "serve", "--port", "0");
  }

  static async begin(turns: readonly number[], given: object = {}): Promise<Stage> {
    const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
    return new Stage(createHome(model, given), browser, turns);
  }

  get folder(): string {
    return this.home.home;
  }

  /** Opens a page with a link that logs it in. */
  async open(): Promise<{ page: Page; cdp: CDPSession }> {
    const page = await this.browser.newPage({ viewport: { width: 1280, height: 800 } });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Performance.enable");
    const [link = ""] = /http\S+#code=\S+/.exec(this.command("up", "--no-open")) ?? [];
    await page.goto(link);
    await page.locator('a[href^="#/session/"]').first().waitFor();
    return { page, cdp };
  }

  stop(): void {
    this.command("host", "stop");
  }

  /** Starts the host again at the page's port. */
  serveAgain(page: Page): void {
    this.command("host", "serve", "--port", new URL(page.url()).port);
  }

  private command(...args: string[]): string {
    return run(process.execPath, [bin, ...args], { home: this.home.home });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    this.stop();
    // A separate process may still be saving compiled code there.
    for (let isLeft = true; isLeft; ) {
      try {
        this.home.remove();
        isLeft = false;
      } catch {
        await sleep(500);
      }
    }
  }
}

const linkTo = (page: Page, sessionId: string | undefined) => page.locator(`a[href="#/session/${sessionId}"]`);

async function metric(cdp: CDPSession, name: string): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
}

/** Compressed sizes in bytes of the scripts that the page loads before it shows anything. */
async function firstScripts(address: string): Promise<number[]> {
  const html = await (await fetch(address)).text();
  const paths = [...html.matchAll(/<(?:script|link rel="modulepreload")[^>]* (?:src|href)="([^"]+)"/g)];
  const files = paths.map(([, path = ""]) => new URL(path, address));
  const scripts = await Promise.all(files.map(async (file) => (await fetch(file)).arrayBuffer()));
  return scripts.map((script) => gzipSync(script, { level: 9 }).length);
}

/**
 * The kilobytes of script that are transferred until the page accepts input, and the time until then on a slow
 * computer.
 */
async function firstRows(): Promise<object[]> {
  await using stage = await Stage.begin([1]);
  const { page, cdp } = await stage.open();
  const place = `${new URL(page.url()).origin}/#/new/${encodeURIComponent(stage.folder)}`;
  await page.goto(place);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  const times: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    await page.reload({ waitUntil: "commit" });
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    times.push(await page.evaluate(() => performance.now()));
  }
  const sizes = await firstScripts(new URL(page.url()).origin);
  return [
    {
      work: "page: script until one can write, gzipped",
      value: sizes.reduce((a, b) => a + b, 0) / 1e3,
      unit: "KB",
      limit: 200,
    },
    { work: `page: until one can write, ${SLOWER} × slower`, value: least(times), limit: 1_000 },
  ];
}

/** Milliseconds until a long conversation is shown, for several openings that each follow a short conversation. */
async function openings(page: Page, stage: Stage): Promise<number[]> {
  const opening: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    await linkTo(page, stage.sessions[1]).click();
    await page.getByRole("log").getByText("The total adds up").first().waitFor();
    await page.evaluate(() => document.querySelector('[role="log"]')?.setAttribute("data-old", ""));
    const from = performance.now();
    await linkTo(page, stage.sessions[0]).click();
    await page.locator('[role="log"]:not([data-old])').getByText("The total adds up").last().waitFor();
    opening.push(performance.now() - from);
  }
  return opening;
}

/**
 * Rows for opening a long conversation, for the frames while scrolling to its beginning, and for opening it without the
 * host.
 */
async function longRows(): Promise<object[]> {
  await using stage = await Stage.begin([500, 2]);
  const { page } = await stage.open();
  const opening = await openings(page, stage);
  const frames = await page.evaluate(async () => {
    const log = document.querySelector('[role="log"]') as HTMLElement;
    const times: number[] = [];
    for (let n = 0, last = performance.now(); n < 240; n++) {
      log.dispatchEvent(new WheelEvent("wheel"));
      log.scrollTop -= 120;
      const now = await new Promise<number>(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times;
  });
  // The page shows conversations that it has saved when the host is away.
  await sleep(KEPT_AFTER_MS);
  stage.stop();
  await page.getByRole("button", { name: "Connect now" }).waitFor();
  const kept = await openings(page, stage);
  stage.serveAgain(page);
  const served = performance.now();
  await page.getByRole("button", { name: "Connect now" }).waitFor({ state: "detached" });
  const back = performance.now() - served;
  return [
    { work: "page: opening 500 turns", value: least(opening), limit: 300 },
    { work: "page: opening 500 turns from the browser's cache, without the host", value: least(kept), limit: 300 },
    { work: "page: the longest frame while one scrolls in them", value: Math.max(...frames), limit: 50 },
    { work: "page: back to live after its host came back", value: back, limit: 1_000 },
  ];
}

/**
 * The main thread's microseconds for each word that arrives in a conversation with this many turns, and the
 * milliseconds between frames.
 */
async function words(turns: number): Promise<{ each: number; frames: number[] }> {
  await using stage = await Stage.begin([turns], { id: `paced-${PER_SECOND}` });
  const { page, cdp } = await stage.open();
  await linkTo(page, stage.sessions[0]).click();
  await page.getByRole("textbox", { name: "Message" }).fill("go");
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("log")
    .getByText(/\bw100\b/)
    .waitFor();
  const before = await metric(cdp, "TaskDuration");
  const frames = await page.evaluate(async (ms) => {
    const times: number[] = [];
    for (let last = performance.now(), until = last + ms; last < until; ) {
      const now = await new Promise<number>(requestAnimationFrame);
      times.push(now - last);
      last = now;
    }
    return times;
  }, COUNTED_MS);
  const spent = (await metric(cdp, "TaskDuration")) - before;
  return { each: (spent * 1e6) / ((COUNTED_MS / 1e3) * PER_SECOND), frames };
}

async function wordRows(): Promise<object[]> {
  const few: number[] = [];
  const many: number[] = [];
  const frames: number[] = [];
  for (let n = 0; n < 3; n++) {
    few.push((await words(10)).each);
    const long = await words(1_000);
    many.push(long.each);
    frames.push(share(long.frames, 0.95));
  }
  return [
    {
      work: "page: a word in 1,000 turns, main thread, against 10",
      value: least(many),
      baseline: least(few),
      unit: "us",
      aim: 1.5,
    },
    { work: "page: a frame while 100 words/s arrive there, p95", value: least(frames), limit: 17 },
  ];
}

/** Memory after opening several sessions one after the other, compared with memory after the first. */
async function memoryRow(): Promise<object> {
  await using stage = await Stage.begin(Array.from({ length: OPENED }, (_, at) => 100 + at));
  const { page, cdp } = await stage.open();
  const used: number[] = [];
  for (const sessionId of stage.sessions) {
    await page.evaluate((id) => {
      location.hash = `#/session/${id}`;
    }, sessionId);
    await page.getByRole("log").getByText("The total adds up").first().waitFor();
    await sleep(500);
    await cdp.send("HeapProfiler.collectGarbage");
    used.push((await metric(cdp, "JSHeapUsedSize")) / 1e6);
  }
  const [first = 0] = used;
  return {
    work: `page: memory after ${OPENED} sessions, against one`,
    value: used.at(-1),
    baseline: first,
    unit: "MB",
    aim: 1.5,
  };
}

const rows = [...(await firstRows()), ...(await longRows()), ...(await wordRows()), await memoryRow()];
console.log(JSON.stringify(rows));
