// Grains as one instanced mesh per shape. Poses of two frames lie on the graphics card, which interpolates between them, so that a
// rendered picture costs no work per grain here.
import * as THREE from 'three';
import {nearestImage, periods, type Frame, type Header, type Shape, type Store, type Vec} from './data.ts';

/**
 * Flat-shaded polyhedron: every face is a fan of triangles. Each component of `rim` is 0 on one side of its triangle and 1 on the corner
 * across, or 1 everywhere where that side is no edge of the face; where a component comes near 0, the shader draws the edge.
 */
export function polyhedron(vertices: Vec[], faces: number[][]): THREE.InstancedBufferGeometry {
  const position: number[] = [];
  const normal: number[] = [];
  const rim: number[] = [];
  for (const loop of faces) {
    const p = loop.map((v) => new THREE.Vector3(...vertices[v]));
    const n = new THREE.Vector3();
    for (let i = 1; i + 1 < p.length; ++i) n.add(new THREE.Vector3().crossVectors(p[i].clone().sub(p[0]), p[i + 1].clone().sub(p[0])));
    n.normalize();
    for (let i = 1; i + 1 < p.length; ++i) {
      const second = i + 2 === p.length ? 0 : 1;
      const third = i === 1 ? 0 : 1;
      for (const [q, ...r] of [[p[0], 1, second, third], [p[i], 0, 1, third], [p[i + 1], 0, second, 1]] as [THREE.Vector3, ...number[]][]) {
        position.push(q.x, q.y, q.z);
        normal.push(n.x, n.y, n.z);
        rim.push(...r);
      }
    }
  }
  const g = new THREE.InstancedBufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  g.setAttribute('normal', new THREE.Float32BufferAttribute(normal, 3));
  g.setAttribute('rim', new THREE.Float32BufferAttribute(rim, 3));
  g.instanceCount = 0;
  return g;
}

/** A disc is drawn as a polygon of many corners. */
function disc(radius: number, corners: number): THREE.InstancedBufferGeometry {
  const at = (i: number): Vec => [
    radius * Math.cos((2 * Math.PI * i) / corners),
    radius * Math.sin((2 * Math.PI * i) / corners),
    0,
  ];
  return polyhedron(Array.from({length: corners}, (_, i) => at(i)), [Array.from({length: corners}, (_, i) => i)]);
}

/**
 * The half of a sphere that is seen: the vertex shader turns it to the eye. Rings of 8, 16, 32 corners about the pole,
 * the last as wide as makes its area that of the circle. `ball` is the centre in the body's frame.
 */
export function dome(radius: number, centre: Vec, rings: number): THREE.InstancedBufferGeometry {
  const position: number[] = [0, 0, radius];
  const index: number[] = [];
  const start = (ring: number) => 1 + 8 * (2 ** ring - 1);
  for (let ring = 0; ring < rings; ++ring) {
    const n = 8 * 2 ** ring;
    const from = start(ring);
    const angle = (Math.PI / 2) * ((ring + 1) / rings);
    const wide =
      (radius * Math.sin(angle)) /
      (ring + 1 === rings ? Math.sqrt((n / 2 / Math.PI) * Math.sin((2 * Math.PI) / n)) : 1);
    for (let i = 0; i < n; ++i)
      position.push(
        wide * Math.cos((2 * Math.PI * i) / n),
        wide * Math.sin((2 * Math.PI * i) / n),
        radius * Math.cos(angle),
      );
    if (ring === 0) {
      for (let i = 0; i < n; ++i) index.push(0, from + i, from + ((i + 1) % n));
      continue;
    }
    const inner = start(ring - 1);
    for (let i = 0; i < n / 2; ++i) {
      const [p, q] = [inner + i, inner + ((i + 1) % (n / 2))];
      const [a, b, c] = [0, 1, 2].map((k) => from + ((2 * i + k) % n));
      index.push(p, a, b, p, b, q, q, b, c);
    }
  }
  const count = position.length / 3;
  const g = new THREE.InstancedBufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  g.setAttribute('normal', g.getAttribute('position').clone());  // three.js lights only what has some
  g.setAttribute('ball', new THREE.Float32BufferAttribute(Array.from({length: count}, () => centre).flat(), 3));
  g.setIndex(index);
  g.instanceCount = 0;
  return g;
}

