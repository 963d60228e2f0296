// Where the colours of speeds and forces end: of the run or of one frame, by square roots (as they are stored) or by
// logarithms.
import type {Frame} from './data.ts';

export interface Ends {
  low: number;   // 0 but for logarithms
  high: number;  // what is larger looks the same
  most: number;  // the largest there is
}

/** Values that are stored as `top * (code/codes)^2`, with the top of the frame's part. */
export class Range {
  ofFrame = false;
  log = false;
  private ofFrames = new WeakMap<Frame, Ends>();

  /**
   * Of the whole run: the largest value, and `typical`, where its colours end, which the share of all values does not
   * exceed (of several parts the largest of theirs).
   */
  constructor(
    private readonly run: () => {top: number; typical: number},
    private readonly topOf: (f: Frame) => number,
    private readonly codes: number,
    private readonly share: number,
    private readonly column: (f: Frame) => Uint8Array | Uint16Array,
  ) {}

  value(code: number, f: Frame): number {
    return this.topOf(f) * (code / this.codes) ** 2;
  }

  ends(f: Frame | null): Ends {
    const {top, typical} = this.run();
    let e = f && this.ofFrame ? this.ofFrames.get(f) : {low: 0, high: typical || top, most: top};
    if (!e) this.ofFrames.set(f!, (e = this.count(f!)));
    // Four decades, as far as the codes tell them apart.
    const least = f ? this.value(1, f) : 0;
    return this.log ? {...e, low: Math.min(Math.max(1e-4 * e.high, least), 0.1 * e.high)} : e;
  }

  private count(f: Frame): Ends {
    const column = this.column(f);
    const counts = new Uint32Array(this.codes + 1);
    for (const c of column) ++counts[c];
    let most = this.codes;
    while (most > 0 && counts[most] === 0) --most;
    let high = 0;
    for (let seen = counts[0]; high < most && seen < this.share * column.length;) seen += counts[++high];
    return {low: 0, high: this.value(high || most, f), most: this.value(most, f)};
  }

  /** From 0 at the low end to 1 at the high one, and beyond. */
  place(v: number, {low, high}: Ends): number {
    if (!(high > 0) || v <= 0) return 0;
    return this.log ? Math.max(0, Math.log(v / low) / Math.log(high / low)) : Math.sqrt(v / high);
  }
}
