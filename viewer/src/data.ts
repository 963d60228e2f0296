// What the binary wrote into the page or answers (viewer/README.md), decoded when it is needed.

export type Vec = [number, number, number];

export interface About {
  format: number;
  title: string;
  run: string | null;
  series: string | null;
  case: string | null;
  notes: string[];
}

export interface WallRow {
  wall: number;  // row of Header.walls
  force: Vec;    // N
  point: Vec;
  normal: Vec;   // into the domain
  outline: Vec[] | null;
  orientation?: [number, number, number, number];  // x y z w, of a mesh; its origin is at point
}

export interface FrameRow {
  time: number;
  step: number;
  n: number;
  key: boolean;
  contacts: number;
  contacts_total: number;
  fragments: boolean;  // whether it says which fragment each particle belongs to
  bonds: number;
  walls: WallRow[];
}

/** At size 1; `radius` of what is round, else 0. A clump has parts, each with the place of its centre, and nothing of its own. */
export interface Shape {
  name: string;
  vertices: Vec[];
  faces: number[][];
  radius: number;
  parts?: (Shape & {centre: Vec})[];
}

export interface Header {
  particles: number;
  dimensions: number;
  period?: [number, number, number];  // m, along the periodic axes; 0: not periodic
  fragments: boolean;  // whether any frame has them
  shapes: Shape[];
  walls: {id: number; name: string; mesh: {vertices: number[]; triangles: [number, number, number][]} | null}[];
  low: Vec;
  step: Vec;
  position_bytes: number;
  orientation_bits: number;
  speed: number;          // m/s, top of the scale
  speed_typical: number;  // m/s, what most poses stay below
  force: number;          // N, top of the scale
  force_typical: number;  // N, what most contacts stay below
  reach: number;          // m, top of the scale of contact offsets
  frames: FrameRow[];
}

/** What the numbers of a frame are told by: those of the part that brought it. */
export interface Scales extends Pick<Header, 'low' | 'step' | 'position_bytes' | 'orientation_bits' | 'speed' | 'force' | 'reach'> {
  walls: number;  // rows of the wall table when it was written
}

/** Frames with what is new in the tables: texts of blocks. */
export interface Part {
  header: string;
  particles: string;
  frame: (k: number) => string;  // of the part
}

export interface Particles {
  id: Uint32Array;
  shape: Uint16Array;
  material: Uint16Array;
  size: Float32Array;
}

/** One frame with integers as they were stored; Store turns them into metres. */
export interface Frame {
  index: number;
  row: FrameRow;
  scales: Scales;
  rows: Uint32Array;  // of Particles; the same object as long as the set of particles stays
  position: Uint32Array[];
  orientation: Uint16Array[];
  speed: Uint8Array;
  contactA: Uint32Array;
  contactB: Uint32Array;   // wall row, or particle row + number of walls
  contactAt: Uint8Array[];
  contactDirection: Uint8Array[];
  contactForce: Uint16Array;
  fragment: Uint32Array | null;  // row of Particles that the fragment is named by
  bondA: Uint32Array;            // rows of Particles
  bondB: Uint32Array;
  bondDamage: Uint8Array;
  bytes: number;
}

function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as {fromBase64?: (t: string) => Uint8Array}).fromBase64;
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The text of a block of the page. */
export function blockText(id: string): string {
  const text = document.getElementById(id)?.textContent ?? null;
  if (text === null) throw new Error(`the page lacks its part ${id}; was it cut short when it was copied?`);
  return text;
}

/** The bytes of a block. */
export async function unpack(text: string): Promise<Uint8Array> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this browser is too old to unpack the data (it has no DecompressionStream); any of 2023 or later can');
  }
  const packed = new Blob([fromBase64(text) as BlobPart]).stream();
  const stream = packed.pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function unpackText(text: string): Promise<string> {
  return new TextDecoder().decode(await unpack(text));
}

export async function unpackJson<T>(text: string): Promise<T> {
  return JSON.parse(await unpackText(text)) as T;
}

/** Walls whose geometry is as before carry only their force; fills in the rest. */
function completeWalls(header: Header): void {
  let before = new Map<number, WallRow>();
  for (const frame of header.frames) {
    for (const w of frame.walls) {
      const old = before.get(w.wall);
      if (w.point === undefined && old) {
        w.point = old.point;
        w.normal = old.normal;
        w.outline = old.outline;
        w.orientation = old.orientation;
      }
    }
    frame.walls = frame.walls.filter((w) => w.point !== undefined);
    before = new Map(frame.walls.map((w) => [w.wall, w]));
  }
}