/** Rings of a dome: the more there are to draw, the fewer. */
function ringsFor(balls: number): number {
  return balls > manySpheres ? 1 : balls > 2000 ? 2 : 3;
}

/** From so many spheres on they are points: software needs some 50 us for every instance, however small it is. */
const manySpheres = 20000;

/** What a shape is drawn as: by its faces, as one dome, as several, or as a point for each grain. */
type Kind = 'faces' | 'ball' | 'balls' | 'points';
function kindOf(s: Shape, planar: boolean, count: number): Kind {
  if (planar) return 'faces';
  if (s.parts) return s.parts.every((p) => p.radius > 0) ? 'balls' : 'faces';
  return s.radius === 0 ? 'faces' : count > manySpheres ? 'points' : 'ball';
}

function geometryOf(s: Shape, kind: Kind, planar: boolean, count: number): THREE.InstancedBufferGeometry {
  const all = count * (s.parts?.length ?? 1);
  if (kind === 'ball') return dome(s.radius, [0, 0, 0], ringsFor(all));
  if (kind === 'balls') return joined(s.parts!.map((p) => dome(p.radius, p.centre, ringsFor(all))));
  if (s.parts)
    return joined(s.parts.map((p) => solid(p, planar, all).translate(...p.centre) as THREE.InstancedBufferGeometry));
  return solid(s, planar, all);
}

/** By faces. A ball among the other parts of a clump has smooth normals and no edges. */
function solid(s: Shape, planar: boolean, count: number): THREE.InstancedBufferGeometry {
  if (s.radius === 0) return polyhedron(s.vertices, s.faces);
  if (planar) return disc(s.radius, count > 20000 ? 12 : 40);
  const ball = new THREE.IcosahedronGeometry(s.radius, count > 2000 ? 1 : 3);
  const position = ball.getAttribute('position');
  const normal = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; ++i) new THREE.Vector3().fromBufferAttribute(position, i).normalize().toArray(normal, 3 * i);
  const g = new THREE.InstancedBufferGeometry();
  g.setAttribute('position', position);
  g.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
  g.setAttribute('rim', new THREE.BufferAttribute(new Float32Array(3 * position.count).fill(1), 3));
  g.instanceCount = 0;
  return g;
}

/** The triangles of several bodies as one. */
function joined(all: THREE.InstancedBufferGeometry[]): THREE.InstancedBufferGeometry {
  const g = new THREE.InstancedBufferGeometry();
  for (const name of Object.keys(all[0].attributes)) {
    const values = all.flatMap((part) => Array.from(part.getAttribute(name).array));
    g.setAttribute(name, new THREE.Float32BufferAttribute(values, 3));
  }
  if (all[0].index) {
    let first = 0;
    g.setIndex(all.flatMap((part) => {
      const own = Array.from(part.index!.array, (i) => i + first);
      first += part.getAttribute('position').count;
      return own;
    }));
  }
  g.instanceCount = 0;
  return g;
}

export function reach(s: Shape): number {
  const parts = (s.parts ?? []).map((p) => Math.hypot(...p.centre) + reach(p));
  return Math.max(s.radius, ...s.vertices.map((v) => Math.hypot(...v)), ...parts);
}

const poseChunk = nearestImage + /* glsl */ `
  attribute vec3 placeA, placeB;
  attribute vec4 turnA, turnB;
  attribute vec2 fixedPart;  // size, row of the particle table
  uniform float uMix;
  vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
  vec4 turnNow() {
    vec4 b = dot(turnA, turnB) < 0.0 ? -turnB : turnB;
    return normalize(mix(turnA, b, uMix));
  }
  vec3 placeNow() { return mix(placeA, nearest(placeA, placeB), uMix); }
`;

export interface GrainUniforms {
  [name: string]: THREE.IUniform;
  uMix: {value: number};
  uPeriod: {value: THREE.Vector3};
  uTable: {value: THREE.DataTexture};
  uSelected: {value: number};
  uGhost: {value: number};
  uGhostColour: {value: THREE.Color};
  uEdges: {value: number};
  uPixels: {value: number};  // height of the picture
  uGrow: {value: number};    // of points, where only a share of them is drawn
}

