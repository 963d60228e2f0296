// Walls as translucent sheets: the side that faces the grains is tinted and takes their shadows, the other is nearly clear, so that the
// walls between the grains and the eye hide nothing. Planes end at each other, wherever they move.
import * as THREE from 'three';
import {clipped} from './clip.ts';
import type {Store, Vec, WallRow} from './data.ts';
import {markOf} from './mark.ts';

interface Sheet {
  group: THREE.Group;
  geometry: THREE.BufferGeometry;
  edges: THREE.BufferGeometry;
  /** Of a box's side: the wall at each edge of its outline, or -1. */
  beside: number[];
}

const mostCorners = 64;

export class Walls {
  readonly group = new THREE.Group();
  readonly inside: THREE.MeshLambertMaterial;
  readonly outside: THREE.MeshBasicMaterial;
  /** Of meshes. */
  readonly surface: THREE.MeshLambertMaterial;
  readonly line: THREE.LineBasicMaterial;
  /** What shows that a round wall turns. */
  readonly mark: THREE.MeshBasicMaterial;
  /** Takes the grains' shadows on the lowest wall that carries them, and beyond its outline: walls are unbounded planes. */
  readonly ground: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private readonly sheets: Sheet[];
  private shown: {a: WallRow[]; b: WallRow[]; mix: number} | null = null;
  private unmarked: number[] = [];  // meshes that have not turned yet