/** Periods for shaders: so long that nothing is nearer in another image where an axis has none. */
export function periods(header: Header): [number, number, number] {
  return [0, 1, 2].map((k) => header.period?.[k] || 1e30) as [number, number, number];
}

/** GLSL: b, or the image of it that is nearest to a. */
export const nearestImage = /* glsl */ `
  uniform vec3 uPeriod;
  vec3 nearest(vec3 a, vec3 b) { return b - uPeriod * round((b - a) / uPeriod); }
`;

function unzigzag(v: number): number {
  return (v >>> 1) ^ -(v & 1);
}

/** Reads byte planes one behind the other. */
class Planes {
  at = 0;
  constructor(private readonly bytes: Uint8Array) {}
  read<T extends Uint8Array | Uint16Array | Uint32Array>(into: T, planes: number): T {
    const n = into.length;
    const {bytes, at} = this;
    if (at + n * planes > bytes.length) throw new Error('a frame of the page is shorter than it should be');
    for (let i = 0; i < n; ++i) {
      let v = bytes[at + i];
      for (let k = 1; k < planes; ++k) v |= bytes[at + k * n + i] << (8 * k);
      into[i] = v;
    }
    this.at = at + n * planes;
    return into;
  }
}

/** Adds differences to the values of the frame before, modulo 2^bits. */
function undelta<T extends Uint8Array | Uint16Array | Uint32Array>(values: T, before: T | undefined, bits: number): T {
  if (!before) return values;
  const mask = bits === 32 ? 0xffffffff : 2 ** bits - 1;
  for (let i = 0; i < values.length; ++i) values[i] = (before[i] + unzigzag(values[i])) & mask;
  return values;
}

function joined<T extends Uint16Array | Uint32Array | Float32Array>(a: T, b: T): T {
  if (a.length === 0) return b;
  const both = new (a.constructor as new (n: number) => T)(a.length + b.length);
  both.set(a), both.set(b, a.length);
  return both;
}

/** Decoded frames, those that were used last behind. */
interface Cache {
  decoded: Map<number, Frame>;
  pending: Map<number, Promise<Frame>>;
  held: number;
}

/** The frames and tables of one part, or of several one behind the other. */
export class Store {
  /** Of all parts: their tables joined, and the largest of their scales. */
  header!: Header;
  particles!: Particles;
  private sources: {text: () => string; scales: Scales}[] = [];  // of each frame
  private cache: Cache = {decoded: new Map(), pending: new Map(), held: 0};
  private rowSets: Uint32Array[] = [];
  decodeMs = 0;
  decodes = 0;

  private constructor(private readonly limit: number) {}

  static async open(parts: Part[], limit = 300e6): Promise<Store> {
    const store = new Store(limit);
    for (const p of parts) await store.add(p);
    return store;
  }

  /** `then` is called as soon as it has grown, before anyone else sees it. */
  async add(part: Part, then = () => {}): Promise<void> {
    const header = await unpackJson<Header>(part.header);
    const bytes = await unpack(part.particles);
    completeWalls(header);
    const n = header.particles;
    const b = bytes.buffer as ArrayBuffer;
    const more = {
      id: new Uint32Array(b, 0, n),
      shape: new Uint16Array(b, 4 * n, n),
      material: new Uint16Array(b, 6 * n, n),
      size: new Float32Array(b, 8 * n, n),
    };
    // From here on without a pause: whoever draws meets all of the part, or nothing.
    const {low, step, position_bytes, orientation_bits, speed, force, reach} = header;
    const walls = (this.header?.walls.length ?? 0) + header.walls.length;
    const scales = {low, step, position_bytes, orientation_bits, speed, force, reach, walls};
    header.frames.forEach((_, k) => this.sources.push({text: () => part.frame(k), scales}));
    if (!this.header) {
      [this.header, this.particles] = [header, more];
      return;
    }
    const {header: all, particles: old} = this;
    all.particles += n;
    for (const f of header.frames) all.frames.push(f);
    all.shapes.push(...header.shapes);
    all.walls.push(...header.walls);
    all.fragments ||= header.fragments;
    all.period = header.period;
    for (const top of ['speed', 'speed_typical', 'force', 'force_typical', 'reach'] as const)
      all[top] = Math.max(all[top], header[top]);
    if (n > 0)
      this.particles = {
        id: joined(old.id, more.id),
        shape: joined(old.shape, more.shape),
        material: joined(old.material, more.material),
        size: joined(old.size, more.size),
      };
    then();
  }