/** Across the shadow map. */
export const shadowPixels = 2048;

/** Vertices of domes; for the sun's shadows (its rays are parallel) turned away, as other grains' begin at the back. */
function domeChunk(kind: Kind, shadows: boolean): string {
  const parallel = 'vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2])';
  return `
    vec3 middle = placeNow()${kind === 'balls' ? ' + turned(turnNow(), ball * fixedPart.x)' : ''};
    vec3 toEye = ${shadows ? parallel : 'normalize(cameraPosition - middle)'};
    vec3 right = normalize(abs(toEye.z) < 0.9 ? vec3(-toEye.y, toEye.x, 0.0) : vec3(0.0, -toEye.z, toEye.y));
    vec3 above = cross(toEye, right);
    vec3 outward = position.x * right + position.y * above ${shadows ? '-' : '+'} position.z * toEye;
  `;
}

function withPose(
  shader: THREE.WebGLProgramParametersWithUniforms,
  uniforms: GrainUniforms,
  kind: Kind,
  shadows: boolean,
): void {
  Object.assign(shader.uniforms, uniforms, shadows ? {uPixels: {value: shadowPixels}} : {});
  const [begin, normal, place] = {
    faces: ['vec4 turn = turnNow();', 'turned(turn, normal)', 'placeNow() + turned(turn, position * fixedPart.x)'],
    points: ['', 'vec3(0.0, 0.0, 1.0)', 'placeNow()'],
    ball: [domeChunk(kind, shadows), 'outward', 'middle + outward * fixedPart.x'],
    balls: [domeChunk(kind, shadows), 'outward', 'middle + outward * fixedPart.x'],
  }[kind];
  shader.vertexShader =
    poseChunk +
    (kind === 'balls' ? 'attribute vec3 ball;\n' : kind === 'points' ? 'uniform float uPixels, uGrow;\n' : '') +
    shader.vertexShader
      .replace('void main() {', `void main() {\n${begin}`)
      .replace('#include <beginnormal_vertex>', `vec3 objectNormal = ${normal};`)
      .replace('#include <begin_vertex>', `vec3 transformed = ${place};`);
  if (kind !== 'points') return;
  // A disc with the normals of a sphere, at the depth of its centre.
  shader.vertexShader = shader.vertexShader.replace(
    '#include <project_vertex>',
    `#include <project_vertex>
    gl_PointSize = max(1.0, uPixels * uGrow * projectionMatrix[1][1] * fixedPart.x / gl_Position.w);`,
  );
  shader.fragmentShader = shader.fragmentShader
    .replace(
      'void main() {',
      `void main() {
    vec2 disc = vec2(2.0, -2.0) * (gl_PointCoord - 0.5);
    float inner = 1.0 - dot(disc, disc);
    if (inner < 0.0) discard;`,
    )
    .replace(
      '#include <normal_fragment_begin>',
      'float faceDirection = 1.0;\nvec3 normal = vec3(disc, sqrt(inner)), nonPerturbedNormal = normal;',
    );
}

const edges = /* glsl */ `
      // Pixels between here and the face's edge; edges of grains that are few pixels wide fade out.
      vec3 slope = max(fwidth(vRim), vec3(1e-5));
      vec3 lines = (1.0 - smoothstep(0.35, 1.35, vRim / slope)) * (1.0 - smoothstep(0.05, 0.25, slope));
      diffuseColor.rgb *= 1.0 - uEdges * 0.55 * max(lines.x, max(lines.y, lines.z));
`;