  constructor(private readonly store: Store, private readonly box: THREE.Box3, private readonly up: THREE.Vector3) {
    const size = 6 * box.getSize(new THREE.Vector3()).length();
    this.ground = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({depthWrite: false}));
    this.ground.receiveShadow = true;
    this.ground.frustumCulled = false;
    this.group.add(this.ground);
    this.inside = new THREE.MeshLambertMaterial({transparent: true, opacity: 0.5, side: THREE.FrontSide, depthWrite: false});
    this.outside = new THREE.MeshBasicMaterial({transparent: true, opacity: 0.05, side: THREE.BackSide, depthWrite: false});
    this.surface = new THREE.MeshLambertMaterial({transparent: true, opacity: 0.3, side: THREE.DoubleSide, depthWrite: false});
    this.line = new THREE.LineBasicMaterial({transparent: true, opacity: 0.55});
    this.mark = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0.75,
      side: THREE.DoubleSide,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -2,
      polygonOffsetUnits: -2,
    });
    this.sheets = store.header.walls.map(({mesh}, k) => {
      if (mesh) return this.meshSheet(k, mesh.vertices, mesh.triangles);
      const geometry = new THREE.BufferGeometry();
      const edges = new THREE.BufferGeometry();
      for (const g of [geometry, edges])
        g.setAttribute('position', new THREE.Float32BufferAttribute(3 * mostCorners, 3));
      geometry.setAttribute('normal', new THREE.Float32BufferAttribute(3 * mostCorners, 3));
      geometry.setIndex(Array.from({length: mostCorners - 2}, (_, i) => [0, i + 1, i + 2]).flat());
      const group = new THREE.Group();
      const inside = new THREE.Mesh(geometry, this.inside);
      const outside = new THREE.Mesh(geometry, this.outside);
      for (const o of [inside, outside, new THREE.LineLoop(edges, this.line)]) {
        o.frustumCulled = false;
        group.add(o);
      }
      group.visible = false;
      this.group.add(group);
      return {group, geometry, edges, beside: this.besides(k)};
    });
  }

  /** Seen from both sides, with its sharp edges drawn. */
  private meshSheet(k: number, vertices: number[], triangles: [number, number, number][]): Sheet {
    const indexed = new THREE.BufferGeometry();
    indexed.setAttribute('position', new THREE.Float32BufferAttribute(vertices, 3));
    indexed.setIndex(triangles.flat());
    const geometry = indexed.toNonIndexed();
    geometry.computeVertexNormals();
    const edges = new THREE.EdgesGeometry(indexed, 20);
    const group = new THREE.Group();
    for (const o of [new THREE.Mesh(geometry, this.surface), new THREE.LineSegments(edges, this.line)]) {
      o.frustumCulled = false;
      group.add(o);
    }
    const rows = this.store.header.frames.flatMap((f) => f.walls.filter((w) => w.wall === k && w.orientation));
    const mark = markOf(vertices, triangles, rows.map((w) => new THREE.Quaternion(...w.orientation!)));
    if (!mark) this.unmarked.push(k);
    if (rows.some((w) => w.orientation!.join() !== rows[0].orientation!.join())) this.looked.add(k);
    if (mark) group.add(Object.assign(new THREE.Mesh(mark, this.mark), {name: 'mark', frustumCulled: false}));
    group.visible = false;
    this.group.add(group);
    return {group, geometry, edges, beside: []};
  }

  /** Whether it has all walls that the store has come to hold, and shows of all that turn that they do. */
  get fits(): boolean {
    const {frames, walls} = this.store.header;
    const turnOf = (f: number, k: number) => frames[f].walls.find((w) => w.wall === k)?.orientation;
    const last = frames.length - 1;
    // Not for ever: a wall that turns without being round has no mark at all.
    const begins = this.unmarked.filter((k) => !this.looked.has(k) && turnOf(0, k)?.join() !== turnOf(last, k)?.join());
    return walls.length === this.sheets.length && begins.length === 0;
  }
  /** Meshes that were seen to turn when their marks were made. */
  private readonly looked = new Set<number>();

  /** The planes that hold the edges of a wall's outline when it first stands. */
  private besides(k: number): number[] {
    const first = this.store.header.frames.find((f) => f.walls.some((w) => w.wall === k));
    const own = first?.walls.find((w) => w.wall === k);
    if (!first || !own?.outline) return [];
    const corners = own.outline.map((v) => new THREE.Vector3(...v));
    const least = 1e-6 * Math.max(...corners.map((c) => c.distanceTo(corners[0])));
    return corners.map((c, i) => {
      const next = corners[(i + 1) % corners.length];
      const held = (w: WallRow) => [c, next].every((p) => Math.abs(planeOf(w).distanceToPoint(p)) <= least);
      return first.walls.find((w) => w.wall !== k && !w.orientation && held(w))?.wall ?? -1;
    });
  }

  /** On the way from frame a to frame b. */
  show(rowsA: WallRow[], rowsB: WallRow[], mix: number): void {
    const before = this.shown;
    this.shown = {a: rowsA, b: rowsB, mix};
    const same = (x: WallRow[], y: WallRow[]) =>
      x === y || (x.length === y.length && x.every((w, i) => w.wall === y[i].wall && stands(w, y[i])));
    const still = same(rowsA, rowsB);
    if (before && same(before.a, rowsA) && same(before.b, rowsB) && (still || before.mix === mix)) return;
    const then = new Map(rowsB.map((w) => [w.wall, w]));
    const now = new Map(rowsA.map((w) => [w.wall, between(w, then.get(w.wall), mix)]));
    this.sheets.forEach((s, i) => {
      const w = now.get(i);
      s.group.visible = w !== undefined;
      if (w) this.place(s, w, now);
    });
    const height = (w: WallRow) => w.point.reduce((h, v, k) => h + v * this.up.getComponent(k), 0);
    const carrying = [...now.values()].filter((w) => new THREE.Vector3(...w.normal).dot(this.up) > 0.5).sort((a, b) => height(a) - height(b))[0];
    this.carried = carrying !== undefined && this.store.header.dimensions === 3;
    this.setShadows(this.shadows);
    if (!carrying) return;
    const n = new THREE.Vector3(...carrying.normal).normalize();
    const centre = this.box.getCenter(new THREE.Vector3());
    centre.addScaledVector(n, n.dot(new THREE.Vector3(...carrying.point).sub(centre)));
    this.ground.position.copy(centre);
    this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
  }

  private shadows = true;
  private carried = false;
  /** Without shadows the ground, which fills the picture, shows nothing. */
  setShadows(on: boolean): void {
    this.shadows = on;
    this.ground.visible = on && this.carried;
  }

  private place(s: Sheet, w: WallRow, now: Map<number, WallRow>): void {
    if (w.orientation) {
      s.group.position.set(...w.point);
      s.group.quaternion.set(...w.orientation);
      return;
    }
    let corners = this.face(s, w, now);
    const n = new THREE.Vector3(...w.normal);
    const area = new THREE.Vector3();
    corners.forEach((c, i) => area.add(new THREE.Vector3().crossVectors(c, corners[(i + 1) % corners.length])));
    if (area.dot(n) < 0) corners = [...corners].reverse();
    corners.forEach((c, i) => {
      s.geometry.getAttribute('position').setXYZ(i, c.x, c.y, c.z);
      s.geometry.getAttribute('normal').setXYZ(i, n.x, n.y, n.z);
      s.edges.getAttribute('position').setXYZ(i, c.x, c.y, c.z);
    });
    s.geometry.setDrawRange(0, 3 * (corners.length - 2));
    s.edges.setDrawRange(0, corners.length);
    for (const a of [
      s.geometry.getAttribute('position'),
      s.geometry.getAttribute('normal'),
      s.edges.getAttribute('position'),
    ])
      a.needsUpdate = true;
  }

  /** What is seen of a plane: a box's side up to the planes beside it or its own outline, another up to all planes. */
  private face(s: Sheet, w: WallRow, now: Map<number, WallRow>): THREE.Vector3[] {
    const planar = this.store.header.dimensions === 2;
    const outline = w.outline?.map((v) => new THREE.Vector3(...v));
    const planes: THREE.Plane[] = [];
    const normal = new THREE.Vector3(...w.normal).normalize();
    if (outline) {
      const middle = outline.reduce((sum, c) => sum.addScaledVector(c, 1 / outline.length), new THREE.Vector3());
      outline.forEach((c, i) => {
        const along = outline[(i + 1) % outline.length].clone().sub(c);
        const beside = now.get(s.beside[i] ?? -1);
        if (beside) planes.push(planeOf(beside));
        if (beside) return;
        const inside = middle.clone().sub(c);
        // In two dimensions a side may be a line: two of its edges are its ends, and the others bound nothing.
        const inward = along.lengthSq() === 0 ? inside.clone() : new THREE.Vector3().crossVectors(normal, along);
        inward.normalize();
        if (Math.abs(inward.dot(inside)) <= 1e-6 * inside.length()) return;
        if (inward.dot(inside) < 0) inward.negate();
        planes.push(new THREE.Plane().setFromNormalAndCoplanarPoint(inward, c));
      });
    } else {
      for (const o of now.values())
        if (o !== w && !o.orientation && Math.abs(planeOf(o).normal.dot(normal)) < 0.999) planes.push(planeOf(o));
    }
    const whole = square(w, this.box, planar, outline ? 4 : 0.6);
    const rest = planes.reduce(clipped, whole);
    return rest.length > (planar ? 1 : 2) && rest.length <= mostCorners ? rest : outline ?? whole;
  }
}