  /** Becomes what another store is. */
  replaceBy(other: Store): void {
    const {header, particles, sources, cache, rowSets} = other;
    Object.assign(this, {header, particles, sources, cache, rowSets});
  }

  get frames(): number {
    return this.header.frames.length;
  }

  /** The frame if it is at hand. */
  peek(k: number): Frame | undefined {
    const {decoded} = this.cache;
    const f = decoded.get(k);
    if (f) {
      decoded.delete(k);
      decoded.set(k, f);
    }
    return f;
  }

  frame(k: number): Promise<Frame> {
    const f = this.peek(k);
    if (f) return Promise.resolve(f);
    const {pending} = this.cache;
    let p = pending.get(k);
    if (!p) {
      p = this.decode(k).finally(() => pending.delete(k));
      pending.set(k, p);
    }
    return p;
  }

  private async decode(k: number): Promise<Frame> {
    const {cache} = this;  // this one, whatever takes its place meanwhile
    const row = this.header.frames[k];
    const {text, scales} = this.sources[k];
    const before = row.key ? undefined : this.frame(k - 1);
    const bytes = await unpack(text());
    const frame = this.unpack(k, row, scales, bytes, await before);
    cache.decoded.set(k, frame);
    cache.held += frame.bytes;
    for (const [old, f] of cache.decoded) {
      if (cache.held <= this.limit || old === k) break;
      cache.decoded.delete(old);
      cache.held -= f.bytes;
    }
    return frame;
  }

  private unpack(k: number, row: FrameRow, scales: Scales, bytes: Uint8Array, before: Frame | undefined): Frame {
    const started = performance.now();
    const {n, key, contacts: c, bonds: m = 0, fragments = false} = row;
    const pb = scales.position_bytes;
    const planes = new Planes(bytes);
    let rows = before?.rows;
    if (key || !rows) {
      rows = planes.read(new Uint32Array(n), 4);
      for (let i = 1; i < n; ++i) rows[i] += rows[i - 1] + 1;
      rows = this.intern(rows);
    }
    const position = [0, 1, 2].map((i) => undelta(planes.read(new Uint32Array(n), pb), before?.position[i], 8 * pb));
    const orientation = [0, 1, 2].map((i) => undelta(planes.read(new Uint16Array(n), 2), before?.orientation[i], 16));
    const speed = undelta(planes.read(new Uint8Array(n), 1), before?.speed, 8);
    const contactA = planes.read(new Uint32Array(c), 4);
    for (let i = 1; i < c; ++i) contactA[i] += contactA[i - 1];
    const contactB = planes.read(new Uint32Array(c), 4);
    const contactAt = [0, 1, 2].map(() => planes.read(new Uint8Array(c), 1));
    const contactDirection = [0, 1].map(() => planes.read(new Uint8Array(c), 1));
    const contactForce = planes.read(new Uint16Array(c), 2);
    const fragment = fragments ? undelta(planes.read(new Uint32Array(n), 4), before?.fragment ?? undefined, 32) : null;
    const bondA = planes.read(new Uint32Array(m), 4);
    for (let i = 1; i < m; ++i) bondA[i] += bondA[i - 1];
    const bondB = planes.read(new Uint32Array(m), 4);
    for (let i = 0; i < m; ++i) bondB[i] += bondA[i];
    const bondDamage = planes.read(new Uint8Array(m), 1);
    this.decodeMs += performance.now() - started;
    ++this.decodes;
    return {
      index: k, row, scales, rows, position, orientation, speed, contactA, contactB, contactAt, contactDirection, contactForce,
      fragment, bondA, bondB, bondDamage,
      bytes: (fragment ? 27 : 23) * n + 15 * c + 9 * m,
    };
  }