function grainMaterial(uniforms: GrainUniforms, planar: boolean, kind: Kind): THREE.Material {
  const m = new THREE.MeshLambertMaterial({side: planar ? THREE.DoubleSide : THREE.FrontSide});
  if (kind !== 'faces') m.shadowSide = THREE.FrontSide;
  m.customProgramCacheKey = () => kind;
  m.onBeforeCompile = (shader) => {
    withPose(shader, uniforms, kind, false);
    shader.vertexShader = `
      attribute float valueA, valueB;
      ${kind === 'faces' ? 'attribute vec3 rim;\nvarying vec3 vRim;' : ''}
      varying float vValue, vShade, vSelected;
      uniform float uSelected;
    ` + shader.vertexShader.replace('void main() {', `void main() {
      ${kind === 'faces' ? 'vRim = rim;' : ''}
      vValue = mix(valueA, valueB, uMix);
      float r = fract(sin(fixedPart.y * 12.9898) * 43758.5453);
      vShade = 0.93 + 0.11 * r;  // neighbours of one colour stay apart
      vSelected = abs(fixedPart.y - uSelected) < 0.5 ? 1.0 : 0.0;
    `);
    shader.fragmentShader = `
      ${kind === 'faces' ? 'varying vec3 vRim;' : ''}
      varying float vValue, vShade, vSelected;
      uniform sampler2D uTable;
      uniform float uGhost, uEdges;
      uniform vec3 uGhostColour;
    ` + shader.fragmentShader.replace('#include <color_fragment>', `
      vec3 own = texture2D(uTable, vec2((clamp(vValue, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
      diffuseColor.rgb = min(own * vShade, vec3(1.0));
      ${kind === 'faces' ? edges : ''}
      diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0, 0.83, 0.15), 0.85 * vSelected);
    `).replace('#include <opaque_fragment>', `
      outgoingLight = mix(outgoingLight, uGhostColour, uGhost * (1.0 - vSelected));
      #include <opaque_fragment>
    `);
  };
  return m;
}

function depthMaterial(uniforms: GrainUniforms, kind: Kind): THREE.Material {
  const m = new THREE.MeshDepthMaterial();
  m.customProgramCacheKey = () => kind;
  m.onBeforeCompile = (shader) => withPose(shader, uniforms, kind, true);
  return m;
}

/** Poses and colour values of one frame in the order in which a shape's instances are drawn. */
interface Slot {
  frame: Frame | null;
  order: Frame | null;  // frame whose particles are drawn; its poses are used where `frame` lacks a particle
  place: THREE.BufferAttribute;
  turn: THREE.BufferAttribute;  // not filled for spheres
  value: THREE.BufferAttribute;
}

interface Batch {
  mesh: THREE.Mesh | THREE.Points;
  turns: boolean;  // whether it is seen
  scale: number;   // of what is told as size: points know no radius at size 1
  slots: [Slot, Slot];
  fixed: THREE.BufferAttribute;
  rows: Uint32Array;     // of the particle table, drawn now
  indices: Uint32Array;  // in the frame `order`
  count: number;
}

function dynamic(n: number, width: number, points: boolean): THREE.BufferAttribute {
  const a = new (points ? THREE.BufferAttribute : THREE.InstancedBufferAttribute)(new Float32Array(n * width), width);
  a.setUsage(THREE.DynamicDrawUsage);
  return a;
}

/** Without a divisor in common with n, near its golden section. */
function strideOf(n: number): number {
  const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));
  let stride = Math.max(1, Math.round(0.6180339887 * n));
  while (common(n, stride) > 1) ++stride;
  return stride;
}

/** How many grains of any frame have each shape. */
function countsOf({header, particles}: Store): number[] {
  const counts = header.shapes.map(() => 0);
  for (const s of particles.shape) ++counts[s];
  return counts;
}

/** Whether any grains are drawn as points. */
export function drawsPoints(store: Store): boolean {
  const {shapes, dimensions} = store.header;
  return countsOf(store).some((n, s) => kindOf(shapes[s], dimensions === 2, n) === 'points');
}

export type Colouring = (store: Store, f: Frame, index: number, row: number) => number;

export class Grains {
  readonly group = new THREE.Group();
  readonly uniforms: GrainUniforms;
  readonly radius: number[];  // bounding radius of each shape at size 1
  private readonly batches: Batch[] = [];
  private rows: Uint32Array | null = null;
  private order: Frame | null = null;
  private colouring: Colouring = () => 0;
  private readonly counts: number[];    // of each shape
  private readonly capacity: number[];

