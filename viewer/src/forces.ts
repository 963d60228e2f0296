// Contact forces as bars: along the branch between two grains (network), or along the force at the contact point (vectors); bonds as bars
// between the centres, coloured by their damage.
import * as THREE from 'three';
import {nearestImage, periods, type Frame, type Store, type WallRow} from './data.ts';
import {Range} from './ranges.ts';

export type ForceMode = 'off' | 'network' | 'vectors' | 'bonds';

function prism(sides = 6): THREE.InstancedBufferGeometry {
  const position: number[] = [];
  const index: number[] = [];
  for (let i = 0; i < sides; ++i) {
    const a = (2 * Math.PI * i) / sides;
    for (const end of [0, 1]) position.push(Math.cos(a), Math.sin(a), end);
    const [p, q] = [2 * i, 2 * ((i + 1) % sides)];
    index.push(p, q, q + 1, p, q + 1, p + 1);
  }
  const g = new THREE.InstancedBufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  g.setIndex(index);
  g.instanceCount = 0;
  return g;
}

const vertexShader = nearestImage + /* glsl */ `
  attribute vec3 fromA, fromB, toA, toB;
  attribute float strength, shade;
  uniform float uMix, uRadius, uThin;
  varying float vShade;
  varying vec3 vNormal;
  void main() {
    vec3 a = mix(fromA, nearest(fromA, fromB), uMix), b = nearest(a, mix(toA, nearest(toA, toB), uMix)), axis = b - a;
    float l = max(length(axis), 1e-12);
    vec3 n = axis / l, s = abs(n.x) < 0.6 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
    vec3 u = normalize(cross(n, s)), v = cross(n, u);
    vec3 side = position.x * u + position.y * v;
    vShade = shade;
    vNormal = normalMatrix * side;
    float r = uRadius * (uThin + (1.0 - uThin) * strength);  // the root of the force
    gl_Position = projectionMatrix * modelViewMatrix * vec4(a + axis * position.z + r * side, 1.0);
  }
`;
const fragmentShader = /* glsl */ `
  varying float vShade;
  varying vec3 vNormal;
  uniform sampler2D uTable;
  void main() {
    vec3 colour = texture2D(uTable, vec2((clamp(vShade, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
    vec3 n = normalize(vNormal);
    float light = 0.72 + 0.28 * clamp(n.y * 0.7 + n.z * 0.7, -0.2, 1.0);
    gl_FragColor = vec4(colour * light, 1.0);
    #include <colorspace_fragment>
  }
`;

/** Foot of the perpendicular from a grain's centre to a wall. */
function toWall(w: WallRow, from: Float32Array, to: Float32Array, at: number): void {
  const {normal: n, point: p} = w;
  const h = n[0] * (from[at] - p[0]) + n[1] * (from[at + 1] - p[1]) + n[2] * (from[at + 2] - p[2]);
  for (let k = 0; k < 3; ++k) to[at + k] = from[at + k] - h * n[k];
}

/** Of a vector, in lengths of one at the colours' upper end. */
export const longest = 3;

/** Contacts or bonds in a frame. */
function mostOf(store: Store): number {
  return store.header.frames.reduce((m, f) => Math.max(m, f.contacts, f.bonds ?? 0), 0);
}

export class Forces {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.ShaderMaterial>;
  mode: ForceMode = 'off';
  readonly range: Range;
  drawn = 0;   // contacts or bonds
  private least = 0;
  private stretch = 1;
  private shown: {a: Frame; b: Frame; mode: ForceMode} | null = null;
  private readonly capacity: number;

  /** `spare`: how many to have room for where there are so many. */
  constructor(private readonly store: Store, readonly grainRadius: number, spare: (n: number) => number) {
    const {header} = store;
    this.capacity = spare(mostOf(store));
    const run = () => ({top: store.header.force, typical: store.header.force_typical});
    this.range = new Range(run, (f) => f.scales.force, 65535, 0.98, (f) => f.contactForce);
    const g = prism();
    for (const [name, width] of [
      ['fromA', 3],
      ['fromB', 3],
      ['toA', 3],
      ['toB', 3],
      ['strength', 1],
      ['shade', 1],
    ] as [string, number][]) {
      const a = new THREE.InstancedBufferAttribute(new Float32Array(this.capacity * width), width);
      a.setUsage(THREE.DynamicDrawUsage);
      g.setAttribute(name, a);
    }
    const table = new THREE.DataTexture(new Uint8Array(256 * 4), 256, 1);
    table.colorSpace = THREE.SRGBColorSpace;
    const material = new THREE.ShaderMaterial({
      vertexShader, fragmentShader, side: THREE.DoubleSide,
      uniforms: {uMix: {value: 0}, uPeriod: {value: new THREE.Vector3(...periods(header))}, uRadius: {value: 0.42 * grainRadius}, uThin: {value: 0.06}, uTable: {value: table}},
    });
    this.mesh = new THREE.Mesh(g, material);
    this.mesh.frustumCulled = false;
  }

  /** Whether there is room for what the store has come to hold. */
  get fits(): boolean {
    return mostOf(this.store) <= this.capacity;
  }

  /** Shows what another one did. */
  takeAfter(o: Forces): void {
    [this.mode, this.least, this.stretch] = [o.mode, o.least, o.stretch];
    [this.range.ofFrame, this.range.log] = [o.range.ofFrame, o.range.log];
  }