function planeOf(w: WallRow): THREE.Plane {
  return new THREE.Plane().setFromNormalAndCoplanarPoint(
    new THREE.Vector3(...w.normal).normalize(),
    new THREE.Vector3(...w.point),
  );
}

/** Whether two rows have the same place; unchanged ones share their arrays. */
function stands(a: WallRow, b: WallRow): boolean {
  return a.point === b.point && a.normal === b.normal && a.outline === b.outline && a.orientation === b.orientation;
}

function between(a: WallRow, b: WallRow | undefined, mix: number): WallRow {
  if (!b || mix === 0 || stands(a, b)) return a;
  const mixed = (p: Vec, q: Vec) => p.map((v, k) => v + (q[k] - v) * mix) as Vec;
  const turn =
    a.orientation && b.orientation
      ? new THREE.Quaternion(...a.orientation).slerp(new THREE.Quaternion(...b.orientation), mix).toArray()
      : a.orientation;
  return {
    ...a,
    point: mixed(a.point, b.point),
    normal: mixed(a.normal, b.normal),
    orientation: turn as WallRow['orientation'],
    outline: a.outline && b.outline ? a.outline.map((c, i) => mixed(c, b.outline![i])) : a.outline,
  };
}

/** A square in a plane below (beside) what there is to see, so many diagonals of that to each side. */
function square(w: WallRow, box: THREE.Box3, planar: boolean, diagonals: number): THREE.Vector3[] {
  const n = new THREE.Vector3(...w.normal).normalize();
  const centre = box.getCenter(new THREE.Vector3());
  centre.addScaledVector(n, -n.dot(centre.clone().sub(new THREE.Vector3(...w.point))));
  const half = diagonals * box.getSize(new THREE.Vector3()).length();
  const u = new THREE.Vector3(1, 0, 0);
  if (Math.abs(n.x) > 0.9) u.set(0, 1, 0);
  u.addScaledVector(n, -n.dot(u)).normalize();
  if (planar) u.set(-n.y, n.x, 0);
  const v = new THREE.Vector3().crossVectors(n, u).multiplyScalar(planar ? 0 : 1);  // in two dimensions a wall is a line
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i, j]) => centre.clone().addScaledVector(u, i * half).addScaledVector(v, j * half));
}