  /** `spare`: how many grains of a shape to have room for where there are so many. */
  constructor(private readonly store: Store, spare: (n: number) => number) {
    const header: Header = store.header;
    const table = new THREE.DataTexture(new Uint8Array(256 * 4), 256, 1);
    table.colorSpace = THREE.SRGBColorSpace;
    table.needsUpdate = true;
    this.uniforms = {
      uMix: {value: 0}, uPeriod: {value: new THREE.Vector3(...periods(header))}, uTable: {value: table}, uSelected: {value: -1}, uGhost: {value: 0},
      uGhostColour: {value: new THREE.Color()}, uEdges: {value: 1}, uPixels: {value: 1}, uGrow: {value: 1},
    };
    this.radius = header.shapes.map(reach);
    const planar = header.dimensions === 2;
    this.counts = countsOf(store);
    this.capacity = this.counts.map(spare);
    const materials = new Map<Kind, [THREE.Material, THREE.Material]>();
    header.shapes.forEach((shape, s) => {
      const [n, count] = [this.capacity[s], this.counts[s]];
      const kind = kindOf(shape, planar, count);
      const points = kind === 'points';
      const g = points ? new THREE.BufferGeometry() : geometryOf(shape, kind, planar, count);
      if (!materials.has(kind))
        materials.set(kind, [grainMaterial(this.uniforms, planar, kind), depthMaterial(this.uniforms, kind)]);
      const [material, depth] = materials.get(kind)!;
      const turns = kind === 'faces' || kind === 'balls';
      const slot = (): Slot => ({
        frame: null,
        order: null,
        place: dynamic(n, 3, points),
        turn: dynamic(turns ? n : 0, 4, points),
        value: dynamic(n, 1, points),
      });
      const batch: Batch = {
        mesh: points ? new THREE.Points(g, material) : new THREE.Mesh(g, material),
        turns,
        scale: points ? shape.radius : 1,
        slots: [slot(), slot()],
        fixed: dynamic(n, 2, points),
        rows: new Uint32Array(n),
        indices: new Uint32Array(n),
        count: 0,
      };
      g.setAttribute('fixedPart', batch.fixed);
      batch.mesh.frustumCulled = false;
      batch.mesh.castShadow = batch.mesh.receiveShadow = true;
      batch.mesh.customDepthMaterial = depth;
      batch.mesh.visible = count > 0;
      this.batches.push(batch);
      this.group.add(batch.mesh);
    });
  }

  /** Whether there is room for the grains that the store has come to hold, and they are drawn in the same way. */
  get fits(): boolean {
    const {shapes, dimensions} = this.store.header;
    const now = countsOf(this.store);
    const kind = (s: number, n: number) => kindOf(shapes[s], dimensions === 2, n);
    return (
      now.length === this.capacity.length &&
      now.every((n, s) => n <= this.capacity[s] && kind(s, n) === kind(s, this.counts[s]))
    );
  }

  setColours(table: Uint8Array, colouring: Colouring): void {
    (this.uniforms.uTable.value.image.data as Uint8Array).set(table);
    this.uniforms.uTable.value.needsUpdate = true;
    this.colouring = colouring;
    for (const b of this.batches) for (const s of b.slots) s.frame = null;
  }

  /** Draws the particles of frame a, on their way to their poses in frame b. True when something was sent to the card. */
  show(a: Frame, b: Frame): boolean {
    if (a.rows !== this.rows) this.arrange(a);
    this.order = a;
    let sent = false;
    for (const batch of this.batches) {
      if (batch.count === 0) continue;
      const [s, t] = batch.slots;
      // Going on by one frame, what was B becomes A without being sent again.
      if (s.frame !== a && t.frame === a) batch.slots = [t, s];
      const [slotA, slotB] = batch.slots;
      if (slotA.frame !== a) sent = true, this.fill(batch, slotA, a, a);
      if (slotB.frame !== b) sent = true, this.fill(batch, slotB, b, a);
      const g = batch.mesh.geometry;
      if (g.getAttribute('placeA') !== slotA.place || g.getAttribute('placeB') !== slotB.place) {
        g.setAttribute('placeA', slotA.place), g.setAttribute('valueA', slotA.value);
        g.setAttribute('placeB', slotB.place), g.setAttribute('valueB', slotB.value);
        if (batch.turns) g.setAttribute('turnA', slotA.turn), g.setAttribute('turnB', slotB.turn);
      }
    }
    return sent;
  }