  /** Equal sets of particles become one object, so that comparing them is free. */
  private intern(rows: Uint32Array): Uint32Array {
    const same = this.rowSets.find((o) => o.length === rows.length && o.every((r, i) => r === rows[i]));
    if (same) return same;
    this.rowSets.unshift(rows);
    this.rowSets.length = Math.min(this.rowSets.length, 4);
    return rows;
  }

  /** Positions (m) of particles of a frame, three numbers each. */
  places(f: Frame, indices: ArrayLike<number>, n: number, out: Float32Array | number[], at = 0): void {
    const [lx, ly, lz] = f.scales.low;
    const [sx, sy, sz] = f.scales.step;
    const [x, y, z] = f.position;
    for (let k = 0; k < n; ++k, at += 3) {
      const i = indices[k];
      out[at] = lx + sx * x[i];
      out[at + 1] = ly + sy * y[i];
      out[at + 2] = lz + sz * z[i];
    }
  }

  /** Orientations x y z w of particles of a frame. */
  turns(f: Frame, indices: ArrayLike<number>, n: number, out: Float32Array | number[], at = 0): void {
    const top = (1 << f.scales.orientation_bits) - 1;
    const scale = Math.SQRT2 / top;
    const [first, second, third] = f.orientation;
    for (let k = 0; k < n; ++k, at += 4) {
      const i = indices[k];
      const a = (first[i] & top) * scale - Math.SQRT1_2;
      const b = second[i] * scale - Math.SQRT1_2;
      const c = third[i] * scale - Math.SQRT1_2;
      const d = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
      // Stored in the order w x y z without the largest, which is the row in the top two bits.
      const largest = first[i] >>> 14;
      out[at + 3] = largest === 0 ? d : a;
      out[at] = largest === 0 ? a : largest === 1 ? d : b;
      out[at + 1] = largest <= 1 ? b : largest === 2 ? d : c;
      out[at + 2] = largest <= 2 ? c : d;
    }
  }

  private readonly one = [0];
  place(f: Frame, i: number, out: Float32Array | number[], at = 0): void {
    this.one[0] = i;
    this.places(f, this.one, 1, out, at);
  }
  turn(f: Frame, i: number, out: Float32Array | number[], at = 0): void {
    this.one[0] = i;
    this.turns(f, this.one, 1, out, at);
  }

  /** Speed (m/s). */
  speed(f: Frame, i: number): number {
    return f.scales.speed * (f.speed[i] / 255) ** 2;
  }

  /** Index in the frame of a row of the particle table; -1: not there. */
  find(f: Frame, row: number): number {
    let lo = 0;
    let hi = f.rows.length;
    if (row < hi && f.rows[row] === row) return row;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (f.rows[mid] < row) lo = mid + 1;
      else hi = mid;
    }
    return lo < f.rows.length && f.rows[lo] === row ? lo : -1;
  }

  /** Magnitude (N) of the i-th contact's force. */
  contactForce(f: Frame, i: number): number {
    return f.scales.force * (f.contactForce[i] / 65535) ** 2;
  }

  /** Contact point relative to the centre of particle A (m), and the direction of the force on B. */
  contactOffset(f: Frame, i: number): Vec {
    const s = f.scales.reach / 127;
    return [0, 1, 2].map((k) => (f.contactAt[k][i] - 127) * s) as Vec;
  }
  contactDirection(f: Frame, i: number): Vec {
    let x = f.contactDirection[0][i] / 127 - 1;
    let y = f.contactDirection[1][i] / 127 - 1;
    const z = 1 - Math.abs(x) - Math.abs(y);
    if (z < 0) {
      const fx = (1 - Math.abs(y)) * Math.sign(x || 1);
      y = (1 - Math.abs(x)) * Math.sign(y || 1);
      x = fx;
    }
    const l = Math.hypot(x, y, z) || 1;
    return [x / l, y / l, z / l];
  }

  /** Frame that shows the time, and the share of the way to the next one. */
  at(time: number): {k: number; mix: number} {
    const f = this.header.frames;
    let lo = 0;
    let hi = f.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (f[mid].time <= time) lo = mid;
      else hi = mid - 1;
    }
    const next = f[Math.min(lo + 1, f.length - 1)].time;
    const here = f[lo].time;
    return {k: lo, mix: next > here ? Math.min(1, Math.max(0, (time - here) / (next - here))) : 0};
  }
}
