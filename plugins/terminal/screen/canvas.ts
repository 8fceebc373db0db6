import { type Frame, Painter } from "./painter.ts";
import type { Pictures } from "./pictures.ts";

/** Paints frames: their lines, and the pictures among them if the terminal can show pictures. */
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

  /** Has everything painted again, because the terminal shows something else, as after another program. */
  forget(): void {
    this.painter.forget();
    this.pictures?.forget();
  }

  /** Returns what to send to the terminal for the next frame. */
  paint(frame: Frame): string {
    const { painter, pictures } = this;
    if (!pictures) return painter.paint(frame);
    const lines = pictures.take(frame.lines);
    return pictures.removing() + painter.paint({ ...frame, lines }) + pictures.showing();
  }

  /** Milliseconds after which the frame has to be painted again for pictures that are not shown yet; 0 when all are shown. */
  get waits(): number {
    return this.pictures?.waits ?? 0;
  }
}
