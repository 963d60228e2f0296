// The clock of the playback: which time is shown, and the frames that belong to it.
import type {Frame, Store} from './data.ts';

export class Player {
  time: number;
  playing = false;
  loop = false;
  rate = 1;  // simulated seconds per second
  onShow: (a: Frame, b: Frame, mix: number) => void = () => {};
  onState: () => void = () => {};
  onError: (e: unknown) => void = () => {};
  private last = 0;
  private wanted = 0;  // counts requests, so that a late answer to an old one is dropped

  constructor(private readonly store: Store) {
    this.time = this.begin;
  }

  get begin(): number {
    return this.store.header.frames[0].time;
  }
  get end(): number {
    return this.store.header.frames[this.store.frames - 1].time;
  }

  get index(): number {
    return this.store.at(this.time).k;
  }

  play(on: boolean): void {
    if (on && this.time >= this.end) this.time = this.begin;
    this.playing = on && this.end > this.begin;
    this.last = performance.now();
    this.onState();
  }

  /** Shows the time as soon as its frames are decoded. */
  async seek(time: number): Promise<void> {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    this.last = performance.now();
    this.onState();
    const mine = ++this.wanted;
    try {
      const {k, mix} = this.store.at(this.time);
      const a = await this.store.frame(k);
      const b = await this.store.frame(Math.min(k + 1, this.store.frames - 1));
      if (mine === this.wanted) this.onShow(a, b, mix);
    } catch (e) {
      this.onError(e);
    }
  }

  seekFrame(k: number): Promise<void> {
    const f = this.store.header.frames;
    return this.seek(f[Math.min(Math.max(k, 0), f.length - 1)].time);
  }

  /** Once per displayed picture. Waits where a frame is not decoded yet. */
  tick(): void {
    if (!this.playing) return;
    const now = performance.now();
    const dt = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    let t = this.time + dt * this.rate;
    if (t >= this.end) {
      if (this.loop) t = this.begin;
      else (t = this.end), (this.playing = false);
    }
    const {k, mix} = this.store.at(t);
    const n = this.store.frames;
    const next = Math.min(k + 1, n - 1);
    for (let i = 0; i <= 3 && k + i < n; ++i) this.store.frame(k + i).catch((e) => this.onError(e));
    const a = this.store.peek(k);
    const b = this.store.peek(next);
    if (!a || !b) {
      this.playing = this.playing || t < this.end;
      return;
    }
    ++this.wanted;
    this.time = t;
    this.onShow(a, b, mix);
    this.onState();
  }
}
