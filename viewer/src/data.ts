// What the binary wrote into the page (viewer/README.md), decoded when it is needed.

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

export interface Particles {
  id: Uint32Array;
  shape: Uint16Array;
  material: Uint16Array;
  size: Float32Array;
}

/** One frame with integers as they were stored; Store turns them into metres. */
export interface Frame {
  index: number;
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

function blockText(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as {fromBase64?: (t: string) => Uint8Array}).fromBase64;
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function readBlock(id: string): Promise<Uint8Array> {
  const text = blockText(id);
  if (text === null) throw new Error(`the page lacks its part ${id}; was it cut short when it was copied?`);
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('this browser is too old to unpack the data (it has no DecompressionStream); any of 2023 or later can');
  }
  const packed = new Blob([fromBase64(text) as BlobPart]).stream();
  const stream = packed.pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function readJson<T>(id: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await readBlock(id))) as T;
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

export class Store {
  private readonly decoded = new Map<number, Frame>();  // in the order of last use
  private readonly pending = new Map<number, Promise<Frame>>();
  private readonly rowSets: Uint32Array[] = [];
  private held = 0;
  decodeMs = 0;
  decodes = 0;

  private constructor(readonly header: Header, readonly particles: Particles, private readonly limit: number) {}

  static async open(limit = 300e6): Promise<Store> {
    const header = await readJson<Header>('scree-header');
    completeWalls(header);
    const bytes = await readBlock('scree-particles');
    const n = header.particles;
    const b = bytes.buffer as ArrayBuffer;
    const particles = {
      id: new Uint32Array(b, 0, n),
      shape: new Uint16Array(b, 4 * n, n),
      material: new Uint16Array(b, 6 * n, n),
      size: new Float32Array(b, 8 * n, n),
    };
    return new Store(header, particles, limit);
  }

  get frames(): number {
    return this.header.frames.length;
  }

  /** The frame if it is at hand. */
  peek(k: number): Frame | undefined {
    const f = this.decoded.get(k);
    if (f) {
      this.decoded.delete(k);
      this.decoded.set(k, f);
    }
    return f;
  }

  frame(k: number): Promise<Frame> {
    const f = this.peek(k);
    if (f) return Promise.resolve(f);
    let p = this.pending.get(k);
    if (!p) {
      p = this.decode(k).finally(() => this.pending.delete(k));
      this.pending.set(k, p);
    }
    return p;
  }

  private async decode(k: number): Promise<Frame> {
    const row = this.header.frames[k];
    const before = row.key ? undefined : this.frame(k - 1);
    const bytes = await readBlock(`scree-frame-${k}`);
    const frame = this.unpack(k, bytes, await before);
    this.decoded.set(k, frame);
    this.held += frame.bytes;
    for (const [old, f] of this.decoded) {
      if (this.held <= this.limit || old === k) break;
      this.decoded.delete(old);
      this.held -= f.bytes;
    }
    return frame;
  }

  private unpack(k: number, bytes: Uint8Array, before: Frame | undefined): Frame {
    const started = performance.now();
    const {n, key, contacts: c, bonds: m = 0, fragments = false} = this.header.frames[k];
    const pb = this.header.position_bytes;
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
      index: k, rows, position, orientation, speed, contactA, contactB, contactAt, contactDirection, contactForce,
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
    const [lx, ly, lz] = this.header.low;
    const [sx, sy, sz] = this.header.step;
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
    const top = (1 << this.header.orientation_bits) - 1;
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
    return this.header.speed * (f.speed[i] / 255) ** 2;
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
    return this.header.force * (f.contactForce[i] / 65535) ** 2;
  }

  /** Contact point relative to the centre of particle A (m), and the direction of the force on B. */
  contactOffset(f: Frame, i: number): Vec {
    const s = this.header.reach / 127;
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