  private arrange(f: Frame): void {
    const {shape, size} = this.store.particles;
    for (const b of this.batches) b.count = 0;
    // Any first part of them is spread evenly: neighbours in the table are far apart in this order.
    const n = f.rows.length;
    const stride = strideOf(n);
    for (let k = 0, i = 0; k < n; ++k, i = (i + stride) % n) {
      const row = f.rows[i];
      const b = this.batches[shape[row]];
      b.rows[b.count] = row;
      b.indices[b.count] = i;
      const fixed = b.fixed.array as Float32Array;
      fixed[2 * b.count] = size[row] * b.scale;
      fixed[2 * b.count + 1] = row;
      ++b.count;
    }
    for (const b of this.batches) {
      if (b.mesh.geometry instanceof THREE.InstancedBufferGeometry) b.mesh.geometry.instanceCount = b.count;
      b.mesh.visible = b.count > 0;
      b.fixed.needsUpdate = true;
      for (const s of b.slots) s.frame = null;
    }
    this.rows = f.rows;
    this.thin(this.share);
  }

  private share = 1;
  /** Draws a share of the points, larger. */
  thin(share: number): void {
    this.share = share;
    this.uniforms.uGrow.value = share ** -0.125;
    for (const b of this.batches)
      if (b.mesh instanceof THREE.Points) b.mesh.geometry.setDrawRange(0, Math.ceil(share * b.count));
  }

  private fill(batch: Batch, slot: Slot, f: Frame, order: Frame): void {
    const {store} = this;
    const place = slot.place.array as Float32Array;
    const turn = slot.turn.array as Float32Array;
    const value = slot.value.array as Float32Array;
    if (f.rows === order.rows) {
      store.places(f, batch.indices, batch.count, place);
      if (batch.turns) store.turns(f, batch.indices, batch.count, turn);
      for (let k = 0; k < batch.count; ++k) value[k] = this.colouring(store, f, batch.indices[k], batch.rows[k]);
    } else {
      for (let k = 0; k < batch.count; ++k) {
        const row = batch.rows[k];
        let from = f;
        let i = store.find(f, row);
        if (i < 0) (from = order), (i = batch.indices[k]);
        store.place(from, i, place, 3 * k);
        if (batch.turns) store.turn(from, i, turn, 4 * k);
        value[k] = this.colouring(store, from, i, row);
      }
    }
    for (const a of [slot.place, ...(batch.turns ? [slot.turn] : []), slot.value]) {
      a.clearUpdateRanges();
      a.addUpdateRange(0, batch.count * a.itemSize);
      a.needsUpdate = true;
    }
    slot.frame = f;
    slot.order = order;
  }

  /** On the way from a to the nearest image of b, along an axis. */
  private between(a: number, b: number, axis: number): number {
    const period = this.uniforms.uPeriod.value.getComponent(axis);
    return a + (b - a - period * Math.round((b - a) / period)) * this.uniforms.uMix.value;
  }

  /** Pose of a row of the particle table as it is drawn now. */
  poseNow(row: number, place: THREE.Vector3, turn: THREE.Quaternion): boolean {
    const b = this.batches[this.store.particles.shape[row]];
    if (!b) return false;
    const k = b.rows.subarray(0, b.count).indexOf(row);
    const [s, t] = b.slots;
    if (k < 0 || !s.frame || !t.frame) return false;
    const mix = this.uniforms.uMix.value;
    for (let i = 0; i < 3; ++i) place.setComponent(i, this.between(s.place.array[3 * k + i], t.place.array[3 * k + i], i));
    if (!b.turns) return turn.identity(), true;
    const qa = new THREE.Quaternion().fromArray(s.turn.array, 4 * k);
    const qb = new THREE.Quaternion().fromArray(t.turn.array, 4 * k);
    if (qa.dot(qb) < 0) qb.set(-qb.x, -qb.y, -qb.z, -qb.w);
    turn.set(qa.x + (qb.x - qa.x) * mix, qa.y + (qb.y - qa.y) * mix, qa.z + (qb.z - qa.z) * mix, qa.w + (qb.w - qa.w) * mix).normalize();
    return true;
  }

