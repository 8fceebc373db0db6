import { type Frame, Painter } from "./painter.ts";
import type { Pictures } from "./pictures.ts";

/** The screen: its lines, and the pictures among them where the terminal shows pictures. */
export class Canvas {
  private readonly painter = new Painter();
  private readonly pictures: Pictures | undefined;

  constructor(pictures: Pictures | undefined) {
    this.pictures = pictures;
  }

  resize(columns: number, rows: number): void {
    this.painter.resize(columns, rows);
    this.pictures?.forget();
  }

  /** The terminal shows something else, as after another program: everything is drawn anew. */
  forget(): void {
    this.painter.forget();
    this.pictures?.forget();
  }

  /** What to send to the terminal for the next picture of the screen. */
  paint(frame: Frame): string {
    const { painter, pictures } = this;
    if (!pictures) return painter.paint(frame);
    const lines = pictures.take(frame.lines);
    return pictures.removing() + painter.paint({ ...frame, lines }) + pictures.showing();
  }

  /** Milliseconds after which it has to be painted again, as some pictures are not shown yet; 0 when all are. */
  get waits(): number {
    return this.pictures?.waits ?? 0;
  }
}
