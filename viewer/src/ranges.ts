// Where the colours of speeds and forces end: of the run or of one frame, by square roots (as they are stored) or by
// logarithms.
import type {Frame} from './data.ts';

export interface Ends {
  low: number;   // 0 but for logarithms
  high: number;  // what is larger looks the same
  most: number;  // the largest there is
}

/** Values that are stored as `top * (code/codes)^2`. */
export class Range {
  ofFrame = false;
  log = false;
  private ofFrames = new WeakMap<Frame, Ends>();

  /** `typical` is where the colours of the run end, which the share of all values does not exceed. */
  constructor(
    private readonly top: number,
    private readonly typical: number,
    private readonly codes: number,
    private readonly share: number,
    private readonly column: (f: Frame) => Uint8Array | Uint16Array,
  ) {}

  value(code: number): number {
    return this.top * (code / this.codes) ** 2;
  }

  ends(f: Frame | null): Ends {
    let e = f && this.ofFrame ? this.ofFrames.get(f) : {low: 0, high: this.typical || this.top, most: this.top};
    if (!e) this.ofFrames.set(f!, (e = this.count(this.column(f!))));
    // Four decades, as far as the codes tell them apart.
    return this.log ? {...e, low: Math.min(Math.max(1e-4 * e.high, this.value(1)), 0.1 * e.high)} : e;
  }

  private count(column: Uint8Array | Uint16Array): Ends {
    const counts = new Uint32Array(this.codes + 1);
    for (const c of column) ++counts[c];
    let most = this.codes;
    while (most > 0 && counts[most] === 0) --most;
    let high = 0;
    for (let seen = counts[0]; high < most && seen < this.share * column.length;) seen += counts[++high];
    return {low: 0, high: this.value(high || most), most: this.value(most)};
  }

  /** From 0 at the low end to 1 at the high one, and beyond. */
  place(v: number, {low, high}: Ends): number {
    if (!(high > 0) || v <= 0) return 0;
    return this.log ? Math.max(0, Math.log(v / low) / Math.log(high / low)) : Math.sqrt(v / high);
  }
}
