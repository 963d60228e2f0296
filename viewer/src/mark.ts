// A stripe on a wall of revolution that turns: nothing else of it shows that it does.
import * as THREE from 'three';
import {clipped} from './clip.ts';

const halfAngle = 0.045;

/** The axis (of the mesh's own frame) about which the wall turns between the first two orientations that differ. */
function axisOf(turns: THREE.Quaternion[]): THREE.Vector3 | null {
  for (const q of turns) {
    const d = turns[0].clone().invert().multiply(q);
    const axis = new THREE.Vector3(d.x, d.y, d.z);
    if (axis.length() > 1e-6) return axis.normalize();
  }
  return null;
}

/** What of the surface lies within a wedge about the axis; null: the wall does not turn, or is not round enough. */
export function markOf(
  vertices: number[],
  triangles: [number, number, number][],
  turns: THREE.Quaternion[],
): THREE.BufferGeometry | null {
  const axis = turns.length > 1 ? axisOf(turns) : null;
  if (!axis) return null;
  const points = Array.from({length: vertices.length / 3}, (_, i) => new THREE.Vector3().fromArray(vertices, 3 * i));
  const centre = points.reduce((sum, p) => sum.addScaledVector(p, 1 / points.length), new THREE.Vector3());
  const off = (p: THREE.Vector3) => p.clone().sub(centre).projectOnPlane(axis);
  const far = Math.max(...points.map((p) => off(p).length()));
  // A body of revolution has few circles for its many vertices.
  const circles = new Set(
    points.map((p) =>
      [off(p).length(), p.clone().sub(centre).dot(axis)].map((v) => Math.round((1e4 * v) / far)).join(),
    ),
  );
  if (!(far > 0) || circles.size > points.length / 6) return null;
  const out = off(points.find((p) => off(p).length() > 0.999 * far)!).normalize();
  // Between the sides of the wedge, and before the axis.
  const across = [-1, 1].map((s) =>
    new THREE.Vector3().crossVectors(out.clone().applyAxisAngle(axis, s * halfAngle), axis).multiplyScalar(s),
  );
  const planes = [out, ...across].map((n) => new THREE.Plane().setFromNormalAndCoplanarPoint(n, centre));
  const position: number[] = [];
  for (const t of triangles) {
    const corners = t.map((v) => points[v]);
    const rest = planes.reduce(clipped, corners);
    for (let i = 1; i + 1 < rest.length; ++i)
      for (const p of [rest[0], rest[i], rest[i + 1]]) position.push(p.x, p.y, p.z);
  }
  if (position.length === 0) return null;
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  return g;
}