  /** Row of the particle that the ray meets first, or -1. */
  pick(ray: THREE.Ray): number {
    if (!this.order) return -1;
    let best = Infinity;
    let found = -1;
    const place = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const {size} = this.store.particles;
    this.batches.forEach((b, s) => {
      const pa = b.slots[0].place.array;
      const pb = b.slots[1].place.array;
      for (let k = 0; k < b.count; ++k) {
        for (let i = 0; i < 3; ++i) place.setComponent(i, this.between(pa[3 * k + i], pb[3 * k + i], i));
        const r = this.radius[s] * size[b.rows[k]];
        if (ray.distanceSqToPoint(place) > r * r || place.distanceTo(ray.origin) - r > best) continue;
        if (!this.poseNow(b.rows[k], place, turn)) continue;
        const d = this.distance(ray, s, place, turn, size[b.rows[k]]);
        if (d < best) (best = d), (found = b.rows[k]);
      }
    });
    return found;
  }

  /** Along the ray to the grain; infinite when it is missed. */
  private distance(ray: THREE.Ray, shape: number, place: THREE.Vector3, turn: THREE.Quaternion, size: number): number {
    const back = turn.clone().invert();
    const o = ray.origin.clone().sub(place).applyQuaternion(back).divideScalar(size);
    const d = ray.direction.clone().applyQuaternion(back).divideScalar(size);
    const s = this.store.header.shapes[shape];
    const g = this.batches[shape].mesh.geometry;
    if (this.store.header.dimensions === 2) return this.distanceToFlat(o, d, s.radius, g);
    if (!s.parts) return this.distanceToConvex(o, d, s.radius, g);
    return Math.min(
      ...s.parts.map((p) =>
        this.distanceToConvex(o.clone().sub(new THREE.Vector3(...p.centre)), d, p.radius, solid(p, false, Infinity)),
      ),
    );
  }

  /** Along the ray to a sphere, or to a convex polyhedron by clipping with its faces. */
  private distanceToConvex(o: THREE.Vector3, d: THREE.Vector3, radius: number, g: THREE.BufferGeometry): number {
    if (radius > 0) {
      const at = o.clone().dot(d) / d.lengthSq();
      const miss = o.clone().addScaledVector(d, -at).lengthSq();
      return miss > radius * radius ? Infinity : Math.max(0, -at - Math.sqrt((radius * radius - miss) / d.lengthSq()));
    }
    const position = g.getAttribute('position');
    const normal = g.getAttribute('normal');
    let near = 0;
    let far = Infinity;
    const n = new THREE.Vector3();
    const p = new THREE.Vector3();
    for (let i = 0; i < position.count; i += 3) {
      n.fromBufferAttribute(normal, i);
      p.fromBufferAttribute(position, i);
      const along = n.dot(d);
      const gap = n.dot(p.sub(o));
      if (Math.abs(along) < 1e-12) {
        if (gap < 0) return Infinity;
      } else if (along < 0) near = Math.max(near, gap / along);
      else far = Math.min(far, gap / along);
      if (near > far) return Infinity;
    }
    return near;
  }

  /** Along the ray to a disc or polygon in the plane z = 0 of its own frame. */
  private distanceToFlat(o: THREE.Vector3, d: THREE.Vector3, radius: number, g: THREE.BufferGeometry): number {
    if (Math.abs(d.z) < 1e-12) return Infinity;
    const t = -o.z / d.z;
    const p = o.clone().addScaledVector(d, t);
    if (t < 0) return Infinity;
    if (radius > 0) return Math.hypot(p.x, p.y) <= radius ? t : Infinity;
    const position = g.getAttribute('position');
    const corner = [0, 1, 2].map(() => new THREE.Vector3());
    for (let i = 0; i < position.count; i += 3) {
      corner.forEach((c, k) => c.fromBufferAttribute(position, i + k));
      if (THREE.Triangle.containsPoint(p.setZ(0), corner[0], corner[1], corner[2])) return t;
    }
    return Infinity;
  }
}
