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

/** A disc is drawn as a polygon of many corners, a sphere with smooth normals and no edges. Many are drawn with fewer triangles. */
export function round(radius: number, planar: boolean, many: boolean): THREE.InstancedBufferGeometry {
  if (planar) {
    const n = many ? 12 : 40;
    const corners = Array.from({length: n}, (_, i): Vec => [radius * Math.cos((2 * Math.PI * i) / n), radius * Math.sin((2 * Math.PI * i) / n), 0]);
    return polyhedron(corners, [corners.map((_, i) => i)]);
  }
  const ball = new THREE.IcosahedronGeometry(radius, many ? 1 : 3);
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

function geometryOf(s: Shape, planar: boolean, many: boolean): THREE.InstancedBufferGeometry {
  if (s.parts) return joined(s.parts.map((p) => geometryOf(p, planar, many).translate(...p.centre) as THREE.InstancedBufferGeometry));
  return s.radius > 0 ? round(s.radius, planar, many) : polyhedron(s.vertices, s.faces);
}

/** The triangles of several bodies as one. */
function joined(all: THREE.InstancedBufferGeometry[]): THREE.InstancedBufferGeometry {
  const g = new THREE.InstancedBufferGeometry();
  for (const name of ['position', 'normal', 'rim']) {
    const values = all.flatMap((part) => Array.from(part.getAttribute(name).array));
    g.setAttribute(name, new THREE.Float32BufferAttribute(values, 3));
  }
  g.instanceCount = 0;
  return g;
}

function reach(s: Shape): number {
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
}

function withPose(shader: THREE.WebGLProgramParametersWithUniforms, uniforms: GrainUniforms): void {
  Object.assign(shader.uniforms, uniforms);
  shader.vertexShader = poseChunk + shader.vertexShader
    .replace('void main() {', 'void main() {\nvec4 turn = turnNow();')
    .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = turned(turn, normal);')
    .replace('#include <begin_vertex>', 'vec3 transformed = placeNow() + turned(turn, position * fixedPart.x);');
}

function grainMaterial(uniforms: GrainUniforms, planar: boolean): THREE.Material {
  const m = new THREE.MeshLambertMaterial({side: planar ? THREE.DoubleSide : THREE.FrontSide});
  m.onBeforeCompile = (shader) => {
    withPose(shader, uniforms);
    shader.vertexShader = `
      attribute float valueA, valueB;
      attribute vec3 rim;
      varying vec3 vRim;
      varying float vValue, vShade, vSelected;
      uniform float uSelected;
    ` + shader.vertexShader.replace('void main() {', `void main() {
      vRim = rim;
      vValue = mix(valueA, valueB, uMix);
      float r = fract(sin(fixedPart.y * 12.9898) * 43758.5453);
      vShade = 0.93 + 0.11 * r;  // neighbours of one colour stay apart
      vSelected = abs(fixedPart.y - uSelected) < 0.5 ? 1.0 : 0.0;
    `);
    shader.fragmentShader = `
      varying vec3 vRim;
      varying float vValue, vShade, vSelected;
      uniform sampler2D uTable;
      uniform float uGhost, uEdges;
      uniform vec3 uGhostColour;
    ` + shader.fragmentShader.replace('#include <color_fragment>', `
      vec3 own = texture2D(uTable, vec2((clamp(vValue, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
      diffuseColor.rgb = min(own * vShade, vec3(1.0));
      // Pixels between here and the face's edge; edges of grains that are few pixels wide fade out.
      vec3 slope = max(fwidth(vRim), vec3(1e-5));
      vec3 lines = (1.0 - smoothstep(0.35, 1.35, vRim / slope)) * (1.0 - smoothstep(0.05, 0.25, slope));
      diffuseColor.rgb *= 1.0 - uEdges * 0.55 * max(lines.x, max(lines.y, lines.z));
      diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0, 0.83, 0.15), 0.85 * vSelected);
    `).replace('#include <opaque_fragment>', `
      outgoingLight = mix(outgoingLight, uGhostColour, uGhost * (1.0 - vSelected));
      #include <opaque_fragment>
    `);
  };
  return m;
}

function depthMaterial(uniforms: GrainUniforms): THREE.Material {
  const m = new THREE.MeshDepthMaterial();
  m.onBeforeCompile = (shader) => withPose(shader, uniforms);
  return m;
}

/** Poses and colour values of one frame in the order in which a shape's instances are drawn. */
interface Slot {
  frame: Frame | null;
  order: Frame | null;  // frame whose particles are drawn; its poses are used where `frame` lacks a particle
  place: THREE.InstancedBufferAttribute;
  turn: THREE.InstancedBufferAttribute;
  value: THREE.InstancedBufferAttribute;
}

interface Batch {
  mesh: THREE.Mesh<THREE.InstancedBufferGeometry>;
  slots: [Slot, Slot];
  fixed: THREE.InstancedBufferAttribute;
  rows: Uint32Array;     // of the particle table, drawn now
  indices: Uint32Array;  // in the frame `order`
  count: number;
}

function dynamic(n: number, width: number): THREE.InstancedBufferAttribute {
  const a = new THREE.InstancedBufferAttribute(new Float32Array(n * width), width);
  a.setUsage(THREE.DynamicDrawUsage);
  return a;
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

  constructor(private readonly store: Store) {
    const header: Header = store.header;
    const table = new THREE.DataTexture(new Uint8Array(256 * 4), 256, 1);
    table.colorSpace = THREE.SRGBColorSpace;
    table.needsUpdate = true;
    this.uniforms = {
      uMix: {value: 0}, uPeriod: {value: new THREE.Vector3(...periods(header))}, uTable: {value: table}, uSelected: {value: -1}, uGhost: {value: 0},
      uGhostColour: {value: new THREE.Color()}, uEdges: {value: 1},
    };
    this.radius = header.shapes.map(reach);
    const planar = header.dimensions === 2;
    const capacity = header.shapes.map(() => 0);
    for (const s of store.particles.shape) ++capacity[s];
    const material = grainMaterial(this.uniforms, planar);
    const depth = depthMaterial(this.uniforms);
    header.shapes.forEach((shape, s) => {
      const n = capacity[s];
      const g = geometryOf(shape, planar, n * (shape.parts?.length ?? 1) > 20000);
      const slot = (): Slot => ({frame: null, order: null, place: dynamic(n, 3), turn: dynamic(n, 4), value: dynamic(n, 1)});
      const batch: Batch = {
        mesh: new THREE.Mesh(g, material), slots: [slot(), slot()], fixed: dynamic(n, 2),
        rows: new Uint32Array(n), indices: new Uint32Array(n), count: 0,
      };
      g.setAttribute('fixedPart', batch.fixed);
      batch.mesh.frustumCulled = false;
      batch.mesh.castShadow = batch.mesh.receiveShadow = true;
      batch.mesh.customDepthMaterial = depth;
      batch.mesh.visible = n > 0;
      this.batches.push(batch);
      this.group.add(batch.mesh);
    });
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
        g.setAttribute('placeA', slotA.place), g.setAttribute('turnA', slotA.turn), g.setAttribute('valueA', slotA.value);
        g.setAttribute('placeB', slotB.place), g.setAttribute('turnB', slotB.turn), g.setAttribute('valueB', slotB.value);
      }
    }
    return sent;
  }

  private arrange(f: Frame): void {
    const {shape, size} = this.store.particles;
    for (const b of this.batches) b.count = 0;
    f.rows.forEach((row, i) => {
      const b = this.batches[shape[row]];
      b.rows[b.count] = row;
      b.indices[b.count] = i;
      const fixed = b.fixed.array as Float32Array;
      fixed[2 * b.count] = size[row];
      fixed[2 * b.count + 1] = row;
      ++b.count;
    });
    for (const b of this.batches) {
      b.mesh.geometry.instanceCount = b.count;
      b.mesh.visible = b.count > 0;
      b.fixed.needsUpdate = true;
      for (const s of b.slots) s.frame = null;
    }
    this.rows = f.rows;
  }

  private fill(batch: Batch, slot: Slot, f: Frame, order: Frame): void {
    const {store} = this;
    const place = slot.place.array as Float32Array;
    const turn = slot.turn.array as Float32Array;
    const value = slot.value.array as Float32Array;
    if (f.rows === order.rows) {
      store.places(f, batch.indices, batch.count, place);
      store.turns(f, batch.indices, batch.count, turn);
      for (let k = 0; k < batch.count; ++k) value[k] = this.colouring(store, f, batch.indices[k], batch.rows[k]);
    } else {
      for (let k = 0; k < batch.count; ++k) {
        const row = batch.rows[k];
        let from = f;
        let i = store.find(f, row);
        if (i < 0) (from = order), (i = batch.indices[k]);
        store.place(from, i, place, 3 * k);
        store.turn(from, i, turn, 4 * k);
        value[k] = this.colouring(store, from, i, row);
      }
    }
    for (const a of [slot.place, slot.turn, slot.value]) {
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
    return Math.min(...s.parts.map((p) => this.distanceToConvex(o.clone().sub(new THREE.Vector3(...p.centre)), d, p.radius, geometryOf(p, false, true))));
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
