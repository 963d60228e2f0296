// Walls as translucent sheets: the side that faces the grains is tinted and takes their shadows, the other is nearly clear, so that the
// walls between the grains and the eye hide nothing.
import * as THREE from 'three';
import type {Store, Vec, WallRow} from './data.ts';

interface Sheet {
  row: WallRow | null;
  group: THREE.Group;
  geometry: THREE.BufferGeometry;
  edges: THREE.BufferGeometry;
}

export class Walls {
  readonly group = new THREE.Group();
  readonly inside: THREE.MeshLambertMaterial;
  readonly outside: THREE.MeshBasicMaterial;
  /** Of meshes. */
  readonly surface: THREE.MeshLambertMaterial;
  readonly line: THREE.LineBasicMaterial;
  /** Takes the grains' shadows on the lowest wall that carries them, and beyond its outline: walls are unbounded planes. */
  readonly ground: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private readonly sheets: Sheet[];

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
    this.sheets = store.header.walls.map(({mesh}) => {
      if (mesh) return this.meshSheet(mesh.vertices, mesh.triangles);
      const geometry = new THREE.BufferGeometry();
      const edges = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.Float32BufferAttribute(12, 3));
      geometry.setAttribute('normal', new THREE.Float32BufferAttribute(12, 3));
      geometry.setIndex([0, 1, 2, 0, 2, 3]);
      edges.setAttribute('position', new THREE.Float32BufferAttribute(12, 3));
      const group = new THREE.Group();
      const inside = new THREE.Mesh(geometry, this.inside);
      const outside = new THREE.Mesh(geometry, this.outside);
      for (const o of [inside, outside, new THREE.LineLoop(edges, this.line)]) {
        o.frustumCulled = false;
        group.add(o);
      }
      group.visible = false;
      this.group.add(group);
      return {row: null, group, geometry, edges};
    });
  }

  /** Seen from both sides, with its sharp edges drawn. */
  private meshSheet(vertices: number[], triangles: [number, number, number][]): Sheet {
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
    group.visible = false;
    this.group.add(group);
    return {row: null, group, geometry, edges};
  }

  show(frame: number): void {
    const now = new Map(this.store.header.frames[frame].walls.map((w) => [w.wall, w]));
    this.sheets.forEach((s, i) => {
      const w = now.get(i);
      s.group.visible = w !== undefined;
      if (w && (s.row?.point !== w.point || s.row.outline !== w.outline || s.row.orientation !== w.orientation)) this.place(s, w);
    });
    const height = (w: WallRow) => w.point.reduce((h, v, k) => h + v * this.up.getComponent(k), 0);
    const carrying = [...now.values()].filter((w) => new THREE.Vector3(...w.normal).dot(this.up) > 0.5).sort((a, b) => height(a) - height(b))[0];
    this.ground.visible = carrying !== undefined && this.store.header.dimensions === 3;
    if (!carrying) return;
    const n = new THREE.Vector3(...carrying.normal).normalize();
    const centre = this.box.getCenter(new THREE.Vector3());
    centre.addScaledVector(n, n.dot(new THREE.Vector3(...carrying.point).sub(centre)));
    this.ground.position.copy(centre);
    this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
  }

  private place(s: Sheet, w: WallRow): void {
    s.row = w;
    if (w.orientation) {
      s.group.position.set(...w.point);
      s.group.quaternion.set(...w.orientation);
      return;
    }
    let corners = corners4(w, this.box, this.store.header.dimensions === 2);
    const n = new THREE.Vector3(...w.normal);
    const [a, b, , d] = corners;
    if (new THREE.Vector3().crossVectors(b.clone().sub(a), d.clone().sub(a)).dot(n) < 0) corners = [...corners].reverse();
    corners.forEach((c, i) => {
      s.geometry.getAttribute('position').setXYZ(i, c.x, c.y, c.z);
      s.geometry.getAttribute('normal').setXYZ(i, n.x, n.y, n.z);
      s.edges.getAttribute('position').setXYZ(i, c.x, c.y, c.z);
    });
    for (const a2 of [s.geometry.getAttribute('position'), s.geometry.getAttribute('normal'), s.edges.getAttribute('position')]) a2.needsUpdate = true;
  }
}

/** The outline, or for an unbounded plane a square below (beside) what there is to see. */
function corners4(w: WallRow, box: THREE.Box3, planar: boolean): THREE.Vector3[] {
  if (w.outline) return w.outline.map((v: Vec) => new THREE.Vector3(...v));
  const n = new THREE.Vector3(...w.normal).normalize();
  const centre = box.getCenter(new THREE.Vector3());
  centre.addScaledVector(n, -n.dot(centre.clone().sub(new THREE.Vector3(...w.point))));
  const half = 0.6 * box.getSize(new THREE.Vector3()).length();
  const u = new THREE.Vector3(1, 0, 0);
  if (Math.abs(n.x) > 0.9) u.set(0, 1, 0);
  u.addScaledVector(n, -n.dot(u)).normalize();
  if (planar) u.set(-n.y, n.x, 0);
  const v = new THREE.Vector3().crossVectors(n, u).multiplyScalar(planar ? 0 : 1);  // in two dimensions a wall is a line
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i, j]) => centre.clone().addScaledVector(u, i * half).addScaledVector(v, j * half));
}