  setTable(table: Uint8Array): void {
    const t = this.mesh.material.uniforms.uTable.value as THREE.DataTexture;
    (t.image.data as Uint8Array).set(table);
    t.needsUpdate = true;
  }

  /** `least`: root of the share of the colours' upper end from which on a force is drawn; `stretch`: of the vectors. */
  limit(least: number, stretch: number): void {
    [this.least, this.stretch, this.shown] = [least, stretch, null];
  }
  refresh(): void {
    this.shown = null;
  }
  /** Force (N) from which on contacts are drawn, and length (m) of a vector of the force at the colours' upper end. */
  limits(f: Frame | null): {least: number; length: number} {
    return {least: this.least ** 2 * this.range.ends(f).high, length: 6 * this.grainRadius * this.stretch};
  }

  /** The bonds of frame a; returns how many. */
  private bonds(a: Frame, b: Frame, fromA: Float32Array, fromB: Float32Array, toA: Float32Array, toB: Float32Array, strength: Float32Array): number {
    const {store} = this;
    let n = 0;
    for (let k = 0; k < a.bondA.length; ++k) {
      const ia = store.find(a, a.bondA[k]);
      const ja = store.find(a, a.bondB[k]);
      if (ia < 0 || ja < 0) continue;
      const ib = store.find(b, a.bondA[k]);
      const jb = store.find(b, a.bondB[k]);
      store.place(a, ia, fromA, 3 * n);
      store.place(a, ja, toA, 3 * n);
      store.place(ib < 0 ? a : b, ib < 0 ? ia : ib, fromB, 3 * n);
      store.place(jb < 0 ? a : b, jb < 0 ? ja : jb, toB, 3 * n);
      strength[n++] = a.bondDamage[k] / 255;
    }
    return n;
  }

  show(a: Frame, b: Frame): void {
    if (this.mode === 'off' || (this.shown?.a === a && this.shown.b === b && this.shown.mode === this.mode)) return;
    this.shown = {a, b, mode: this.mode};
    const {store} = this;
    const g = this.mesh.geometry;
    const array = (name: string) => g.getAttribute(name).array as Float32Array;
    const [fromA, fromB, toA, toB, strength, shade] = ['fromA', 'fromB', 'toA', 'toB', 'strength', 'shade'].map(array);
    const walls = new Map<number, WallRow>(a.row.walls.map((w) => [w.wall, w]));
    const wallCount = a.scales.walls;
    const frames = a.rows === b.rows;
    const {position: qa} = a;
    const {position: qb} = b;
    const [{low: lowA, step: stepA}, {low: lowB, step: stepB}] = [a.scales, b.scales];
    const ends = this.range.ends(a);
    const {least, length} = this.limits(a);
    let n = 0;
    if (this.mode === 'bonds')
      shade.set(strength.subarray(0, (n = this.bonds(a, b, fromA, fromB, toA, toB, strength))));
    for (let i = 0; this.mode !== 'bonds' && i < a.contactA.length; ++i) {
      const code = a.contactB[i];
      const wall = code < wallCount ? walls.get(code) : undefined;
      const ia = store.find(a, a.contactA[i]);
      const ja = code < wallCount ? ia : store.find(a, code - wallCount);
      if (ia < 0 || ja < 0 || (code < wallCount && !wall)) continue;
      // A grain that is gone in frame b stays where it was.
      const ib = frames ? ia : store.find(b, a.contactA[i]);
      const jb = frames ? ja : code < wallCount ? ib : store.find(b, code - wallCount);
      const at = 3 * n;
      const force = this.range.value(a.contactForce[i], a);
      if (force < least) continue;
      const share = force / (ends.high || 1);
      shade[n] = this.range.place(force, ends);
      strength[n++] = Math.min(Math.sqrt(share), 1);
      for (let k = 0; k < 3; ++k) {
        fromA[at + k] = lowA[k] + stepA[k] * qa[k][ia];
        fromB[at + k] = ib < 0 ? fromA[at + k] : lowB[k] + stepB[k] * qb[k][ib];
        toA[at + k] = lowA[k] + stepA[k] * qa[k][ja];
        toB[at + k] = jb < 0 ? toA[at + k] : lowB[k] + stepB[k] * qb[k][jb];
      }
      if (this.mode === 'vectors') {
        const offset = store.contactOffset(a, i);
        const direction = store.contactDirection(a, i);
        for (let k = 0; k < 3; ++k) {
          const half = 0.5 * length * Math.min(share, longest) * direction[k];
          toA[at + k] = fromA[at + k] + offset[k] + half;
          toB[at + k] = fromB[at + k] + offset[k] + half;
          fromA[at + k] += offset[k] - half;
          fromB[at + k] += offset[k] - half;
        }
      } else if (wall) {
        toWall(wall, fromA, toA, at);
        toWall(wall, fromB, toB, at);
      }
    }
    g.instanceCount = this.drawn = n;
    for (const name of ['fromA', 'fromB', 'toA', 'toB', 'strength', 'shade']) {
      const attribute = g.getAttribute(name) as THREE.InstancedBufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, n * attribute.itemSize);
      attribute.needsUpdate = true;
    }
  }
}
